import type { Sandbox } from "../library/index.ts";
import type { JournalEntry } from "../world/journal.ts";

/** Reads a scenario world's journal incrementally, so that no entry appears in two summaries. */
export interface Ledger {
  /** The last known time of the clock, ISO 8601. */
  now: string;
  read(): Promise<JournalEntry[]>;
  /** Runs work that resets the world and its journal to an earlier time. */
  goBack(work: () => Promise<void>): Promise<void>;
}

export async function openLedger(sandbox: Sandbox): Promise<Ledger> {
  let seq = (await sandbox.events()).at(-1)?.seq ?? 0;
  let before: JournalEntry[] = [];

  const ledger: Ledger = {
    now: await sandbox.clock.now(),
    async read() {
      const entries = [...before, ...(await sandbox.events({ after: seq }))];
      before = [];
      seq = entries.at(-1)?.seq ?? seq;
      ledger.now = await sandbox.clock.now();
      return entries;
    },
    async goBack(work) {
      const entries = await ledger.read();
      await work();
      before = entries;
      const backEntry = (await sandbox.events({ types: ["world.*"] })).at(-1);
      seq = backEntry === undefined ? 0 : backEntry.seq - 1;
    },
  };
  return ledger;
}
