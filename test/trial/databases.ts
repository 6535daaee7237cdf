import { openTables } from "../../src/trial/database/tables.ts";

/** A kind of table: the statements that make it with rows, and what a server may do to it. */
export type Kind = [name: string, make: string, change: string];

/** Plays two runs in which a server changes everything, and lets the trial end. */
export async function playRuns(state: string, change: () => unknown, copyOf?: string): Promise<void> {
  const tables = await openTables(state, { idleMs: 0, copyOf });
  try {
    for (let run = 0; run < 2; run += 1) {
      await tables.putBack();
      await tables.begin();
      await change();
      await tables.end();
      await tables.read();
    }
    if (copyOf) await tables.putBack();
  } finally {
    await tables.close();
  }
}
