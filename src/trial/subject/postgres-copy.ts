import { SandboxError } from "../../errors/errors.ts";
import { type Connection, codeOf, databaseIn, literal, quoted } from "./postgres-client.ts";
import { type PostgresRows, type PostgresTable, rowsOf, TABLES, tableOf } from "./postgres-rows.ts";
import type { TrialRecord } from "./record.ts";

/** A connection to a schema, and the copy of its tables in a schema of the trial. */
export interface PostgresTrial {
  connection: Connection;
  record: TrialRecord;
  /** The schema of the copy, as SQL takes it. */
  own: string;
  /** The tables that are as they were when they were copied, but for their rows. */
  rows(): Promise<PostgresRows[]>;
  /** Tables that the copy has not, or in another form. */
  unlike(): Promise<PostgresTable[]>;
  /** The names of the tables whose rows are not as before. */
  changed(): Promise<string[]>;
  /** Does something in one transaction, without the triggers and the foreign keys that changes cause. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
}

export async function tablesIn({ query }: Connection, schema: string): Promise<PostgresTable[]> {
  return (await query(TABLES, [quoted(schema)])).map((one) => tableOf(schema, one));
}

/** @param copied the tables of the copy, by their numbers */
function trialOf(
  connection: Connection,
  record: TrialRecord,
  schema: string,
  copied: readonly Pick<PostgresTable, "name" | "form">[],
): PostgresTrial {
  const own = quoted(record.id);
  const isCopied = (table: PostgresTable): number =>
    copied.findIndex(({ name, form }) => name === table.name && form === table.form);
  const trial: PostgresTrial = {
    ...{ connection, record, own },
    changed: async () => (await changedRows(trial)).map(({ table }) => table.name),
    rows: async () =>
      (await tablesIn(connection, schema)).flatMap((table) =>
        isCopied(table) < 0 ? [] : rowsOf(table, own, isCopied(table)),
      ),
    unlike: async () => (await tablesIn(connection, schema)).filter((table) => isCopied(table) < 0),
    write: (work) => writeTables(connection, work),
  };
  return trial;
}

/** Does something in one transaction, without the triggers and the foreign keys that changes cause. */
export async function writeTables<Result>(
  { query, shown }: Connection,
  work: () => Promise<Result>,
): Promise<Result> {
  await query("begin");
  try {
    await query("set local session_replication_role = replica").catch((error) => {
      throw mayNot(error, shown);
    });
    const result = await work();
    await query("commit");
    return result;
  } catch (error) {
    await query("rollback").catch(() => undefined);
    throw error;
  }
}

export const mayNot = (error: unknown, shown: string): unknown =>
  codeOf(error) === "42501"
    ? new SandboxError(
        "invalid_state",
        `The user of ${shown} may not put rows back without causing triggers and checks of foreign keys.`,
        "Connect as a superuser of your test database, let one run: grant set on parameter session_replication_role to <user> (Postgres 15 and later), or name a --reset.",
      )
    : error;

/** Copies tables into a schema of the trial: on disk when it resolves. */
export async function copyTables(
  connection: Connection,
  record: TrialRecord,
  schema: string,
  only?: readonly string[],
): Promise<PostgresTrial> {
  const { query, shown } = connection;
  const own = quoted(record.id);
  const tables = (await tablesIn(connection, schema)).filter(({ name }) => only?.includes(name) ?? true);
  await query("begin isolation level repeatable read");
  try {
    await query(
      `create schema ${own}; comment on schema ${own} is 'Rows of before a trial of Sandglass, which its next command puts back and removes';
       create unlogged table ${own}.last (tbl int, gone bool, k text, v text);
       create unlogged table ${own}.seen (tbl int, gone bool, k text, v text);
       create unlogged table ${own}.fresh (tbl int, gone bool, k text, v text);
       create unlogged table ${own}.aside (tbl int, gone bool, k text, v text);
       create table ${own}.copied (number int, name text, form text);
       create table ${own}.sequences (sql text, last_value bigint, is_called bool)`,
    ).catch((error) => {
      throw codeOf(error) === "42501"
        ? new SandboxError(
            "invalid_state",
            `The user of ${shown} may not copy its tables, and without a copy no row is changed.`,
            `Let an owner of the database run: grant create on database ${quoted(databaseIn(shown))} to <user>`,
          )
        : error;
    });
    for (const [number, table] of tables.entries()) {
      await query(rowsOf(table, own, number).copy);
      await query(`insert into ${own}.copied values ($1, $2, $3)`, [number, table.name, table.form]);
    }
    const names = await query(
      `select format('%I.%I', $1::text, relname) as sql from pg_class s
       where relkind = 'S' and relnamespace = quote_ident($1)::regnamespace and ($2::text[] is null or exists (
         select 1 from pg_depend d join pg_class t on t.oid = d.refobjid
         where d.objid = s.oid and d.deptype in ('a', 'i') and t.relname = any($2)))`,
      [schema, only ?? null],
    );
    for (const { sql } of names)
      await query(`insert into ${own}.sequences select ${literal(sql)}, last_value, is_called from ${sql}`);
    await query("commit");
  } catch (error) {
    await query("rollback").catch(() => undefined);
    throw error;
  }
  return trialOf(connection, record, schema, tables);
}

/** The copy that a killed trial left; undefined if it made none. */
export async function findCopy(
  connection: Connection,
  record: TrialRecord,
  schema: string,
): Promise<PostgresTrial | undefined> {
  const own = quoted(record.id);
  const there = await connection.query("select 1 from pg_namespace where nspname = $1", [record.id]);
  if (there.length === 0) return undefined;
  const copied = await connection.query(`select name, form from ${own}.copied order by number`);
  return trialOf(connection, record, schema, copied);
}

export const setSequences = ({ connection, own }: PostgresTrial) =>
  connection.query(
    `select setval(sql::regclass, last_value, is_called) from ${own}.sequences where to_regclass(sql) is not null`,
  );

export const run = async ({ connection }: PostgresTrial, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await connection.query(statement);
};

export async function numbersOf(
  { connection }: PostgresTrial,
  parts: readonly string[],
): Promise<Record<string, number>[]> {
  if (parts.length === 0) return [];
  const found = await connection.query(parts.join(" union all "));
  return found.map((one) =>
    Object.fromEntries(Object.entries(one).map(([name, value]) => [name, Number(value)])),
  );
}

export async function changedRows(trial: PostgresTrial): Promise<PostgresRows[]> {
  const rows = await trial.rows();
  const found = await numbersOf(
    trial,
    rows.map(({ differs }) => differs),
  );
  return rows.filter(({ number }) => found.some((one) => one.number === number));
}
/** Puts back what is still as the trial left it. @returns what stays */
export async function settle(trial: PostgresTrial, inDelivery: boolean): Promise<string[]> {
  const changed = await changedRows(trial);
  const { own } = trial.record.noted;
  await trial.write(async () => {
    for (const one of changed) await run(trial, one.settle(inDelivery, own[one.table.name] ?? []));
    await setSequences(trial);
  });
  if (changed.length === 0) return [];
  const left = await trial.connection.query(changed.map((one) => one.left).join(" union all "));
  return left.map(({ name, k }) => `${name} ${k}`);
}
