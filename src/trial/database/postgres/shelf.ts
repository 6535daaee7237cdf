import { invalidState } from "../../../errors/errors.ts";
import { PREFIX } from "../copy-names.ts";
import {
  expectTables,
  type Fingerprints,
  isChosen,
  type Noted,
  type RestoreOptions,
  type Shelf,
  unlikeTables,
} from "../dialect.ts";
import { type Copied, expectForms, listed } from "../words.ts";
import { copyStatements, fingerprintsOf, type PostgresTable, SEQUENCES, TABLES } from "./catalog.ts";
import { type Connection, codeOf, connectTo, databaseIn, literal, quoted } from "./client.ts";
import { missingGrants } from "./rights.ts";

const DEADLOCK = "40P01";
const EXISTS = /^(?:42P06|23505)$/;
/** The id of the advisory lock that a trial holds in its copy's database: the bytes "sand". */
export const LOCK = 0x73616e64;

export const tablesIn = ({ query }: Connection, home: string): Promise<PostgresTable[]> =>
  query(TABLES, [home]);

export async function fingerprintsIn(connection: Connection, home: string): Promise<Fingerprints> {
  const tables = await tablesIn(connection, home);
  const found = tables.length === 0 ? [] : await connection.query(fingerprintsOf(tables));
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

/**
 * Holds a trial's lock in a database, in a transaction that stays open, so it also works behind a connection pooler.
 * @returns a function that releases it; undefined if another connection holds it
 */
export async function takeLock(address: string): Promise<(() => Promise<void>) | undefined> {
  const connection = await connectTo(address);
  await connection.query("begin; set local idle_in_transaction_session_timeout = 0");
  const [{ taken }] = await connection.query(`select pg_try_advisory_xact_lock(${LOCK}) as taken`);
  if (taken) return connection.end;
  await connection.end();
  return undefined;
}

export interface ShelfOptions {
  /** The database URL; undefined for a copy, which the trial has already locked. */
  address: string | undefined;
  /** The default schema. */
  home: string;
  /** The schema that stores the copy. */
  schema?: string | undefined;
}

/** The copy of a Postgres database: a schema in it. */
export function openShelf(
  connection: Connection,
  { address, home, schema = PREFIX }: ShelfOptions,
): Shelf & { release(): Promise<void> } {
  const { query, shown } = connection;
  const own = quoted(schema);
  const place = `the schema ${schema} in it`;
  let unlock: (() => Promise<void>) | undefined;

  async function lock(): Promise<boolean> {
    unlock ??= address === undefined ? async () => undefined : await takeLock(address);
    return unlock !== undefined;
  }

  async function release(): Promise<void> {
    await unlock?.();
    unlock = undefined;
  }

  const noted = async (): Promise<Noted> => (await query(`select note from ${own}.trial`))[0].note;

  async function restoreNow(options: RestoreOptions): Promise<Fingerprints | undefined> {
    const tables = (await tablesIn(connection, home)).filter(({ name }) => isChosen(options, name));
    const real = tables.filter(({ isView }) => !isView);
    if (real.length > 0)
      await query(`lock table ${real.map(({ from }) => from).join(", ")} in share row exclusive mode`);
    const now = await fingerprintsIn(connection, home);
    expectTables(now, options);
    const { began } = await noted();
    const copied: Copied[] = await query(`select number, name, form from ${own}.copied`);
    expectForms(copied, tables, options, { shown, place });
    const differ = unlikeTables(began, now);
    const changed = options.left ? real : real.filter(({ name }) => differ.includes(name));
    await query(changed.flatMap(({ off }) => off).join("; "));
    for (const table of changed) {
      const number = copied.find(({ name }) => name === table.name)?.number;
      const before = copyStatements(table, schema, `before ${number}`);
      const left = copyStatements(table, schema, `left ${number}`);
      if (options.keep?.includes(table.name) && number !== undefined)
        await query(`drop table if exists ${own}.${quoted(`left ${number}`)}; ${left.copy}`);
      // The server created a table that is not in the copy.
      const [empty, fill] = (options.left ? left : before).restore as [string, string];
      await query(number === undefined ? empty : `${empty}; ${fill}`);
    }
    await query(changed.flatMap(({ on }) => on).join("; "));
    for (const { sql } of tables.filter(({ name, isView }) => isView && differ.includes(name)))
      await query(`refresh materialized view ${sql}`);
    await query(
      `select setval(sql::regclass, last_value, is_called) from ${own}.sequences where to_regclass(sql) is not null`,
    );
    return options.expected && fingerprintsIn(connection, home);
  }

  async function makeNow(): Promise<void> {
    await refuseObstacles();
    await query(`create schema ${own}`);
    await query(
      `comment on schema ${own} is 'Rows from the beginning of a trial of Sandglass, which its next command restores and removes';
       create table ${own}.trial (note jsonb);
       create table ${own}.copied (number int, name text, form text);
       create table ${own}.sequences (sql text, last_value bigint, is_called bool)`,
    );
    const tables = (await tablesIn(connection, home)).filter(({ isView }) => !isView);
    for (const [number, table] of tables.entries()) {
      await query(copyStatements(table, schema, `before ${number}`).copy);
      await query(`insert into ${own}.copied values ($1, $2, $3)`, [number, table.name, table.form]);
    }
    for (const { sql } of await query(SEQUENCES))
      await query(`insert into ${own}.sequences select ${literal(sql)}, last_value, is_called from ${sql}`);
    const began = await fingerprintsIn(connection, home);
    const note: Noted = { began, last: began, busy: [], unsure: [], isUsed: false };
    await query(`insert into ${own}.trial values ($1)`, [JSON.stringify(note)]);
    await rehearse(tables);
  }

  /** Rejects databases with objects that restoring would break. */
  async function refuseObstacles(): Promise<void> {
    const [{ publications, triggers }] = await query(
      `select array(select pubname::text from pg_publication where puballtables and current_setting('wal_level') = 'logical') as publications,
         array(select evtname::text from pg_event_trigger where evtenabled in ('A', 'R')) as triggers`,
    );
    if (publications.length > 0)
      throw invalidState(
        `The publication ${listed(publications)} in ${shown} covers all tables, so it would publish the backup of your rows. Nothing was changed.`,
        "Drop the publication in your test database, or use --start: your server then works on a copy.",
      );
    if (triggers.length > 0)
      throw invalidState(
        `The event trigger ${listed(triggers)} in ${shown} always runs, so it would act on the backup of your rows. Nothing was changed.`,
        `Have a superuser run: alter event trigger ${quoted(triggers[0])} enable; or use --start: your server then works on a copy.`,
      );
  }

  /** Checks whether the rows could be restored. */
  async function rehearse(tables: readonly PostgresTable[]): Promise<void> {
    for (const [number, table] of tables.entries()) {
      const { rehearse: parts } = copyStatements(table, schema, `before ${number}`);
      await query([...table.off, ...parts, ...table.on].join("; ")).catch((error) => {
        throw notRestorable(shown, table, error);
      });
    }
    const refused = await query(
      `select sql from ${own}.sequences where not has_sequence_privilege(sql, 'update')`,
    );
    if (refused.length > 0)
      throw notRestorable(shown, { name: refused[0].sql }, new Error("no permission to set it"));
  }

  return {
    ...{ place, release },
    async take() {
      if (unlock) return "taken";
      const there = await query("select 1 from pg_namespace where nspname = $1", [schema]);
      if (there.length === 0) return "none";
      return (await lock()) ? "taken" : "held";
    },
    async make() {
      if (!(await lock())) return false;
      try {
        await writing(connection, makeNow, "begin isolation level repeatable read");
        return true;
      } catch (error) {
        await release();
        if (EXISTS.test(codeOf(error) ?? "")) return false;
        throw codeOf(error) === "42501" ? mayNotCopy(error as Error, shown) : error;
      }
    },
    noted,
    note: async (change) =>
      void (await query(`update ${own}.trial set note = note || $1::jsonb`, [JSON.stringify(change)])),
    restore: (options = {}) => writing(connection, () => restoreNow(options)),
    async drop() {
      await writing(connection, () => query(`drop schema ${own} cascade`));
      await release();
    },
  };
}

/** Runs work in one transaction, without triggers, rules and foreign key actions. */
async function writing<Result>(
  connection: Connection,
  work: () => Promise<Result>,
  begin = "begin",
): Promise<Result> {
  const { query, shown, transaction } = connection;
  let isQuiet = false;
  try {
    return await transaction(begin, async () => {
      await query("set local session_replication_role = replica; set local client_min_messages = warning");
      isQuiet = true;
      return work();
    });
  } catch (error) {
    // A server that keeps working after its response may lock tables in another order.
    if (codeOf(error) === DEADLOCK) return writing(connection, work, begin);
    if (isQuiet || codeOf(error) !== "42501") throw error;
    throw invalidState(
      `The database user of ${shown} does not have permission to restore rows without firing triggers and foreign-key checks. Nothing was changed.`,
      `Have a superuser run: ${await missingGrants(connection)}. Or connect as a superuser of your test database, or specify a --reset.`,
    );
  }
}

const mayNotCopy = ({ message }: Error, shown: string): unknown =>
  invalidState(
    `The database user of ${shown} does not have permission to back up its tables: ${message}. Nothing was changed.`,
    `Have the database's owner run: grant create on database ${quoted(databaseIn(shown))} to <user>`,
  );

const notRestorable = (shown: string, { name }: { name: string }, { message }: Error): unknown =>
  invalidState(
    `The rows of ${name} in ${shown} could not be restored: ${message}. Nothing was changed.`,
    "Connect as a role with the missing permission, such as a superuser of your test database; or use --start: your server then works on a copy.",
  );
