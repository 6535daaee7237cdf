import { REPLACEMENTS } from "../../src/timeline/entries.ts";
import type { JournalEntry } from "../api-types.ts";

/** How a journal entry fits after those already received. */
export type Arrival = "next" | "seen" | "gap" | "replaced";

export type Sequence = ReturnType<typeof createSequence>;

/**
 * Follows the journal without losing or doubling an entry. Entries come in order and without a gap, so one
 * that does not fit means that some were lost, or that the world went back: a reset, a restore, another process.
 */
export function createSequence() {
  let last: JournalEntry | undefined;
  let seq = 0;

  /** The same entry of the same run: two runs may agree in everything but the real time. */
  const isSame = (entry: JournalEntry) => last?.wall === entry.wall && last.type === entry.type;

  return {
    /** Where to continue reading: the last entry is included, to prove that the journal is the same one. */
    get after(): number {
      return last ? seq - 1 : seq;
    },
    /** Starts over after the newest entry, or at the very beginning if there is none. */
    begin(newest: JournalEntry | undefined): void {
      last = newest;
      seq = newest?.seq ?? 0;
    },
    /** Whether a journal that ends at `newest` can be the same one. */
    reaches: (newest: number): boolean => newest >= seq,
    take(entry: JournalEntry): Arrival {
      if (entry.seq === seq && last) return isSame(entry) ? "seen" : "replaced";
      if (entry.seq <= seq) return "replaced";
      if (entry.seq > seq + 1) return "gap";
      last = entry;
      seq = entry.seq;
      return REPLACEMENTS.includes(entry.type) ? "replaced" : "next";
    },
  };
}
