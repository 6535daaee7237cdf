import type { Sandbox } from "../library/index.ts";
import type { JournalEntry } from "../world/journal.ts";

/** The journal of a scenario's world from where it was last read, so that no entry is in two ledgers. */
export interface Ledger {
  /** The clock's time, ISO 8601, as it was last known. */
  now: string;
  read(): Promise<JournalEntry[]>;
  /** Runs work that returns the world, and its journal, to an earlier time. */
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
