import { invalidState } from "../../../errors/errors.ts";
import { type Copy, NOTINGS } from "../dialect.ts";
import type { TrialRecord } from "../record.ts";
import { type PostgresTable, statementsOf, TABLES } from "./catalog.ts";
import { type Connection, codeOf, databaseIn, literal, quoted } from "./client.ts";

const DEADLOCK = "40P01";

/** Selects the sequences of a schema that give rising numbers to a column; `$1` is its quoted name. */
const DRAWN = `
  select s.seqrelid::regclass::text as numbers, d.refobjid::regclass::text as from, quote_ident(attname) as column
  from pg_sequence s join pg_depend d on d.objid = s.seqrelid and d.deptype in ('a', 'i') and d.refobjsubid > 0
    join pg_class t on t.oid = d.refobjid join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
  where s.seqincrement > 0 and t.relnamespace = $1::regnamespace`;

export const tablesIn = ({ query }: Connection, schema: string): Promise<PostgresTable[]> =>
  query(TABLES, [quoted(schema)]);

/** Creates the tables of a ledger, which an older version's copy may lack. */
const LEDGER = (schema: string): string =>
  NOTINGS.map(
    (kind) => `create unlogged table if not exists ${schema}.noted_${kind} (tbl int, k text, v text)`,
  ).join("; ");

/** @param copied the tables of the copy, by their numbers */
function copyOf(
  connection: Connection,
  record: TrialRecord,
  schema: string,
  copied: readonly Pick<PostgresTable, "name" | "form">[],
): Copy {
  const { query } = connection;
  const own = quoted(record.id);
  const numberOf = (table: PostgresTable): number =>
    copied.findIndex(({ name, form }) => name === table.name && form === table.form);
  const tables = async () =>
    (await tablesIn(connection, schema)).flatMap((table) =>
      numberOf(table) < 0 ? [] : statementsOf(table, own, numberOf(table)),
    );
  return {
    ...{ record, tables },
    noted: (kind) => `${own}.noted_${kind}`,
    unlike: async () =>
      (await tablesIn(connection, schema)).flatMap((table) =>
        numberOf(table) < 0 ? { name: table.name, empty: `delete from ${table.from}` } : [],
      ),
    async run(statements) {
      if (statements.length > 0) await query(statements.join("; "));
    },
    select: (sql) => query(sql),
    async replace({ number }, select) {
      const { table, removal, insertion } = (await tables()).find((one) => one.number === number)!;
      const values = table.columns.map((column) => `(r).${column}`).join(", ");
      const rows = `(select distinct on (k) cast(v as ${table.sql}) as r from (${select}) s) g`;
      await query(`${removal}; ${insertion(`select ${values} from ${rows}`)}`);
    },
    write: (work) => writeTables(connection, work),
    async lock() {
      const all = (await tables()).map(({ table }) => table.from);
      if (all.length > 0) await query(`lock table ${all.join(", ")} in share row exclusive mode`);
    },
    async setNumbers(hasOthers) {
      if (!hasOthers)
        return void (await query(
          `select setval(sql::regclass, last_value, is_called) from ${own}.sequences where to_regclass(sql) is not null`,
        ));
      for (const { numbers, from, column } of await query(DRAWN, [quoted(schema)]))
        await query(
          `select setval($1, max(${column})) from ${from} having max(${column}) > (select last_value from ${numbers})`,
          [numbers],
        );
    },
    drop: async () => void (await query(`drop schema ${own} cascade`)),
    leave: async () => undefined,
  };
}

/** Runs work in one transaction, without triggers and without foreign key actions. */
export async function writeTables<Result>(
  connection: Connection,
  work: () => Promise<Result>,
): Promise<Result> {
  const { query, shown, transaction } = connection;
  try {
    return await transaction("begin", async () => {
      await query("set local session_replication_role = replica").catch((error) => {
        throw mayNot(error, shown);
      });
      return work();
    });
  } catch (error) {
    // A server that works on after its answer may lock tables in another order.
    if (codeOf(error) === DEADLOCK) return writeTables(connection, work);
    throw error;
  }
}

const mayNot = (error: unknown, shown: string): unknown =>
  codeOf(error) === "42501"
    ? invalidState(
        `The user of ${shown} may not put rows back without causing triggers and checks of foreign keys.`,
        "Connect as a superuser of your test database, let one run: grant set on parameter session_replication_role to <user> (Postgres 15 and later), or name a --reset.",
      )
    : error;

/** Copies tables into a schema of the trial. The copy is on disk when it resolves. */
export async function copyTables(
  connection: Connection,
  record: TrialRecord,
  schema: string,
  only?: readonly string[],
): Promise<Copy> {
  const { query, shown, transaction } = connection;
  const own = quoted(record.id);
  const tables = (await tablesIn(connection, schema)).filter(({ name }) => only?.includes(name) ?? true);
  await transaction("begin isolation level repeatable read", async () => {
    await query(
      `create schema ${own}; comment on schema ${own} is 'Rows of before a trial of Sandglass, which its next command puts back and removes';
       ${LEDGER(own)};
       create table ${own}.copied (number int, name text, form text);
       create table ${own}.sequences (sql text, last_value bigint, is_called bool)`,
    ).catch((error) => {
      throw codeOf(error) === "42501"
        ? invalidState(
            `The user of ${shown} may not copy its tables, and without a copy no row is changed.`,
            `Let an owner of the database run: grant create on database ${quoted(databaseIn(shown))} to <user>`,
          )
        : error;
    });
    for (const [number, table] of tables.entries()) {
      await query(statementsOf(table, own, number).copy);
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
  });
  return copyOf(connection, record, schema, tables);
}

/** The copy that a killed trial left; undefined without one. */
export async function findCopy(
  connection: Connection,
  record: TrialRecord,
  schema: string,
): Promise<Copy | undefined> {
  const own = quoted(record.id);
  const there = await connection.query("select 1 from pg_namespace where nspname = $1", [record.id]);
  if (there.length === 0) return undefined;
  await connection.query(LEDGER(own));
  const copied = await connection.query(`select name, form from ${own}.copied order by number`);
  return copyOf(connection, record, schema, copied);
}
