import { SandboxError } from "../../errors/errors.ts";
import { type Connection, connectTo, nameOf, schemaIn } from "./postgres-client.ts";
import { changedRows, findCopy, run, setSequences, settle } from "./postgres-copy.ts";
import { recordsOf, refuseSecondTrial } from "./record.ts";
import { listed, recovered } from "./tables.ts";

/** Puts back what a killed trial left, and removes what it made. */
export async function recoverPostgres(
  connection: Connection,
  address: string,
  schema: string,
  tell: (message: string) => void,
): Promise<void> {
  const records = recordsOf(nameOf(address));
  refuseSecondTrial(connection.shown, records);
  for (const record of records.abandoned) {
    if (record.noted.onCopy) {
      const { dropWork } = await import("./postgres-work.ts");
      await dropWork(address, record, connection, schema, tell);
      continue;
    }
    const trial = await findCopy(connection, record, schema);
    if (!trial) {
      record.remove();
      continue;
    }
    const changed = (await changedRows(trial)).map(({ table }) => table.name);
    const left = await settle(trial, record.inDelivery);
    const place = `the schema ${record.id} of that database`;
    if (left.length === 0) {
      await connection.query(`drop schema ${trial.own} cascade`);
      record.remove();
    } else record.note({ isKept: true });
    const words = recovered(connection.shown, changed, left, place, address);
    if (words) tell(words);
  }
}

/** Puts back all rows that the copy of an earlier trial has. */
export async function restorePostgres(address: string): Promise<string> {
  const connection = await connectTo(address);
  const { shown, query, inTurn } = connection;
  try {
    return await inTurn(async () => {
      const schema = schemaIn(address) ?? (await query("select current_schema() as schema"))[0].schema;
      const records = recordsOf(nameOf(address));
      refuseSecondTrial(shown, records);
      for (const record of [...records.kept, ...records.abandoned]) {
        if (record.noted.onCopy) {
          const { restoreFromWork } = await import("./postgres-work.ts");
          if (await restoreFromWork(address, record, connection, schema))
            return `${shown} has the rows of before again.`;
          continue;
        }
        const trial = await findCopy(connection, record, schema);
        if (!trial) continue;
        const changed = await changedRows(trial);
        await trial.write(async () => {
          for (const one of changed) await run(trial, one.restore);
          await setSequences(trial);
        });
        await query(`drop schema ${trial.own} cascade`);
        record.remove();
        return `${shown} has the rows of before again, in ${listed(changed.map(({ table }) => table.name)) || "all tables"}.`;
      }
      throw new SandboxError(
        "not_found",
        `There is no copy of ${shown} from an earlier trial.`,
        "Explore leaves one only if it could not put all rows back.",
      );
    });
  } finally {
    await connection.end();
  }
}
