import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import { hintOfOption, SandboxError } from "../errors/errors.ts";
import { createMemory, type Memory } from "./memory.ts";
import { changesOf, type PageChanges, withChanges } from "./page-changes.ts";
import { loadSqlite } from "./sqlite.ts";

/** The only file that sees better-sqlite3, so everything that depends on it is here, however long. */

export type SqlValue = string | number | bigint | null | Uint8Array;

/** A prepared statement that outlives a restore: it is compiled again when the database behind it changed. */
export interface Statement<Row> {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  run(...values: SqlValue[]): { changes: number; lastInsertRowid: number | bigint };
}

/** One world's database. Nothing outside this file sees better-sqlite3. */
export interface Store extends Memory {
  /** Compiled at its first use; the same text gives the same statement. */
  sql<Row = unknown>(text: string): Statement<Row>;
  /** Runs `work` in one transaction; inside another it joins that one. A throw rolls everything back. */
  transaction<T>(work: () => T): T;
  /** Whether a transaction is open. */
  readonly inTransaction: boolean;
  /**
   * Announces that rows of `table` may wait in memory: `flush` writes them. It runs before every statement that
   * names the table, before the database is given as bytes and, where a file stores it, before each commit.
   */
  writeBehind(table: string, flush: () => void): void;
  /** Runs after each commit (`true`) or rollback (`false`) of an outermost transaction. */
  afterTransaction(listener: (committed: boolean) => void): void;
  /** Runs after those, and only after a commit: it may begin transactions of its own. */
  onCommitted(listener: () => void): void;
  /** Runs in the transaction of a restore, once memory has forgotten the old rows. */
  onRestore(listener: () => void): void;
  /** The whole database as bytes. */
  serialize(): Buffer;
  /**
   * Replaces the whole database by `bytes` from `serialize`, and does `work` with it, in one transaction: a kill leaves
   * a file with the old data, or with the new and what `work` made of it.
   */
  restore(bytes: Uint8Array, work?: () => void): void;
  /**
   * Marks the present rows of a store in memory, to be rewound to again and again: unlike a restore, that needs no new
   * database, so compiled statements stay. Rewinding ends the marks that were made after this one.
   * @returns what puts the rows back, and does `work` in the same transaction
   */
  mark(): (work?: () => void) => void;
  /** Whether a file has nothing in it yet: it is new, or a kill came before its first commit. */
  readonly empty: boolean;
  /** Makes the tables of an empty file, with the rows of `bytes` from `serialize`; to be called in a transaction. */
  form(bytes?: Uint8Array): void;
  /**
   * Releases the memory of an idle database: only what differs from the bytes it began with is
   * kept. Its next use brings it back. A file, and a database in a transaction, stay as they are.
   */
  rest(): void;
  readonly resting: boolean;
  /** Whether a file keeps the data beyond this process. */
  readonly durable: boolean;
  /** Using it afterwards throws SandboxError `invalid_state`. */
  close(): void;
}

/** How long a file that another process holds is waited for. */
const LOCK_WAIT_MS = 200;

/**
 * Pieces of work that share a transaction in memory: a commit copies every changed page, and protects nothing there that
 * a savepoint does not. A file has a transaction for each, as what was confirmed must be in it.
 */
const MOST_SHARED = 64;
/**
 * SQLite refuses a database in memory above 1 GiB, and then takes back all that is not committed. From a quarter of it,
 * nothing is shared, so that what was confirmed stays: 64 requests do not fill the rest.
 */
const PAGES_WITH_ROOM = 65_536;

/** Rises with every change of the tables' form; files of another version are refused. */
export const SCHEMA_VERSION = 6;

export interface StoreOptions {
  /** A database file; none keeps everything in memory. One that is empty is given its tables by `form`. */
  file?: string | undefined;
  /** Bytes from `serialize` to begin with, when there is no file. */
  bytes?: Buffer | undefined;
  /** `create table …` statements of the world and the areas. */
  tables: string[];
}

/** Data that no version of Sandglass can go on with: damaged, incomplete, or something else altogether. */
export class DamagedData extends SandboxError {
  constructor(message: string) {
    const hint = (option: string) => `Start with an empty ${option}, or remove the damaged file.`;
    super("invalid_state", message, hintOfOption("--data-dir", "dataDir", hint));
  }
}

/** SQLite's codes for what is wrong with the machine, or with who asks, and not with the data. */
const NOT_THE_DATA = /^SQLITE_(?:BUSY|LOCKED|CANTOPEN|IOERR|READONLY|PERM|AUTH|FULL|NOMEM|INTERRUPT)/;

/** Whether an error says that the data itself cannot be used, so that the next try would meet it again. */
export function isDamage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    error instanceof DamagedData ||
    (typeof code === "string" && code.startsWith("SQLITE_") && !NOT_THE_DATA.test(code))
  );
}

/**
 * SQLite compiles a statement again whenever a value is bound that its plan could depend on, such as that of `limit ?`
 * or of `a = ? order by b` along an index. That takes ten times as long as the query. No plan depends on `+?`.
 */
const steady = (text: string): string => text.replaceAll("?", "+?");

const VERSION = "user_version";
const countTables = (db: Database.Database): number =>
  db.prepare("select count(*) from sqlite_master").pluck().get() as number;

/**
 * Whether a file has a world in it, or anything else. One that a kill left before the first commit has not.
 * @throws SandboxError `invalid_state`
 */
export function holdsData(file: string): boolean {
  if (!existsSync(file)) return false;
  const store = openStore({ file, tables: [] });
  store.close();
  return !store.empty;
}

/**
 * Opens a world's database: in memory, or a WAL file when `file` is given (a killed process loses nothing
 * that was committed).
 * @throws SandboxError `invalid_state` when the file was written by another version; DamagedData
 */
export function openStore({ file, bytes, tables }: StoreOptions): Store {
  let empty = false;
  let db: Database.Database | undefined = open(file ?? bytes ?? ":memory:");
  /** The bytes that the database began with: shared by all that begin with them. */
  let base = bytes ?? Buffer.alloc(0);
  let resting: PageChanges | undefined;
  let generation = 0;
  let depth = 0;
  let closed = false;
  /** How often `mark` was called: once it was, a transaction is open for good. */
  let marks = 0;
  /** Pieces of work in the open transaction of a database in memory, and after how many it is committed. */
  let shared = 0;
  let mostShared = 1;
  const statements = new Map<string, Statement<unknown>>();
  const behind: { table: string; flush: () => void }[] = [];
  const after: ((committed: boolean) => void)[] = [];
  const settled: (() => void)[] = [];
  const restored: (() => void)[] = [];
  const memory = createMemory(() => depth > 0);

  function open(source: string | Buffer): Database.Database {
    const Sqlite = loadSqlite();
    let opened: Database.Database | undefined;
    try {
      opened = new Sqlite(source, { timeout: LOCK_WAIT_MS });
      opened.pragma("locking_mode = EXCLUSIVE");
      const inFile = typeof source === "string" && source !== ":memory:";
      if (inFile) {
        opened.pragma("journal_mode = WAL");
        opened.pragma("synchronous = NORMAL");
      } else {
        // There is no disk to wait for.
        opened.pragma("synchronous = OFF");
      }
      const version = opened.pragma(VERSION, { simple: true }) as number;
      if (version === 0) {
        if (countTables(opened) > 0)
          throw new Error("it is of something else, or its making was interrupted");
        if (inFile) empty = true;
        else formTables(opened);
      } else if (version !== SCHEMA_VERSION) {
        throw new SandboxError(
          "invalid_state",
          `The data was written in form ${version}; this version of Sandglass reads form ${SCHEMA_VERSION}.`,
          hintOfOption(
            "--data-dir",
            "dataDir",
            (option) => `Start with an empty ${option}, or with the version of Sandglass that wrote it.`,
          ),
        );
      }
      return opened;
    } catch (error) {
      opened?.close();
      throw explain(error, typeof source === "string" ? source : "the snapshot");
    }
  }

  function formTables(target: Database.Database): void {
    for (const table of tables) target.exec(table);
    target.pragma(`${VERSION} = ${SCHEMA_VERSION}`);
  }

  function awake(): Database.Database {
    // A request that was under way when the sandbox ended may still ask.
    if (closed) throw closedError();
    if (!db) {
      db = open(withChanges(base, resting!));
      resting = undefined;
      generation += 1;
    }
    return db;
  }

  function prepare<Row>(text: string): Statement<Row> {
    let compiled: Database.Statement | undefined;
    let compiledFor = -1;
    let flushes: (() => void)[] = [];
    const current = () => {
      const open = awake();
      if (!compiled || compiledFor !== generation) {
        compiled = open.prepare(steady(text));
        compiledFor = generation;
        flushes = behind.filter(({ table }) => text.includes(table)).map(({ flush }) => flush);
      }
      for (const flush of flushes) flush();
      return compiled;
    };
    return {
      get: (...values) => current().get(...values) as Row | undefined,
      all: (...values) => current().all(...values) as Row[],
      run: (...values) => current().run(...values),
    };
  }

  function beginWork(): void {
    if (file !== undefined) return void begin.run();
    if (!awake().inTransaction) {
      begin.run();
      shared = 0;
      mostShared = pages.get()!.page_count < PAGES_WITH_ROOM ? MOST_SHARED : 1;
    }
    beginShared.run();
  }

  function commitWork(): void {
    if (file !== undefined) return void commit.run();
    commitShared.run();
    shared += 1;
    if (shared >= mostShared) commitAll();
  }

  function rollBackWork(): void {
    if (file !== undefined) return void rollback.run();
    rollbackShared.run();
    commitShared.run();
  }

  /** Commits what the work in memory shares. */
  function commitAll(): void {
    if (marks === 0 && db?.inTransaction) commit.run();
  }

  const flushAll = () => {
    for (const { flush } of behind) flush();
  };

  const store: Store = {
    remember: memory.remember,
    memo: memory.memo,
    untilRestore: memory.untilRestore,
    durable: file !== undefined,
    get inTransaction() {
      return depth > 0;
    },
    sql<Row>(text: string) {
      let statement = statements.get(text);
      if (!statement) {
        statement = prepare(text);
        statements.set(text, statement);
      }
      return statement as Statement<Row>;
    },
    transaction<T>(work: () => T): T {
      if (depth > 0) return work();
      beginWork();
      depth = 1;
      let committed = false;
      let result: T;
      try {
        result = work();
        if (file !== undefined) flushAll();
        commitWork();
        committed = true;
      } finally {
        depth = 0;
        if (!committed && awake().inTransaction) rollBackWork();
        memory.settle(committed);
        for (const listener of after) listener(committed);
      }
      for (const listener of settled) listener();
      return result;
    },
    writeBehind: (table, flush) => void behind.push({ table, flush }),
    afterTransaction: (listener) => void after.push(listener),
    onCommitted: (listener) => void settled.push(listener),
    onRestore: (listener) => void restored.push(listener),
    serialize() {
      flushAll();
      commitAll();
      return awake().serialize();
    },
    restore(bytes, work) {
      if (closed) throw closedError();
      flushAll();
      const announce = () => {
        memory.forgetAll();
        for (const listener of restored) listener();
      };
      const source = open(asBuffer(bytes));
      if (file === undefined) {
        db?.close();
        db = source;
        marks = 0;
        base = asBuffer(bytes);
        resting = undefined;
        generation += 1;
      }
      try {
        store.transaction(() => {
          if (file !== undefined) copyInto(awake(), source);
          announce();
          work?.();
        });
      } catch (error) {
        // The old data is back, and what the listeners have read is not in it.
        if (!closed) announce();
        throw error;
      } finally {
        if (file !== undefined) source.close();
      }
    },
    mark() {
      flushAll();
      commitAll();
      marks += 1;
      const name = `mark_${marks}`;
      awake().exec(`savepoint ${name}`);
      return (work) => {
        if (closed) throw closedError();
        flushAll();
        // SQLite's record of overwritten pages grows until a savepoint is released, and all that is written with it slows down.
        awake().exec(`rollback to ${name}; release ${name}; savepoint ${name}`);
        store.transaction(() => {
          memory.forgetAll();
          for (const listener of restored) listener();
          work?.();
        });
      };
    },
    get empty() {
      return empty;
    },
    form(bytes) {
      formTables(awake());
      if (bytes) {
        const source = open(asBuffer(bytes));
        try {
          copyInto(awake(), source);
        } finally {
          source.close();
        }
      }
      empty = false;
    },
    rest() {
      if (file !== undefined || depth > 0 || marks > 0 || !db) return;
      commitAll();
      resting = changesOf(base, db.serialize());
      db.close();
      db = undefined;
    },
    get resting() {
      return db === undefined;
    },
    close() {
      closed = true;
      db?.close();
    },
  };
  const begin = store.sql("begin immediate");
  const commit = store.sql("commit");
  const rollback = store.sql("rollback");
  const beginShared = store.sql("savepoint work");
  const commitShared = store.sql("release work");
  const rollbackShared = store.sql("rollback to work");
  const pages = store.sql<{ page_count: number }>("pragma page_count");
  return store;
}

/** The error for using a world that has ended. */
export const closedError = () =>
  new SandboxError("invalid_state", "The sandbox was closed meanwhile.", "Start it again.");

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The error for a database that does not open. */
function explain(error: unknown, source: string): unknown {
  if (error instanceof SandboxError) return error;
  const { message, code = "" } = error as { message: string; code?: string };
  if (code.startsWith("SQLITE_BUSY"))
    return new SandboxError(
      "invalid_state",
      `Another process is using ${source}.`,
      hintOfOption(
        "--data-dir",
        "dataDir",
        (option) => `Stop the other Sandglass, or name another folder with ${option}.`,
      ),
    );
  const what = `Cannot open ${source} as a Sandglass database: ${message}.`;
  if (NOT_THE_DATA.test(code))
    return new SandboxError(
      "invalid_state",
      what,
      "Check that this user may read and write the folder, and that the disk is not full.",
    );
  return new DamagedData(what);
}

/** Replaces the rows of every table; to be called in a transaction of `target`. */
function copyInto(target: Database.Database, source: Database.Database): void {
  const tables = source
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all() as string[];
  for (const table of tables) {
    target.exec(`delete from "${table}"`);
    const rows = source.prepare(`select * from "${table}"`).raw();
    const columns = rows.columns().map((column) => `"${column.name}"`);
    const insert = target.prepare(
      `insert into "${table}" (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
    );
    for (const row of rows.iterate()) insert.run(...(row as SqlValue[]));
  }
}
