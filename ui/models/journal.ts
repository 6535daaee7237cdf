import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { JournalEntry } from "../api-types.ts";
import type { Live } from "../live.ts";

/** The maximum number of entries that the page keeps in memory. */
export const KEPT_ENTRIES = 10_000;

export type JournalModel = ReturnType<typeof createJournal>;

/** The latest journal entries, with the newest one last. */
export function createJournal(live: Live) {
  const entries = signal<JournalEntry[]>([]);

  function add(more: JournalEntry[]): void {
    const newest = entries.value.at(-1)?.seq ?? 0;
    const joined = entries.value.concat(more.filter(({ seq }) => seq > newest));
    entries.value = joined.length > KEPT_ENTRIES ? joined.slice(-KEPT_ENTRIES) : joined;
  }

  const stops = [live.onEntries(add), live.onReplaced(() => (entries.value = []))];

  return {
    entries: entries as ReadonlySignal<JournalEntry[]>,
    prepend(older: JournalEntry[]): void {
      const first = entries.value[0]?.seq ?? Number.POSITIVE_INFINITY;
      const joined = older.filter(({ seq }) => seq < first).concat(entries.value);
      entries.value = joined.slice(-KEPT_ENTRIES);
    },
    close(): void {
      for (const stop of stops) stop();
    },
  };
}

/** How long an animation waits for the rest of the page to load. */
const PATIENCE_MS = 2_000;

/** Waits until the page has received a journal entry and has loaded everything that the entry affects. */
export function createCatchUp(live: Live, journal: JournalModel, unread: ReadonlySignal<number>) {
  return async (seq: number | undefined): Promise<void> => {
    if (seq === undefined) return;
    const stops: (() => void)[] = [];
    const received = new Promise<void>((resolve) => {
      if (Math.max(journal.entries.peek().at(-1)?.seq ?? 0, live.begun()) >= seq) return resolve();
      stops.push(
        live.onEntries((entries) => entries.at(-1)!.seq >= seq && resolve()),
        // If the world was replaced, the awaited entry will never arrive.
        live.onReplaced(resolve),
      );
    });
    const allRead = () =>
      new Promise<void>((resolve) => void stops.push(effect(() => void (unread.value === 0 && resolve()))));
    const patience = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      stops.push(() => clearTimeout(timer));
    });
    await Promise.race([received.then(allRead), patience]);
    for (const stop of stops) stop();
  };
}
