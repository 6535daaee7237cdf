import { type ReadonlySignal, signal } from "@preact/signals";
import type { JournalEntry } from "../api-types.ts";
import type { Live } from "../live.ts";

/** The minimum time between two reads of the same data, in milliseconds. */
const PAUSE_MS = 120;

const unread = signal(0);
/** The number of parts of the page that show outdated data because a read is pending. */
export const unreadCount: ReadonlySignal<number> = unread;

/** Runs `work` on request. Requests during a run lead to exactly one more run afterwards. */
export function createRefresher(work: () => Promise<unknown>) {
  let running = false;
  let again = false;
  let closed = false;
  let counted = false;

  function count(next: boolean): void {
    if (next !== counted) unread.value += next ? 1 : -1;
    counted = next;
  }

  async function run(): Promise<void> {
    if (closed) return;
    count(true);
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      await work().catch(() => undefined);
      if (!again) count(false);
      await new Promise((resolve) => void setTimeout(resolve, PAUSE_MS));
    } while (again && !closed);
    running = false;
  }

  return {
    ask: () => void run(),
    close: () => {
      closed = true;
      count(false);
    },
  };
}

/**
 * Reads data again when a matching journal entry arrives or the connection is restored.
 * @returns a function that stops this
 */
export function refreshOn(
  live: Live,
  matters: (entry: JournalEntry) => boolean,
  work: () => Promise<unknown>,
  refresher = createRefresher(work),
) {
  const stops = [
    live.onEntries((entries) => {
      if (entries.some(matters)) refresher.ask();
    }),
    live.onReplaced(refresher.ask),
    live.onReturned(refresher.ask),
    refresher.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Matches entries by type. A pattern may end with `*`. */
export function ofTypes(...patterns: string[]): (entry: JournalEntry) => boolean {
  return ({ type }) =>
    patterns.some((pattern) =>
      pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
    );
}
