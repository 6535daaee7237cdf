import { existsSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type Sqlite from "better-sqlite3";
import { SandboxError } from "../../errors/errors.ts";
import { loadSqlite } from "../../world/sqlite.ts";
import { notWritten, type TrialRecord } from "./record.ts";
import { hasSameColumns, rowsOf, type SqliteRows, tablesOf } from "./sqlite-rows.ts";
import { BUSY_MS } from "./tables.ts";

/** In the folder of a record: the copy of a database before the trial, and what is noted during it. */
export const COPY = "before.db";
export const LEDGER = "ledger.db";
/** What the server works on with --start, and the copy that it is put back from. */
export const WORK = "work.db";
export const WORK_COPY = "work-before.db";
export const WORK_LEDGER = "work-ledger.db";
/** The name of a database in records: one file is one database, however it is named. */
export const nameOf = (file: string): string => `sqlite:${realpathSync(file)}`;

/** A connection to a database, its copy and its ledger. */
export interface SqliteTrial {
  record: TrialRecord;
  rows: SqliteRows[];
  /** Does something at one instant, as the only writer. */
  write<Result>(work: () => Result): Result;
  /** Notes something in the ledger, at one instant of the database. */
  note<Result>(work: () => Result): Result;
  /** The tables that the database has and the copy has not, or with other columns. */
  unlike(): string[];
}

export function attach(
  db: Sqlite.Database,
  record: TrialRecord,
  { only, isCopy = false }: { only?: readonly string[] | undefined; isCopy?: boolean } = {},
): SqliteTrial {
  db.prepare("attach ? as copy").run(join(record.folder, isCopy ? WORK_COPY : COPY));
  db.prepare("attach ? as ledger").run(join(record.folder, isCopy ? WORK_LEDGER : LEDGER));
  // What is written survives a kill of this process, which is what the ledger is for.
  db.pragma("ledger.journal_mode = wal");
  db.pragma("ledger.synchronous = off");
  db.pragma("temp_store = memory");
  const before = tablesOf(db, "copy", only).sort((one, other) => (one.name < other.name ? -1 : 1));
  const rows = before.map((table, index) => rowsOf(db, table, index));
  for (const one of rows) one.prepare();
  const now = memo(db, () => tablesOf(db, "main", only));
  const isThere = ({ table }: SqliteRows): boolean => {
    const present = now().find(({ name }) => name === table.name);
    if (present === undefined || !hasSameColumns(table, present)) return false;
    table.triggers = present.triggers;
    return true;
  };
  return {
    record,
    get rows() {
      return rows.filter(isThere);
    },
    write: (work) => db.transaction(work).immediate(),
    note: (work) => db.transaction(work).deferred(),
    unlike: () =>
      now().flatMap((table) => (before.some((one) => hasSameColumns(one, table)) ? [] : table.name)),
  };
}

/** A value that changes with the schema alone. */
export function memo<Value>(db: Sqlite.Database, make: () => Value): () => Value {
  let [version, value]: [unknown, Value | undefined] = [undefined, undefined];
  return () => {
    const next = db.pragma("main.schema_version", { simple: true });
    if (value === undefined || next !== version) [version, value] = [next, make()];
    return value;
  };
}

export function openFile(path: string, readonly = false): Sqlite.Database {
  const file = resolve(path);
  if (!existsSync(file))
    throw new SandboxError(
      "not_found",
      `There is no database ${relative("", file)}.`,
      "Start your server first, so that it makes its tables, or correct the path after sqlite:.",
    );
  const db = new (loadSqlite())(file, { timeout: BUSY_MS, readonly });
  try {
    // Without it, SQLite refuses to write the tables behind a full-text index.
    db.unsafeMode();
    db.pragma("foreign_keys = off");
    // Rows of before may be older than a check.
    db.pragma("ignore_check_constraints = on");
    db.pragma("schema_version");
    return db;
  } catch (error) {
    db.close();
    throw named(error, path);
  }
}

export function named(error: unknown, path: string): unknown {
  if (error instanceof SandboxError) return error;
  const { code = "", message } = error as { code?: string; message: string };
  if (code === "SQLITE_FULL")
    return new SandboxError(
      "invalid_state",
      `The database ${path} or the copy of it cannot be written: ${message}.`,
      "Make room on the disk of the database, and on that of the copies, which is in XDG_STATE_HOME.",
    );
  return new SandboxError(
    isBusy(error) ? "invalid_state" : "bad_request",
    `The database ${path} cannot be used: ${message}.`,
    isBusy(error)
      ? `Another program held it for ${BUSY_MS / 1000} s: let your server end its transactions.`
      : code.startsWith("SQLITE_CONSTRAINT")
        ? "Another program has rows where those of before belong."
        : "Name the SQLite file of your server, which it may use meanwhile: --state sqlite:shop.db",
  );
}

export const isBusy = (error: unknown): boolean =>
  /^SQLITE_(?:BUSY|LOCKED)/.test((error as { code?: string }).code ?? "");

/** Copies a database page by page, so that each byte is what it was; what is being written comes whole or not at all. */
export async function copyDatabase(db: Sqlite.Database, to: string): Promise<void> {
  try {
    await db.backup(to);
  } catch (error) {
    throw notWritten(to, error);
  }
}
export const changedTables = ({ rows }: SqliteTrial): string[] =>
  rows.flatMap((one) => (!one.table.isInner && one.differs() ? one.table.name : []));
