import type { JournalEntry } from "../../../src/library/journal.ts";
import type { JournalEntry as ShownEntry } from "../../../ui/api-types.ts";

/** An entry of the journal; two runs differ in `wall` alone. The page may get one of any type. */
export function entry(seq: number, over: Partial<ShownEntry> = {}): JournalEntry {
  return {
    seq,
    type: "payment.completed",
    at: "2026-01-15T09:00:00.000Z",
    wall: `2026-11-21T10:00:00.${String(seq % 1_000).padStart(3, "0")}Z`,
    data: { id: `txn_${seq}` },
    ...over,
  } as JournalEntry;
}
