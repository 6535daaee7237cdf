import { existsSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type Sqlite from "better-sqlite3";
import { invalidState, notFound, SandboxError } from "../../../errors/errors.ts";
import { loadSqlite } from "../../../world/sqlite.ts";
import {
  type Copy,
  createTurns,
  type Dialect,
  NOTINGS,
  type Noting,
  type QueryRow,
  type Readable,
} from "../dialect.ts";
import { notWritten, type TrialRecord } from "../record.ts";
import { BUSY_MS, MOST_ROWS, tooManyRows } from "../tables.ts";
import {
  fingerprintsIn,
  hasSameColumns,
  quoted,
  shapesIn,
  statementsOf,
  tablesOf,
  withoutTriggers,
} from "./catalog.ts";

/** Files in a record's folder: the copy of a database before the trial, and the trial's ledger. */
export const COPY = "before.db";
const LEDGER = "ledger.db";
/** The database that a server works on with --start, and the copy that restores it. */
export const WORK = "work.db";
const WORK_COPY = "work-before.db";
/** The name of a database in records: the same for one file, whatever its path looks like. */
export const nameOf = (file: string): string =>
  `sqlite:${existsSync(file) ? realpathSync(file) : resolve(file)}`;

export function attach(
  db: Sqlite.Database,
  record: TrialRecord,
  { only, isWork = false }: { only?: readonly string[] | undefined; isWork?: boolean } = {},
): Copy {
  db.prepare("attach ? as copy").run(join(record.folder, isWork ? WORK_COPY : COPY));
  db.prepare("attach ? as ledger").run(isWork ? ":memory:" : join(record.folder, LEDGER));
  // Committed writes survive a kill of this process, which is enough for the ledger.
  db.pragma("ledger.journal_mode = wal");
  db.pragma("ledger.synchronous = off");
  db.pragma("temp_store = memory");
  const noted = (kind: Noting) => `ledger.noted_${kind}`;
  for (const kind of NOTINGS)
    db.exec(`create table if not exists ${noted(kind)} (tbl, k, v);
      create index if not exists ${noted(kind)}_rows on noted_${kind} (tbl, k)`);
  const copied = tablesOf(db, "copy", only).sort((one, other) => (one.name < other.name ? -1 : 1));
  const present = memo(db, () => tablesOf(db, "main", only));
  const tables = memo(db, () =>
    copied.flatMap((table, number) => {
      const now = present().find(({ name }) => name === table.name);
      return hasSameColumns(table, now) ? statementsOf(now!, table, number, noted("keys")) : [];
    }),
  );
  const prepared = new Map<string, Sqlite.Statement>();
  const prepare = (sql: string): Sqlite.Statement => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  async function leave(): Promise<void> {
    prepared.clear();
    db.exec("detach copy; detach ledger");
  }
  return {
    ...{ record, noted },
    tables: async () => tables(),
    unlike: async () =>
      present().flatMap((table) =>
        copied.some((one) => hasSameColumns(one, table))
          ? []
          : { name: table.name, empty: `delete from main.${quoted(table.name)}` },
      ),
    async run(statements) {
      for (const sql of statements)
        if (/^(?:insert|delete)/.test(sql)) prepare(sql).run();
        else db.exec(sql);
    },
    select: async (sql) => prepare(sql).all() as QueryRow[],
    async replace({ number }, select) {
      const { table, removal } = tables().find((one) => one.number === number)!;
      const into = `insert or replace into main.${quoted(table.name)} (${table.columns.join(", ")})`;
      const insertions = prepare(select)
        .all()
        .map((row) => `${into} values (${JSON.parse((row as QueryRow).v).join(", ")})`);
      for (const sql of withoutTriggers(table.triggers, "main", [removal, ...insertions])) db.exec(sql);
    },
    write: (work) => inTransaction(db, "immediate", work),
    // A transaction that begins immediately already excludes other writers.
    lock: async () => undefined,
    // SQLite's counters are stored in a table.
    setNumbers: async () => undefined,
    drop: leave,
    leave,
  };
}

async function inTransaction<Result>(
  db: Sqlite.Database,
  kind: "immediate" | "deferred",
  work: () => Promise<Result>,
): Promise<Result> {
  db.exec(`begin ${kind}`);
  try {
    const result = await work();
    db.exec("commit");
    return result;
  } catch (error) {
    if (db.inTransaction) db.exec("rollback");
    throw error;
  }
}

/** Caches a value that changes only with the schema. */
function memo<Value>(db: Sqlite.Database, make: () => Value): () => Value {
  let [version, value]: [unknown, Value | undefined] = [undefined, undefined];
  return () => {
    const next = db.pragma("main.schema_version", { simple: true });
    if (value === undefined || next !== version) [version, value] = [next, make()];
    return value;
  };
}

/** @param shown the path for the user, if the opened file is a copy */
export function openFile(path: string, { readonly = false, shown = path } = {}): Sqlite.Database {
  const file = resolve(path);
  if (!existsSync(file))
    throw notFound(
      `There is no database ${relative("", resolve(shown))}.`,
      shown === path
        ? "Start your server first, so that it makes its tables, or correct the path after sqlite:."
        : "The server had not made it when it accepted connections. Let it make its tables when it starts, not at its first request; or make them yourself first. Or correct the path after sqlite:.",
    );
  const db = new (loadSqlite())(file, { timeout: BUSY_MS, readonly });
  try {
    // Otherwise, SQLite refuses to write the tables behind a full-text index.
    db.unsafeMode();
    db.pragma("foreign_keys = off");
    // Old rows may violate newer checks.
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
    return invalidState(
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

const isBusy = (error: unknown): boolean =>
  /^SQLITE_(?:BUSY|LOCKED)/.test((error as { code?: string }).code ?? "");

/** Copies a database page by page, so that it is byte for byte equal; concurrent transactions are copied whole or not at all. */
export async function copyDatabase(db: Sqlite.Database, to: string): Promise<void> {
  try {
    await db.backup(to);
  } catch (error) {
    throw notWritten(to, error);
  }
}

type Cell = string | number | bigint | Buffer | null;
type Row = Record<string, Cell>;

/**
 * Connects to a SQLite database, which its server may use meanwhile.
 * @throws SandboxError `not_found` for a file that does not exist, `bad_request` for a file that is not a database
 */
export function connectSqlite(path: string, shown = path): Dialect {
  const db = openFile(path, { shown });
  let version: unknown;
  const placeOf: Dialect["placeOf"] = ({ folder }) => join(folder, COPY);

  const isChanged = async (): Promise<boolean> => {
    const now = db.pragma("main.data_version", { simple: true });
    const changed = now !== version;
    version = now;
    return changed;
  };
  const tables = memo(db, () =>
    tablesOf(db, "main").flatMap(({ name, isInner }): Readable[] =>
      isInner ? [] : [{ name, from: `main.${quoted(name)}` }],
    ),
  );

  return {
    ...{ shown, name: nameOf(path), source: `sqlite:${path}`, isBusy, isChanged, placeOf },
    inTurn: createTurns((error) => named(error, shown)),
    end: async () => void db.close(),
    tables: async () => tables(),
    readRows: async (chosen) => readRows(db, chosen, shown),
    shapes: async (names) => shapesIn(db, names),
    observe: (work) => inTransaction(db, "deferred", async () => work(await isChanged())),
    async copy(record, only, isWork) {
      // The server's copy ends with the trial, so its rows need not survive a power failure.
      if (isWork) db.pragma("synchronous = off");
      await copyDatabase(db, join(record.folder, isWork ? WORK_COPY : COPY));
      return attach(db, record, { only, isWork });
    },
    findCopy: async (record) => (existsSync(placeOf(record)) ? attach(db, record) : undefined),
    notCopied: async () => undefined,
    fingerprints: async () => fingerprintsIn(db),
  };
}

function readRows(db: Sqlite.Database, tables: readonly Readable[], shown: string) {
  let count = 0;
  const read = ({ name, from }: Readable): [string, Record<string, unknown>[]] => {
    const rows = db.prepare<[], Row>(`select * from ${from}`).safeIntegers().all();
    count += rows.length;
    if (count > MOST_ROWS) throw tooManyRows(shown, name);
    return [name, rows.map(asJson)];
  };
  return db.transaction(() => tables.map(read))();
}

/** A row as JSON values: whole numbers too large for JavaScript are texts, and bytes are base64. */
function asJson(row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (typeof value === "bigint")
        return [column, Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`];
      return [column, Buffer.isBuffer(value) ? value.toString("base64") : value];
    }),
  );
}
