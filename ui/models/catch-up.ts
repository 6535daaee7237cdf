import { effect, type ReadonlySignal } from "@preact/signals";
import type { Live } from "../live.ts";
import type { JournalModel } from "./journal.ts";

/** What is shown waits so long for the rest of the page, and no longer. */
const PATIENCE_MS = 2_000;

export type CatchUp = (seq: number | undefined) => Promise<void>;

/** Waits until the page has a journal entry, and has read again what that entry changes. */
export function createCatchUp(live: Live, journal: JournalModel, unread: ReadonlySignal<number>): CatchUp {
  function received(seq: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if ((journal.entries.peek().at(-1)?.seq ?? 0) >= seq) return resolve();
      const stop = live.onEntries((entries) => {
        if (entries.at(-1)!.seq >= seq) resolve();
      });
      signal.addEventListener("abort", stop);
    });
  }

  function allRead(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const stop = effect(() => {
        if (unread.value === 0) resolve();
      });
      signal.addEventListener("abort", stop);
    });
  }

  return async (seq) => {
    if (seq === undefined) return;
    const ended = new AbortController();
    const patience = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      ended.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    const caughtUp = received(seq, ended.signal).then(() => allRead(ended.signal));
    await Promise.race([caughtUp, patience]);
    ended.abort();
  };
}
