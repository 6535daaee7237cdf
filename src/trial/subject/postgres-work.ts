import { SandboxError } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { changedTables } from "./dialect.ts";
import { connectPostgres, schemaOf } from "./postgres.ts";
import {
  atDatabase,
  type Connection,
  codeOf,
  connectTo,
  databaseIn,
  literal,
  nameOf,
  quoted,
} from "./postgres-client.ts";
import { findCopy, tablesIn, writeTables } from "./postgres-copy.ts";
import { statementsOf } from "./postgres-rows.ts";
import { createRecord, type TrialRecord } from "./record.ts";
import { recover } from "./recover.ts";
import { notPutBack, recovered, type TablesOptions, tellUser, type WorkCopy } from "./tables.ts";

/** Variables that name a database beside a host and a port: DB_NAME, DATABASE_NAME, POSTGRES_DB, PGDATABASE. */
const NAMES_DATABASE = /(?:name|_db|^pgdatabase)$/i;

/** Copies a database for a server that explore starts: the user's own is read, and nothing else. */
export async function workOnPostgres(address: string, { tell = tellUser }: TablesOptions): Promise<WorkCopy> {
  const shown = withoutPasswords(address);
  const dialect = await connectPostgres(address);
  await dialect.inTurn(() => recover(dialect, tell)).finally(dialect.end);
  const { schema, before } = await reading(address, async (connection, own) => ({
    schema: own,
    before: await fingerprint(connection, own),
  }));
  const record = createRecord(nameOf(address), true);
  const work = atDatabase(address, record.id);
  const isChanged = async (): Promise<boolean> =>
    reading(address, async (connection) => (await fingerprint(connection, schema)) !== before);

  try {
    record.note({ databases: [record.id] });
    await beside(address, (connection) => createCopy(connection, databaseIn(address), record.id));
  } catch (error) {
    record.remove();
    throw error;
  }

  return {
    ...{ source: work, record },
    valueFor(present, name) {
      if (present ? !present.includes("://") : NAMES_DATABASE.test(name)) return record.id;
      const isAddress = present && /^postgres(?:ql)?:/i.test(present) && URL.canParse(present);
      return atDatabase(isAddress ? present : address, record.id);
    },
    async wentRound() {
      if (!(await isChanged())) return false;
      return reading(work, async (connection) => {
        const copy = await findCopy(connection, record, schema);
        return copy === undefined || (await changedTables(copy)).length === 0;
      });
    },
    confirm: () => record.note({ isSafe: true }),
    async restore() {
      try {
        await reading(address, (connection) => restoreFromWork(address, record, connection, schema));
      } catch (error) {
        record.note({ pid: 0, isKept: true });
        throw notPutBack(shown, (error as Error).message, `the database ${record.id}`, address);
      }
      record.note({ isSafe: true });
    },
    async close() {
      if (record.noted.isSafe || !(await isChanged())) await dropDatabases(address, record);
      else record.note({ pid: 0, isKept: true });
    },
  };
}

/** Does something on a connection of its own. */
async function reading<Result>(
  address: string,
  work: (connection: Connection, schema: string) => Promise<Result>,
): Promise<Result> {
  const connection = await connectTo(address);
  try {
    return await connection.inTurn(async () => work(connection, await schemaOf(connection, address)));
  } finally {
    await connection.end();
  }
}

/** Does something on a connection to another database of the server, as one cannot be copied while it is used. */
async function beside<Result>(
  address: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const own = databaseIn(address);
  const [first, second] = ["postgres", "template1"].filter((name) => name !== own);
  const connection = await connectTo(atDatabase(address, first!)).catch((error) => {
    if (second === undefined) throw error;
    return connectTo(atDatabase(address, second));
  });
  try {
    return await connection.inTurn(() => work(connection));
  } finally {
    await connection.end();
  }
}

/** @throws SandboxError `invalid_state` without the right to create a database, and while others use the original */
async function createCopy({ query, shown }: Connection, from: string, to: string): Promise<void> {
  try {
    await query(`create database ${quoted(to)} template ${quoted(from)}`);
  } catch (error) {
    const { message } = error as Error;
    if (codeOf(error) === "42501") {
      const [{ role }] = await query("select current_user as role");
      throw new SandboxError(
        "invalid_state",
        `The user ${role} may not copy the database ${from}: ${message}. With --start, the server works on a copy.`,
        /to create/.test(message)
          ? `Let a superuser run: alter role ${quoted(role)} createdb`
          : `Let a superuser run: alter database ${quoted(from)} owner to ${quoted(role)}`,
      );
    }
    if (codeOf(error) !== "55006") throw error;
    const users = await query(
      `select distinct coalesce(nullif(application_name, ''), usename) || ' (process ' || pid || ')' as name
       from pg_stat_activity where datname = ${literal(from)} and pid <> pg_backend_pid()`,
    );
    throw new SandboxError(
      "invalid_state",
      `The database ${from} of ${shown} cannot be copied while others use it: ${users.map(({ name }) => name).join(", ") || message}.`,
      "End them, such as your server, a console or an editor that is connected. With --start, the server works on a copy.",
    );
  }
}

/** A text that changes with the rows of a schema. */
async function fingerprint(connection: Connection, schema: string): Promise<string> {
  const tables = await tablesIn(connection, schema);
  if (tables.length === 0) return "";
  const parts = tables.map(
    ({ name, from, form }) =>
      `select ${literal(name)} || ${literal(form)} || coalesce(md5(string_agg(r, ',' order by r)), '') as text
       from (select sandglass_row::text as r from ${from} sandglass_row) rows`,
  );
  const found = await connection.query(
    `select string_agg(text, '|' order by text) as text from (${parts.join(" union all ")}) all_tables`,
  );
  return found[0].text;
}

/**
 * Puts the user's database back from the copy that its server did not use.
 * @returns false if that copy is not there
 */
export async function restoreFromWork(
  address: string,
  record: TrialRecord,
  connection: Connection,
  schema: string,
): Promise<boolean> {
  const before = await rowsOfWork(address, record, schema);
  if (before === undefined) return false;
  const tables = (await tablesIn(connection, schema)).filter(({ columns }) => columns.length > 0);
  await writeTables(connection, async () => {
    for (const [number, table] of tables.entries()) {
      const rows = before.get(table.name + table.form);
      if (rows === undefined) continue;
      await connection.query(
        `create temp table ${quoted(`before ${number}`)} on commit drop as select * from unnest($1::${table.sql}[])`,
        [rows],
      );
      for (const statement of statementsOf(table, "pg_temp", number).restore)
        await connection.query(statement);
    }
  });
  if (record.noted.isKept || record.noted.pid === 0) await dropDatabases(address, record);
  return true;
}

/** The rows of a copy, as the text that Postgres has for each, by their tables; undefined without the copy. */
async function rowsOfWork(
  address: string,
  record: TrialRecord,
  schema: string,
): Promise<Map<string, string[]> | undefined> {
  const there = await beside(address, ({ query }) =>
    query("select 1 from pg_database where datname = $1", [record.id]),
  );
  if (there.length === 0) return undefined;
  return reading(atDatabase(address, record.id), async (connection) => {
    const copy = await findCopy(connection, record, schema);
    const rows = new Map<string, string[]>();
    const copied = await copy?.tables();
    for (const table of await tablesIn(connection, schema)) {
      const number = copied?.find(({ name }) => name === table.name)?.number;
      const from = number === undefined ? table.from : `${quoted(record.id)}.${quoted(`before ${number}`)}`;
      const found = await connection.query(
        `select array(select sandglass_row::text from ${from} sandglass_row order by xmin::text::bigint, ctid) as rows`,
      );
      rows.set(table.name + table.form, found[0].rows);
    }
    return rows;
  });
}

/** Removes what a killed trial left, unless the user's database was changed. */
export async function dropWork(
  address: string,
  record: TrialRecord,
  connection: Connection,
  schema: string,
  tell: (message: string) => void,
): Promise<void> {
  const before = record.noted.isSafe ? undefined : await rowsOfWork(address, record, schema);
  const changed: string[] = [];
  if (before)
    for (const table of await tablesIn(connection, schema)) {
      const rows = before.get(table.name + table.form);
      const now = await connection.query(
        `select array(select sandglass_row::text from ${table.from} sandglass_row) as rows`,
      );
      if (rows && [...rows].sort().join("\n") !== [...now[0].rows].sort().join("\n"))
        changed.push(table.name);
    }
  if (changed.length === 0) return dropDatabases(address, record);
  record.note({ isKept: true });
  tell(recovered(connection.shown, changed, changed, `the database ${record.id}`, address)!);
}

async function dropDatabases(address: string, record: TrialRecord): Promise<void> {
  await beside(address, async ({ query }) => {
    for (const name of record.noted.databases)
      await query(`drop database if exists ${quoted(name)} with (force)`);
  });
  record.remove();
}
