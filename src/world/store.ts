import Database from "better-sqlite3";
import { SandboxError } from "../errors.ts";
import { changesOf, type PageChanges, withChanges } from "./page-changes.ts";

export type SqlValue = string | number | bigint | null | Uint8Array;

/** A prepared statement that outlives a restore: it is compiled again when the database behind it changed. */
export interface Statement<Row> {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  run(...values: SqlValue[]): { changes: number; lastInsertRowid: number | bigint };
}

/** One world's database. Nothing outside this file sees better-sqlite3. */
export interface Store {
  /** Compiled at its first use; the same text gives the same statement. */
  sql<Row = unknown>(text: string): Statement<Row>;
  /** Runs `work` in one transaction; inside another it joins that one. A throw rolls everything back. */
  transaction<T>(work: () => T): T;
  /** Whether a transaction is open. */
  readonly inTransaction: boolean;
  /**
   * Announces that rows of `table` may wait in memory: `flush` writes them. It runs before every statement that
   * names the table, and before the database is given as bytes.
   */
  writeBehind(table: string, flush: () => void): void;
  /** Runs before each commit, in the transaction: the place to write what was kept in memory meanwhile. */
  beforeCommit(listener: () => void): void;
  /** Runs before the database is given as bytes: the place to write what only memory knew. */
  beforeSerialize(listener: () => void): void;
  /**
   * Runs after each commit (`true`) or rollback (`false`) of an outermost transaction: the place to settle what
   * memory keeps beside the rows.
   */
  afterTransaction(listener: (committed: boolean) => void): void;
  /** Runs once all of those did, after a commit: it may begin transactions of its own. */
  onCommitted(listener: () => void): void;
  /** Runs after a restore, when everything kept in memory is stale. */
  onRestore(listener: () => void): void;
  /** The whole database as bytes. */
  serialize(): Buffer;
  /** Replaces the whole database by `bytes` from `serialize`. */
  restore(bytes: Uint8Array): void;
  /**
   * Lets go of the memory of a database that nobody uses now: only what differs from the bytes it began with is
   * kept. Its next use brings it back. A file, and a database in a transaction, stay as they are.
   */
  rest(): void;
  readonly resting: boolean;
  /** Whether a file keeps the data beyond this process. */
  readonly durable: boolean;
  /** Whoever uses it afterwards gets SandboxError `invalid_state`. */
  close(): void;
}

/** How long a file that another process holds is waited for. */
const LOCK_WAIT_MS = 200;

/** Rises with every change of the tables' form; files of another version are refused. */
export const SCHEMA_VERSION = 3;

export interface StoreOptions {
  /** A database file; none keeps everything in memory. */
  file?: string | undefined;
  /** Bytes from `serialize` to begin with, when there is no file. */
  bytes?: Buffer | undefined;
  /** `create table …` statements of the world and the areas. */
  tables: string[];
}

/**
 * Opens a world's database: in memory, or a WAL file when `file` is given (a killed process loses nothing
 * that was committed).
 * @throws SandboxError `invalid_state` when the file was written by another version or is not a database
 */
export function openStore({ file, bytes, tables }: StoreOptions): Store {
  let db: Database.Database | undefined = open(file ?? bytes ?? ":memory:");
  /** The bytes that the database began with: shared by all that begin with them. */
  let base = bytes ?? Buffer.alloc(0);
  let resting: PageChanges | undefined;
  let generation = 0;
  let depth = 0;
  let closed = false;
  const statements = new Map<string, Statement<unknown>>();
  const behind: { table: string; flush: () => void }[] = [];
  const before: (() => void)[] = [];
  const serializing: (() => void)[] = [];
  const after: ((committed: boolean) => void)[] = [];
  const settled: (() => void)[] = [];
  const restored: (() => void)[] = [];

  function open(source: string | Buffer): Database.Database {
    try {
      const opened = new Database(source, { timeout: LOCK_WAIT_MS });
      opened.pragma("locking_mode = EXCLUSIVE");
      if (typeof source === "string" && source !== ":memory:") {
        opened.pragma("journal_mode = WAL");
        opened.pragma("synchronous = NORMAL");
      } else {
        // There is no disk to wait for.
        opened.pragma("synchronous = OFF");
      }
      const version = opened.pragma("user_version", { simple: true }) as number;
      if (version === 0) {
        for (const table of tables) opened.exec(table);
        opened.pragma(`user_version = ${SCHEMA_VERSION}`);
      } else if (version !== SCHEMA_VERSION) {
        opened.close();
        throw new SandboxError(
          "invalid_state",
          `The data was written in form ${version}; this version of Sandglass reads form ${SCHEMA_VERSION}.`,
          "Start with an empty --data-dir, or with the version of Sandglass that wrote it.",
        );
      }
      return opened;
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      if ((error as { code?: string }).code?.startsWith("SQLITE_BUSY")) {
        throw new SandboxError(
          "invalid_state",
          `Another process is using ${source}.`,
          "Stop the other Sandglass, or name another folder with --data-dir.",
        );
      }
      const where = typeof source === "string" ? source : "the snapshot";
      throw new SandboxError(
        "invalid_state",
        `Cannot open ${where} as a Sandglass database: ${(error as Error).message}.`,
        "Start with an empty --data-dir, or remove the damaged file.",
      );
    }
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
        compiled = open.prepare(text);
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

  const store: Store = {
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
      begin.run();
      depth = 1;
      let committed = false;
      let result: T;
      try {
        result = work();
        for (const listener of before) listener();
        commit.run();
        committed = true;
      } finally {
        depth = 0;
        if (!committed && awake().inTransaction) rollback.run();
        for (const listener of after) listener(committed);
      }
      for (const listener of settled) listener();
      return result;
    },
    writeBehind: (table, flush) => void behind.push({ table, flush }),
    beforeCommit: (listener) => void before.push(listener),
    beforeSerialize: (listener) => void serializing.push(listener),
    afterTransaction: (listener) => void after.push(listener),
    onCommitted: (listener) => void settled.push(listener),
    onRestore: (listener) => void restored.push(listener),
    serialize() {
      for (const { flush } of behind) flush();
      for (const listener of serializing) listener();
      return awake().serialize();
    },
    restore(bytes) {
      if (closed) throw closedError();
      for (const { flush } of behind) flush();
      const fresh = open(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (file === undefined) {
        db?.close();
        db = fresh;
        base = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        resting = undefined;
      } else {
        copyInto(awake(), fresh);
        fresh.close();
      }
      generation += 1;
      for (const listener of restored) listener();
    },
    rest() {
      if (file !== undefined || depth > 0 || !db) return;
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
  return store;
}

const closedError = () =>
  new SandboxError("invalid_state", "The sandbox was closed meanwhile.", "Start it again.");

/** Replaces the rows of every table in one transaction, so that a kill leaves the old data or the new. */
function copyInto(target: Database.Database, source: Database.Database): void {
  const tables = source
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all() as string[];
  target.transaction(() => {
    for (const table of tables) {
      target.exec(`delete from "${table}"`);
      const rows = source.prepare(`select * from "${table}"`).raw();
      const columns = rows.columns().map((column) => `"${column.name}"`);
      const insert = target.prepare(
        `insert into "${table}" (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
      );
      for (const row of rows.iterate()) insert.run(...(row as SqlValue[]));
    }
  })();
}
