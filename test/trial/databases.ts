import { openTables } from "../../src/trial/database/tables.ts";

/** A kind of table: statements that create it with rows, and a statement that a server may run. */
export type Kind = [name: string, make: string, change: string];

/** Runs twice with a server that changes everything, and then ends the trial. */
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
