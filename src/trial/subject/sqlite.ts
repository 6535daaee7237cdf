import { copyFileSync, existsSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type Sqlite from "better-sqlite3";
import { SandboxError } from "../../errors/errors.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { loadSqlite } from "../../world/sqlite.ts";
import { createRecord, notWritten, recordsOf, refuseSecondTrial, type TrialRecord } from "./record.ts";
import { hasSameColumns, quoted, rowsOf, type SqliteRows, tablesOf } from "./sqlite-rows.ts";
import {
  BUSY_MS,
  checkTables,
  listed,
  MOST_ROWS,
  notPutBack,
  type OtherChange,
  otherNeeded,
  ownColumns,
  recovered,
  type Tables,
  type TablesOptions,
  tellUser,
  tooManyRows,
  type WorkCopy,
} from "./tables.ts";

type Cell = string | number | bigint | Buffer | null;
type Row = Record<string, Cell>;

/** In the folder of a record: the copy of a database before the trial, and what is noted during it. */
const COPY = "before.db";
const LEDGER = "ledger.db";
/** What the server works on with --start, and the copy that it is put back from. */
const WORK = "work.db";
const WORK_COPY = "work-before.db";
const WORK_LEDGER = "work-ledger.db";
/** How often it is tried to put rows back for the last time. */
const TRIES = 3;
/** How long the database has to stay as it is once a trial ends in the middle of a delivery. */
const QUIET_MS = 100;
const MOST_WAIT_MS = 2_000;

/** The name of a database in records: one file is one database, however it is named. */
const nameOf = (file: string): string => `sqlite:${realpathSync(file)}`;

/** A connection to a database, its copy and its ledger. */
interface Trial {
  record: TrialRecord;
  rows: SqliteRows[];
  /** Does something at one instant, as the only writer. */
  write<Result>(work: () => Result): Result;
  /** Notes something in the ledger, at one instant of the database. */
  note<Result>(work: () => Result): Result;
  /** The tables that the database has and the copy has not, or with other columns. */
  unlike(): string[];
}

function attach(
  db: Sqlite.Database,
  record: TrialRecord,
  { only, isCopy = false }: { only?: readonly string[] | undefined; isCopy?: boolean } = {},
): Trial {
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
function memo<Value>(db: Sqlite.Database, make: () => Value): () => Value {
  let [version, value]: [unknown, Value | undefined] = [undefined, undefined];
  return () => {
    const next = db.pragma("main.schema_version", { simple: true });
    if (value === undefined || next !== version) [version, value] = [next, make()];
    return value;
  };
}

function openFile(path: string, readonly = false): Sqlite.Database {
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

function named(error: unknown, path: string): unknown {
  if (error instanceof SandboxError) return error;
  const { code = "", message } = error as { code?: string; message: string };
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

/** Copies a database page by page, so that each byte is what it was; what is being written comes whole or not at all. */
async function copyDatabase(db: Sqlite.Database, to: string): Promise<void> {
  try {
    await db.backup(to);
  } catch (error) {
    throw notWritten(to, error);
  }
}

/**
 * Opens a subscriber's SQLite database, which its server may use meanwhile.
 * @throws SandboxError `not_found` for a file or table that is not there, `bad_request` for a file that is no database
 */
export function openSqlite(
  path: string,
  { only, shown = path, copyOf, tell = tellUser }: TablesOptions = {},
): Tables {
  const isCopy = copyOf !== undefined;
  if (!isCopy && existsSync(path)) recoverSqlite(path, shown, tell);
  const db = openFile(path);
  const others = new Map<string, OtherChange>();
  /** Tables that another program changed, as they were before that: they are not compared any more. */
  const frozen = new Map<string, Record<string, unknown>[]>();
  /** Tables that deliveries change; unknown until that was learnt. */
  let touched: Set<string> | undefined;
  let trial: Trial | undefined;
  let version: unknown;
  /** How many requests are under way. */
  let deliveries = 0;
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw named(error, shown);
    }
  };
  try {
    checkTables(
      shown,
      tablesOf(db, "main").map(({ name }) => name),
      only,
    );
  } catch (error) {
    db.close();
    throw named(error, shown);
  }
  const present = memo(db, () => tablesOf(db, "main", only));

  /** All at one instant. */
  const readAll = () => {
    let rows = 0;
    return present()
      .filter(({ isInner }) => !isInner)
      .map(({ name }) => {
        const before = frozen.get(name);
        if (before) return [name, before] as const;
        const all = readTable("main", name);
        rows += all.length;
        if (rows > MOST_ROWS) throw tooManyRows(shown, name);
        return [name, all.map(asJson)] as const;
      });
  };

  const isChanged = (): boolean => {
    const now = db.pragma("main.data_version", { simple: true });
    const changed = now !== version;
    version = now;
    return changed;
  };

  async function copy(): Promise<void> {
    const record = copyOf ?? createRecord(nameOf(path), false);
    try {
      await copyDatabase(db, join(record.folder, isCopy ? WORK_COPY : COPY));
      trial = attach(db, record, { only, isCopy });
    } catch (error) {
      if (!isCopy) record.remove();
      throw named(error, shown);
    }
    isChanged();
  }

  const rowsToJudge = (): SqliteRows[] =>
    isCopy || !trial ? [] : trial.rows.filter(({ table: { name, isInner } }) => !isInner && (touched?.has(name) || !others.has(name)));

  const ownOf = (name: string): string[] => (trial!.record.noted.own[name] ?? []).map(quoted);

  function note({ rows, note: atOneInstant }: Trial): void {
    atOneInstant(() => {
      for (const one of rows) {
        const { name, isInner } = one.table;
        one.note(ownOf(name));
        if (isInner || !touched || touched.has(name) || !one.hasAside() || !one.differs()) continue;
        // A second run has changed the table: so it is deliveries that do.
        touched.add(name);
        one.dropAside();
      }
    });
  }

  const readTable = (schema: "main" | "copy", name: string): Row[] =>
    db
      .prepare<[], Row>(`select * from ${schema}.${quoted(name)}`)
      .safeIntegers()
      .all();

  function add(table: string, { inserted, updated, deleted }: Omit<OtherChange, "table">): void {
    const sum = others.get(table) ?? { table, inserted: 0, updated: 0, deleted: 0 };
    sum.inserted += inserted;
    sum.updated += updated;
    sum.deleted += deleted;
    others.set(table, sum);
  }

  const freeze = (name: string): void => {
    if (!frozen.has(name)) frozen.set(name, readTable("copy", name).map(asJson));
  };

  /**
   * What changed although no delivery was under way is another program's, and stays.
   * @returns whether some of it is compared
   */
  function adoptOthers(): boolean {
    if (!trial || isCopy || deliveries > 0 || touched === undefined || !isChanged()) return false;
    let needed = false;
    for (const one of trial.rows) {
      const found = one.unexpected();
      if (found.inserted + found.updated + found.deleted === 0) continue;
      const { name, isInner } = one.table;
      if (!isInner) freeze(name);
      one.adopt();
      if (isInner) continue;
      add(name, found);
      needed ||= touched.has(name);
    }
    return needed;
  }

  /** @throws SandboxError if another program changed what is compared */
  function withOthers<Result>(as: "write" | "note", work: () => Result): Result {
    const atOneInstant = trial?.[as] ?? ((all: () => [boolean, Result]) => db.transaction(all)());
    const [needed, result] = atOneInstant(() => {
      const areNeeded = adoptOthers();
      return [areNeeded, work()];
    });
    if (needed) refuse();
    return result;
  }

  /** Gives other programs back what was put aside. @throws SandboxError if that, or anything else of theirs, is compared */
  function refuse(): void {
    trial?.write(() => {
      for (const one of rowsToJudge()) {
        const { name } = one.table;
        if (one.hasAside()) {
          freeze(name);
          add(name, one.giveBack());
        }
        // Beside rows of another program, a row that may be its own stays.
        if (others.has(name)) add(name, one.adoptNew());
      }
    });
    const needed = [...others.values()].filter(({ table }) => touched?.has(table));
    if (needed.length > 0) throw otherNeeded(needed);
  }

  function putBack({ rows, unlike }: Trial): void {
    withOthers("write", () => {
      for (const one of rows) {
        const { name, isInner } = one.table;
        one.endRun(!isCopy && !isInner && touched !== undefined);
        // In a table of another program, everything is its own.
        if (others.has(name) && !touched?.has(name)) one.adoptAll();
        else one.restore();
        one.forget();
      }
      if (isCopy) for (const name of unlike()) db.exec(`delete from main.${quoted(name)}`);
      // No other program can have written by now.
      isChanged();
    });
    deliveries = 0;
  }

  /** Waits until nothing is written any more, as a delivery may be under way. */
  async function awaitQuiet(): Promise<void> {
    const began = wallNow();
    for (let since = began; wallNow() - since < QUIET_MS && wallNow() - began < MOST_WAIT_MS; ) {
      await wallSleep(QUIET_MS / 5);
      if (isChanged()) since = wallNow();
    }
  }

  /** Puts back what is still as the trial left it. @returns what stays */
  function settle({ rows, write }: Trial): string[] {
    return write(() =>
      rows.flatMap((one) =>
        one
          .settle(false, [])
          .filter(() => !one.table.isInner)
          .map((key) => `${one.table.name} ${key}`),
      ),
    );
  }

  async function close(): Promise<void> {
    if (!trial) return;
    const { record } = trial;
    if (isCopy) return;
    let reason = "";
    for (let tries = 0; tries < TRIES; tries += 1)
      try {
        if (deliveries > 0) await awaitQuiet();
        if (deliveries > 0) note(trial);
        deliveries = 0;
        const left = settle(trial);
        const missing = trial.unlike();
        if (left.length > 0)
          tell(
            `${shown} has rows that another program changed while explore ended: ${listed(left)}. They stay.`,
          );
        if (missing.length > 0)
          tell(`${shown} has tables that were made or altered meanwhile: ${listed(missing)}. They stay as they are.`);
        return record.remove();
      } catch (error) {
        reason = (error as Error).message;
        if (!isBusy(error)) break;
      }
    // From now on, it counts as one of a killed trial.
    record.note({ pid: 0 });
    throw notPutBack(shown, reason, join(record.folder, COPY), `sqlite:${path}`);
  }

  return {
    read: () => guarded(() => Object.fromEntries(withOthers("note", readAll))),
    putBack: () => (trial ? guarded(() => putBack(trial!)) : copy()),
    begin: () =>
      guarded(() => {
        if (isCopy || !trial) return;
        withOthers("note", () => undefined);
        deliveries += 1;
        trial.record.inDelivery = true;
      }),
    end: () =>
      guarded(() => {
        if (isCopy || !trial) return;
        if (isChanged()) note(trial);
        deliveries = Math.max(0, deliveries - 1);
        if (deliveries === 0) trial.record.inDelivery = false;
      }),
    learn(columns) {
      if (isCopy || !trial) return;
      trial.record.note({ own: ownColumns(columns) });
      touched = new Set([...(touched ?? []), ...changedTables(trial)]);
    },
    hasNew() {
      if (isCopy || touched === undefined) return false;
      return rowsToJudge().some((one) => one.hasNew());
    },
    hasAside: () => rowsToJudge().some((one) => one.hasAside()),
    giveBack: () => guarded(refuse),
    get others() {
      return [...others.values()];
    },
    async close() {
      try {
        await close();
      } finally {
        db.close();
      }
    },
  };
}

const changedTables = ({ rows }: Trial): string[] =>
  rows.flatMap((one) => (!one.table.isInner && one.differs() ? one.table.name : []));

/** Puts back what a killed trial left. */
function recoverSqlite(path: string, shown: string, tell: (message: string) => void): void {
  const records = recordsOf(nameOf(path));
  refuseSecondTrial(shown, records);
  for (const record of records.abandoned) {
    if (record.noted.isSafe || !existsSync(join(record.folder, COPY))) {
      record.remove();
      continue;
    }
    const db = openFile(path);
    try {
      const trial = attach(db, record);
      const {
        inDelivery,
        noted: { own },
      } = record;
      const [left, before] = trial.write(() => {
        const changed = changedTables(trial);
        return [
          trial.rows.flatMap((one) => {
            const keys = one.settle(inDelivery, (own[one.table.name] ?? []).map(quoted));
            return one.table.isInner ? [] : keys.map((key) => `${one.table.name} ${key}`);
          }),
          changed,
        ];
      });
      if (left.length === 0) record.remove();
      else record.note({ isKept: true });
      const words = recovered(shown, before, left, join(record.folder, COPY), `sqlite:${path}`);
      if (words) tell(words);
    } catch (error) {
      throw named(error, shown);
    } finally {
      db.close();
    }
  }
}

/** Puts back all rows that the copy of an earlier trial has. */
export function restoreSqlite(path: string): string {
  const records = existsSync(path) ? recordsOf(nameOf(path)) : { abandoned: [], kept: [], running: undefined };
  refuseSecondTrial(path, records);
  const record = [...records.kept, ...records.abandoned].find(({ folder }) => existsSync(join(folder, COPY)));
  if (!record)
    throw new SandboxError(
      "not_found",
      `There is no copy of ${path} from an earlier trial.`,
      "Explore leaves one only if it could not put all rows back.",
    );
  const db = openFile(path);
  try {
    const trial = attach(db, record);
    const rows = trial.write(() => trial.rows.reduce((sum, one) => sum + one.restoreAll(), 0));
    const unlike = trial.unlike();
    db.close();
    if (unlike.length === 0) record.remove();
    return `${path} has the rows of before again: ${rows} ${rows === 1 ? "was" : "were"} put back.${unlike.length > 0 ? ` These tables were made or altered meanwhile, and stay as they are: ${listed(unlike)}. The copy is ${join(record.folder, COPY)}.` : ""}`;
  } catch (error) {
    if (db.open) db.close();
    throw named(error, path);
  }
}

/** Copies a database for a server that explore starts: the user's own is read, and nothing else. */
export async function workOnSqlite(
  path: string,
  { shown = path, tell = tellUser }: TablesOptions,
): Promise<WorkCopy> {
  const file = resolve(path);
  const isThere = existsSync(file);
  if (isThere) recoverSqlite(path, shown, tell);
  const record = createRecord(isThere ? nameOf(path) : `sqlite:${file}`, true);
  const [before, work] = [join(record.folder, COPY), join(record.folder, WORK)];
  try {
    if (isThere) {
      const db = openFile(path, true);
      await copyDatabase(db, before).finally(() => db.close());
      copyFileSync(before, work);
    } else record.note({ isSafe: true });
  } catch (error) {
    record.remove();
    throw named(error, shown);
  }

  function isChanged(of: string, copy: string): boolean {
    if (!existsSync(of) || !existsSync(copy)) return existsSync(of) !== existsSync(copy);
    const db = openFile(of, true);
    try {
      db.prepare("attach ? as copy").run(copy);
      const [now, then] = [tablesOf(db, "main"), tablesOf(db, "copy")];
      return (
        now.length !== then.length ||
        then.some((table, index) => {
          const present = now.find(({ name }) => name === table.name);
          return !hasSameColumns(table, present) || rowsOf(db, table, index).differs();
        })
      );
    } catch (error) {
      throw named(error, shown);
    } finally {
      db.close();
    }
  }

  return {
    ...{ source: `sqlite:${work}`, record },
    valueFor: (present, name) => addressIn(present, name, work),
    wentRound: async () =>
      isChanged(file, before) && !isChanged(work, join(record.folder, WORK_COPY)),
    confirm: () => record.note({ isSafe: true }),
    async restore() {
      if (!isThere) return;
      const db = openFile(path);
      try {
        const trial = attach(db, record);
        trial.write(() => {
          for (const one of trial.rows) one.restoreAll();
        });
      } catch (error) {
        record.note({ pid: 0, isKept: true });
        throw notPutBack(shown, (error as Error).message, before, `sqlite:${path}`);
      } finally {
        db.close();
      }
      record.note({ isSafe: true });
    },
    async close() {
      if (record.noted.isSafe || !isChanged(file, before)) record.remove();
      else record.note({ pid: 0, isKept: true });
    },
  };
}

/**
 * The address of a file in the form that a variable has now: `file:./shop.db?mode=rw` becomes `file:/…/work.db?mode=rw`.
 * Without a value, DATABASE_URL is a URL as most libraries take it, and another variable is the path.
 */
function addressIn(present: string | undefined, name: string, file: string): string {
  const parts = /^((?:file|sqlite3?|libsql)(?::\/\/\/?(?=[^/]|$)|:))?([^?]*)(\?.*)?$/.exec(present ?? "");
  if (!present) return name === "DATABASE_URL" ? `file:${file}` : file;
  const scheme = parts?.[1] ?? "";
  return `${scheme}${file}${parts?.[3] ?? ""}`;
}

/** A row as JSON holds it: a whole number that a number cannot hold is text, and bytes are base64. */
function asJson(row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (typeof value === "bigint")
        return [column, Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`];
      return [column, Buffer.isBuffer(value) ? value.toString("base64") : value];
    }),
  );
}
