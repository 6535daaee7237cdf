import { existsSync, rmSync } from "node:fs";
import type Sqlite from "better-sqlite3";
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
import { type Copied, expectForms, notCopied } from "../words.ts";
import { copyStatements, fingerprintsIn, formOf, quoted, type SqliteTable, tablesOf } from "./catalog.ts";
import { inTransaction, isBusy } from "./file.ts";

/** The suffix of the file next to a database that stores the database's rows. */
const SUFFIX = ".sandglass";

export interface ShelfOptions {
  /** The database's name for messages. */
  shown: string;
  /** Whether other connections may have changed anything since the last call. */
  isChanged(): boolean;
  /** The copy's file; by default, next to the database's real path. */
  place?: string | undefined;
}

/** A SQLite database's copy. The connection that opens it holds a file lock. */
export function openShelf(
  db: Sqlite.Database,
  { shown, isChanged, place = `${db.name}${SUFFIX}` }: ShelfOptions,
): Shelf {
  const main = ({ name }: SqliteTable) => `main.${quoted(name)}`;
  const rows = (kind: "before" | "left", number: number) => `copy.${quoted(`${kind} ${number}`)}`;
  let isAttached = false;

  function detach(): void {
    if (isAttached) db.exec("detach copy");
    isAttached = false;
  }

  /** Attaches and locks the copy's file. @returns false if another trial holds the lock */
  function attach(): boolean {
    const patience = db.pragma("busy_timeout", { simple: true });
    db.pragma("busy_timeout = 0");
    try {
      db.prepare("attach ? as copy").run(place);
      isAttached = true;
      db.pragma("copy.locking_mode = exclusive");
      db.pragma(`copy.synchronous = ${db.pragma("synchronous", { simple: true })}`);
      // This connection keeps the lock after the transaction.
      db.exec("create table if not exists copy.trial (note text); delete from copy.trial where note is null");
      return true;
    } catch (error) {
      detach();
      if (isBusy(error)) return false;
      throw notCopied(shown, place, (error as Error).message);
    } finally {
      db.pragma(`busy_timeout = ${patience}`);
    }
  }

  function remove(): void {
    detach();
    for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(place + end, { force: true });
  }

  const noted = (): Noted | undefined => {
    const text = db.prepare<[], string>("select note from copy.trial").pluck().get();
    return text === undefined ? undefined : JSON.parse(text);
  };
  const write = (note: Noted): void => {
    db.exec("delete from copy.trial");
    db.prepare("insert into copy.trial values (?)").run(JSON.stringify(note));
  };
  const copied = () => db.prepare("select number, name, form from copy.copied").all() as Copied[];

  function restoreTables(options: RestoreOptions): Fingerprints | undefined {
    const { expected } = options;
    // No other connection can write during the transaction.
    const now = expected && isChanged() ? fingerprintsIn(db) : expected;
    if (now) expectTables(now, options);
    const differ = now && !options.left ? unlikeTables(noted()!.began, now) : undefined;
    const all = copied();
    const tables = tablesOf(db).filter(({ name }) => isChosen(options, name));
    const forms = tables.map((one) => ({ name: one.name, form: formOf(one) }));
    expectForms(all, forms, options, { shown, place });
    for (const table of tables) {
      if (differ?.includes(table.name) === false) continue;
      const number = all.find(({ name }) => name === table.name)?.number;
      if (number === undefined) {
        // The server created this table.
        db.exec(`delete from ${main(table)}`);
        continue;
      }
      if (options.keep?.includes(table.name)) {
        db.exec(`drop table if exists ${rows("left", number)}`);
        for (const sql of copyStatements(table, main(table), rows("left", number)).copy) db.exec(sql);
      }
      for (const sql of copyStatements(table, main(table), rows(options.left ? "left" : "before", number))
        .restore)
        db.exec(sql);
    }
    return now && fingerprintsIn(db);
  }

  return {
    place: `the file ${place}`,
    async take() {
      if (isAttached) return "taken";
      if (!existsSync(place)) return "none";
      if (!attach()) return "held";
      // If there is no note, the trial was killed while copying the rows, and had not changed anything.
      if (noted()) return "taken";
      remove();
      return "none";
    },
    async make() {
      try {
        if (!attach()) return false;
        await inTransaction(db, "immediate", () => {
          const tables = tablesOf(db);
          db.exec("create table copy.copied (number, name, form)");
          const insert = db.prepare("insert into copy.copied values (?, ?, ?)");
          for (const [number, table] of tables.entries()) {
            if (table.key.length === 0) throw withoutRowid(shown, table.name);
            insert.run(number, table.name, formOf(table));
            for (const sql of copyStatements(table, main(table), rows("before", number)).copy) db.exec(sql);
          }
          const began = fingerprintsIn(db);
          write({ began, last: began, busy: [], unsure: [], isUsed: false });
        });
        return true;
      } catch (error) {
        remove();
        throw error;
      }
    },
    noted: async () => noted()!,
    note: (change) => inTransaction(db, "deferred", () => write({ ...noted()!, ...change })),
    restore: (options = {}) => inTransaction(db, "immediate", () => restoreTables(options)),
    drop: async () => remove(),
  };
}

const withoutRowid = (shown: string, table: string) =>
  invalidState(
    `The table ${table} in ${shown} cannot be copied: it has no primary key, and its columns use up every name for the rowid.`,
    "Give it a primary key.",
  );
