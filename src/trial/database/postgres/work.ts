import { invalidState, type SandboxError } from "../../../errors/errors.ts";
import { withoutPasswords } from "../../../runtime/redact.ts";
import { postgresValue } from "../database-variable.ts";
import { createRecord, type TrialRecord } from "../record.ts";
import { recover } from "../recover.ts";
import { listed, tellUser, type WorkCopy } from "../tables.ts";
import { createWorkCopy, unlikeTables } from "../work-copy.ts";
import {
  atDatabase,
  type Connection,
  codeOf,
  connectTo,
  databaseIn,
  literal,
  nameOf,
  OWN_NAME,
  quoted,
  using,
} from "./client.ts";
import { cloneDatabase, copyRows, createEmpty } from "./clone.ts";
import { connectPostgres, fingerprintsIn, schemaOf } from "./dialect.ts";
import { findCopy, tablesIn, writeTables } from "./shelf.ts";

/** Copies a database for a server that explore starts. The user's own database is only read. */
export async function workOnPostgres(address: string): Promise<WorkCopy> {
  const shown = withoutPasswords(address);
  const dialect = await connectPostgres(address);
  await dialect.inTurn(() => recover(dialect)).finally(dialect.end);
  const record = createRecord(nameOf(address), true);
  const work = atDatabase(address, record.id);
  try {
    record.note({ databases: [record.id] });
    const users = await createCopy(address, record.id);
    return await createWorkCopy({
      ...{ source: work, record, shown, original: address, place: `the database ${record.id}` },
      valueFor: (variable, place) => postgresValue(variable, address, place!),
      async fingerprints(source) {
        const one = await connectPostgres(source);
        return one.inTurn(one.fingerprints).finally(one.end);
      },
      connections: () =>
        beside(address, async ({ query }) =>
          (await query(`select pid ${clientsOf(databaseIn(address))}`)).map(({ pid }) => Number(pid)),
        ),
      async putBack() {
        if (users.length > 0)
          throw new Error(`which rows are the server's is unknown, as others use it: ${listed(users)}`);
        await reading(address, (connection, schema) => restoreFromWork(address, record, connection, schema));
      },
      async remove() {
        await removeWork(address, record);
        record.remove();
      },
    });
  } catch (error) {
    await removeWork(address, record).catch(() => undefined);
    record.remove();
    throw error;
  }
}

/** The connections of other programs to a database. */
const clientsOf = (database: string): string =>
  `from pg_stat_activity where datname = ${literal(database)} and coalesce(backend_type, 'client backend') = 'client backend' and application_name <> '${OWN_NAME}'`;

const reading = <Result>(
  address: string,
  work: (connection: Connection, schema: string) => Promise<Result>,
): Promise<Result> =>
  using(connectTo(address), async (connection) => work(connection, await schemaOf(connection, address)));

/** Runs work while connected to another database of the server, because a database in use cannot be copied. */
function beside<Result>(address: string, work: (connection: Connection) => Promise<Result>): Promise<Result> {
  const own = databaseIn(address);
  const [first, second] = ["postgres", "template1"].filter((name) => name !== own);
  const opening = connectTo(atDatabase(address, first!)).catch((error) => {
    if (second === undefined) throw error;
    return connectTo(atDatabase(address, second));
  });
  return using(opening, work);
}

/**
 * Copies a database: as a whole, or in SQL while others use it.
 * @returns the other users
 * @throws SandboxError `invalid_state` without the right to create a database, and for objects that SQL does not copy
 */
async function createCopy(address: string, to: string): Promise<readonly string[]> {
  const [from, shown] = [databaseIn(address), withoutPasswords(address)];
  return beside(address, async (connection) => {
    const { query } = connection;
    const usersOf = async (): Promise<string[]> => {
      const users = await query(
        `select distinct coalesce(nullif(application_name, ''), usename, 'one') || ' (process ' || pid || ')' as name
         ${clientsOf(from)}`,
      );
      return users.map(({ name }) => name);
    };
    let users = await usersOf();
    try {
      if (users.length === 0) {
        try {
          await query(`create database ${quoted(to)} template ${quoted(from)}`);
          return [];
        } catch (error) {
          if (codeOf(error) !== "55006") throw error;
          users = await usersOf();
          if (users.length === 0) users = ["another trial"];
        }
      }
      await createEmpty(connection, from, to);
    } catch (error) {
      throw codeOf(error) === "42501" ? await mayNotCopy(connection, from, error as Error) : error;
    }
    try {
      const leftOut = await reading(address, (source) =>
        reading(atDatabase(address, to), (target) => cloneDatabase(source, target)),
      );
      if (leftOut.length > 0)
        tellUser(
          `The copy of ${shown} that the server works on lacks what SQL does not copy: ${listed(leftOut)}. It has everything once nothing else uses the database: ${listed(users)}.`,
        );
      return users;
    } catch (error) {
      throw invalidState(
        `The database ${shown} cannot be copied in SQL: ${(error as Error).message.replace(/\.$/, "")}. While others use it, it cannot be copied otherwise: ${listed(users)}.`,
        "End them, such as your server, a console or an editor that is connected. With --start, the server works on a copy.",
      );
    }
  });
}

async function mayNotCopy({ query }: Connection, from: string, { message }: Error): Promise<SandboxError> {
  const [{ role }] = await query("select current_user as role");
  return invalidState(
    `The user ${role} may not copy the database ${from}: ${message}. With --start, the server works on a copy.`,
    /to create/.test(message)
      ? `Let a superuser run: alter role ${quoted(role)} createdb`
      : `Let a superuser run: alter database ${quoted(from)} owner to ${quoted(role)}`,
  );
}

/** Restores the user's database from the copy that its server did not use. @returns false without such a copy */
export async function restoreFromWork(
  address: string,
  record: TrialRecord,
  connection: Connection,
  schema: string,
): Promise<boolean> {
  const there = await beside(address, ({ query }) =>
    query("select 1 from pg_database where datname = $1", [record.id]),
  );
  if (there.length === 0) return false;
  const changed = unlikeTables(record.noted.rows ?? {}, await fingerprintsIn(connection, schema));
  await reading(atDatabase(address, record.id), async (copy) => {
    const copied = (await (await findCopy(copy, record, schema))?.tables()) ?? [];
    const sources = await tablesIn(copy, schema);
    await writeTables(connection, async () => {
      for (const table of await tablesIn(connection, schema)) {
        if (!changed.includes(table.name)) continue;
        const source = sources.find(({ name, form }) => name === table.name && form === table.form);
        if (!source) continue;
        const before = copied.find(({ name }) => name === table.name)?.before ?? source.from;
        await connection.query(`delete from ${table.from}`);
        await copyRows(copy, connection, before, table);
      }
    });
  });
  if (record.noted.isKept || record.noted.pid === 0) {
    await removeWork(address, record);
    record.remove();
  }
  return true;
}

export async function removeWork(address: string, { noted }: TrialRecord): Promise<void> {
  await beside(address, async ({ query }) => {
    for (const name of noted.databases) await query(`drop database if exists ${quoted(name)} with (force)`);
  });
}
