import type { JournalEntry } from "../../../ui/api-types.ts";

/** A journal entry. Two runs differ only in `wall`. */
export function entry(seq: number, over: Partial<JournalEntry> = {}): JournalEntry {
  return {
    seq,
    type: "payment.completed",
    at: "2026-01-15T09:00:00.000Z",
    wall: `2026-11-21T10:00:00.${String(seq % 1_000).padStart(3, "0")}Z`,
    data: { id: `txn_${seq}` },
    ...over,
  };
}
