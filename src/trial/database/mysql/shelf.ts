import { invalidState } from "../../../errors/errors.ts";
import {
  expectTables,
  type Fingerprints,
  isChosen,
  type Noted,
  type RestoreOptions,
  type Shelf,
  unlikeTables,
} from "../dialect.ts";
import { type Copied, expectForms } from "../words.ts";
import { fingerprintsIn, type MysqlTable, tablesIn, writableOf } from "./catalog.ts";
import { type Connection, isDenied, literal, quoted, repeated } from "./client.ts";
import { readSequences, restoreCounters, restoreSequences } from "./counters.ts";
import { releaseLock, takeLock } from "./lock.ts";
import { GRANTED, shelfOf, shelfOfCopy } from "./names.ts";
import { awaitPurge } from "./purge.ts";
import { runAsWritten, type Trigger, triggersIn } from "./triggers.ts";

const EXISTS = 1007;

export interface ShelfOptions {
  database: string;
  /** Whether the database is a copy, which the trial has already locked. */
  isCopy: boolean;
  /** The database that holds the shelf, if it is not the usual one. */
  schema?: { name: string; isOnlyRead: boolean } | undefined;
}

interface CopiedTable extends Copied {
  next: string | null;
}

/** The copy of a database's rows: another database on the same server. */
export function openShelf(
  connection: Connection,
  { database, isCopy, schema }: ShelfOptions,
): Shelf & { release(): Promise<void> } {
  const { query, shown } = connection;
  const name = schema?.name ?? (isCopy ? shelfOfCopy(database) : shelfOf(database));
  const own = quoted(name);
  const place = `the database ${name} next to it`;
  const needsLock = !isCopy && schema === undefined;
  let isLocked = false;

  async function lock(): Promise<boolean> {
    isLocked ||= !needsLock || (await takeLock(connection, name));
    return isLocked;
  }

  async function release(): Promise<void> {
    if (isLocked && needsLock) await releaseLock(connection, name).catch(() => undefined);
    isLocked = false;
  }

  const exists = async () =>
    (await query("select 1 from information_schema.schemata where schema_name = ?", [name])).length > 0;

  /** Undefined if the trial was killed while making the copy. */
  async function note(): Promise<Noted | undefined> {
    const rows = await query(`select note from ${own}.trial`).catch(() => []);
    return rows[0] && JSON.parse(rows[0].note);
  }

  const copied = (): Promise<CopiedTable[]> =>
    query(`select number, name, form, cast(next as char) as next from ${own}.copied`);
  const before = (number: number): string => `${own}.${quoted(`before ${number}`)}`;
  const left = (number: number): string => `${own}.${quoted(`left ${number}`)}`;

  /** Drops tables' triggers after their definitions have been saved to disk. */
  async function turnOff(tables: readonly MysqlTable[]): Promise<void> {
    const all = await triggersIn(connection, database);
    for (const trigger of all.filter(({ table }) => tables.some((one) => one.name === table))) {
      await query(`insert into ${own}.off (trigger_) values (?)`, [JSON.stringify(trigger)]);
      await query(`drop trigger ${quoted(database)}.${quoted(trigger.name)}`);
    }
  }

  /** Recreates the triggers that were dropped, including those dropped by a killed trial. */
  async function turnOn(): Promise<void> {
    const off = await query(`select number, trigger_ from ${own}.off order by number`);
    if (off.length === 0) return;
    const there = await triggersIn(connection, database);
    for (const { number, trigger_ } of off) {
      const trigger: Trigger = JSON.parse(trigger_);
      if (!there.some((one) => one.name === trigger.name)) await runAsWritten(connection, trigger);
      await query(`delete from ${own}.off where number = ?`, [number]);
    }
  }

  async function restoreNow(options: RestoreOptions): Promise<Fingerprints | undefined> {
    await turnOn();
    const tables = (await tablesIn(connection, database)).filter((one) => isChosen(options, one.name));
    const all = await copied();
    expectForms(all, tables, options, { shown, place });
    const { began } = (await note())!;
    const isUnlike = (now: Fingerprints) => {
      const names = unlikeTables(began, now);
      return options.left ? tables : tables.filter((one) => names.includes(one.name));
    };
    const withTriggers = await query(
      "select distinct event_object_table as name from information_schema.triggers where trigger_schema = ?",
      [database],
    );
    const triggered = tables.filter((one) => withTriggers.some((other) => other.name === one.name));
    if (triggered.length > 0) {
      // No setting disables triggers while rows are restored, so they must be dropped.
      const now = await fingerprintsIn(connection, tables);
      expectTables(now, options);
      await turnOff(isUnlike(now).filter((one) => triggered.includes(one)));
    }
    try {
      return await transaction(connection, async () => {
        const now = await fingerprintsIn(connection, tables, "for update");
        expectTables(now, options);
        const changed = isUnlike(now);
        for (const table of changed) await restoreRows(table, all, options);
        return options.expected && { ...now, ...(await fingerprintsIn(connection, changed)) };
      });
    } finally {
      await turnOn();
      await restoreCounters(connection, database, all);
      await restoreSequences(connection, database, await query(`select name, next from ${own}.sequences`));
      await awaitPurge(connection);
    }
  }

  async function restoreRows(table: MysqlTable, all: readonly Copied[], options: RestoreOptions) {
    const number = all.find((one) => one.name === table.name)?.number;
    const columns = writableOf(table);
    if (number !== undefined && options.keep?.includes(table.name))
      await query(
        `delete from ${left(number)}; insert into ${left(number)} (${columns}) select ${columns} from ${table.sql} ${table.inOrder}`,
      );
    await query(`delete from ${table.sql}`);
    // The server created a table that is not in the copy.
    if (number === undefined) return;
    const from = options.left ? left(number) : before(number);
    await query(
      `insert into ${table.sql} (${columns}) select ${columns} from ${from} order by sandglass_number`,
    );
  }

  async function makeNow(): Promise<void> {
    await query(
      `create table ${own}.trial (id int primary key, note longtext) engine = InnoDB character set utf8mb4;
       create table ${own}.copied (number int primary key, name text, form char(32), next bigint unsigned) engine = InnoDB character set utf8mb4;
       create table ${own}.off (number int auto_increment primary key, trigger_ longtext) engine = InnoDB character set utf8mb4;
       create table ${own}.sequences (name varchar(64) primary key, next bigint) engine = InnoDB character set utf8mb4`,
    );
    const tables = await tablesIn(connection, database);
    for (const [number, table] of tables.entries()) {
      const columns = writableOf(table);
      for (const one of [before(number), left(number)])
        await query(
          `create table ${one} (sandglass_number bigint unsigned auto_increment primary key) engine = InnoDB select ${columns} from ${table.sql} limit 0`,
        );
    }
    await transaction(connection, async () => {
      // Rows are locked as they are read, so that the copy is consistent.
      for (const [number, table] of tables.entries()) {
        const columns = writableOf(table);
        await query(
          `insert into ${before(number)} (${columns}) select ${columns} from ${table.sql} ${table.inOrder}`,
        );
        await query(`insert into ${own}.copied values (?, ?, ?, ?)`, [
          ...[number, table.name, table.form, table.next],
        ]);
      }
      for (const sequence of await readSequences(connection, database))
        await query(`insert into ${own}.sequences values (?, ?)`, [sequence.name, sequence.next]);
      const began = await fingerprintsIn(connection, tables);
      const noted: Noted = { began, last: began, busy: [], unsure: [], isUsed: false };
      await query(`insert into ${own}.trial values (1, ?)`, [JSON.stringify(noted)]);
    });
    if (!schema?.isOnlyRead) await rehearse(tables);
  }

  /** Checks whether the rows could be restored. */
  async function rehearse(tables: readonly MysqlTable[]): Promise<void> {
    const triggers = await triggersIn(connection, database);
    for (const [number, table] of tables.entries()) {
      const columns = writableOf(table);
      const parts = [
        `delete from ${table.sql} where false`,
        `insert into ${table.sql} (${columns}) select ${columns} from ${before(number)} where false`,
        ...(table.next === null ? [] : [`alter table ${table.sql} auto_increment = ${table.next}`]),
        // A trigger must be recreated with its definer.
        ...triggers
          .filter((one) => one.table === table.name)
          .flatMap(({ statement }) => {
            const [definer = ""] =
              /\bdefiner\s*=\s*(?:`[^`]*`|'[^']*'|\S+?)(?:@(?:`[^`]*`|'[^']*'|\S+))?/i.exec(statement) ?? [];
            const trial = `${own}.${quoted("rehearsed trigger")}`;
            return [
              `create ${definer} trigger ${trial} before insert on ${before(number)} for each row set @sandglass = 1`,
              `drop trigger ${trial}`,
            ];
          }),
      ];
      for (const part of parts)
        await query(part).catch((error) => {
          throw notRestorable(shown, table.name, error);
        });
    }
  }

  return {
    ...{ place, release },
    async take() {
      if (isLocked) return "taken";
      if (!(await exists())) return "none";
      if (!(await lock())) return "held";
      if (await note()) return "taken";
      // If there is no note, no row has been changed yet.
      await query(`drop database ${own}`);
      await release();
      return "none";
    },
    async make() {
      if (!(await lock())) return false;
      try {
        await query(`create database ${own} character set utf8mb4`);
      } catch (error) {
        await release();
        if ((error as { errno?: number }).errno === EXISTS) return false;
        throw isDenied(error) ? await mayNotCreate(connection, error as Error) : error;
      }
      try {
        await makeNow();
        return true;
      } catch (error) {
        await query(`drop database ${own}`);
        await release();
        throw error;
      }
    },
    noted: async () => (await note())!,
    note: async (change) =>
      void (await query(`update ${own}.trial set note = ?`, [
        JSON.stringify({ ...(await note()), ...change }),
      ])),
    restore: (options = {}) => restoreNow(options),
    async drop() {
      await turnOn();
      await query(`drop database ${own}`);
      await release();
    },
  };
}

/** Runs work in one transaction, without foreign key checks and actions. */
async function transaction<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  await connection.query("set session foreign_key_checks = 0");
  try {
    return await repeated(() => connection.transaction(work));
  } finally {
    await connection.query("set session foreign_key_checks = 1");
  }
}

/** The error if the user may not create a database, with the grant that allows it. */
export async function mayNotCreate({ query, address }: Connection, { message }: Error): Promise<unknown> {
  const [{ user }] = await query("select current_user() as user");
  const [name, host] = String(user).split("@");
  return invalidState(
    `The user ${user} does not have permission to create the database for the backup of ${address.database}: ${message}. Nothing was changed.`,
    `Have an administrator run: grant all privileges on ${GRANTED} to ${literal(name!)}@${literal(host!)}`,
  );
}

const notRestorable = (shown: string, name: string, { message }: Error): unknown =>
  invalidState(
    `The rows of ${name} in ${shown} could not be restored: ${message}. Nothing was changed.`,
    "Connect as a user with the missing permission, such as your test database's owner; or use --start: your server then works on a copy.",
  );
