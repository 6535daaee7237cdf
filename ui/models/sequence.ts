import { REPLACEMENTS } from "../../src/timeline/entries.ts";
import type { JournalEntry } from "../api-types.ts";

/** How a journal entry relates to the entries received before it. */
export type Arrival = "next" | "seen" | "gap" | "replaced";

export type Sequence = ReturnType<typeof createSequence>;

/**
 * Follows the journal without losing or duplicating an entry. Entries arrive in order and without gaps, so an
 * unexpected entry means that others were lost, or that the world was reset, restored or restarted.
 */
export function createSequence() {
  let last: JournalEntry | undefined;
  let seq = 0;

  /** Whether both are the same entry from the same run. Two runs may differ only in their real times. */
  const isSame = (entry: JournalEntry) => last?.wall === entry.wall && last.type === entry.type;

  return {
    /**
     * The entry after which to resume. The last entry is read again to make sure that the journal is still the same.
     */
    get after(): number {
      return last ? seq - 1 : seq;
    },
    /** Starts again after the newest entry or, if there is none, from the beginning. */
    begin(newest: JournalEntry | undefined): void {
      last = newest;
      seq = newest?.seq ?? 0;
    },
    /** Whether a journal that ends at `newest` can be the one that was followed so far. */
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
