import type { Sandbox } from "../library/index.ts";
import type { JournalEntry } from "../world/journal.ts";

/** Reads the journal of a scenario's world step by step, so each entry appears in only one summary. */
export interface Ledger {
  /** The last known virtual time, in ISO 8601 format. */
  now: string;
  read(): Promise<JournalEntry[]>;
  /** Runs a function that takes the world and its journal back to an earlier time. */
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
