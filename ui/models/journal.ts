import { type ReadonlySignal, signal } from "@preact/signals";
import type { JournalEntry } from "../api-types.ts";
import type { Live } from "../live.ts";

/** How many entries the page keeps, so that a day of use grows nothing. */
export const KEPT_ENTRIES = 4_000;

export type JournalModel = ReturnType<typeof createJournal>;

/** The latest entries of the journal, newest last; the page hears all of them and keeps the latest. */
export function createJournal(live: Live) {
  const entries = signal<JournalEntry[]>([]);

  function add(more: JournalEntry[]): void {
    const newest = entries.value.at(-1)?.seq ?? 0;
    const joined = entries.value.concat(more.filter(({ seq }) => seq > newest));
    entries.value = joined.length > KEPT_ENTRIES ? joined.slice(-KEPT_ENTRIES) : joined;
  }

  const stops = [
    live.onEntries(add),
    live.onReplaced(() => {
      entries.value = [];
    }),
  ];

  return {
    entries: entries as ReadonlySignal<JournalEntry[]>,
    /** Puts older entries before those that were heard. */
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
