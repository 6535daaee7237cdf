import { formTables, isEmpty } from "./database.ts";
import { createHome, type Replacement } from "./home.ts";
import { createMemory, type Memory } from "./memory.ts";
import { type Staged, stage } from "./staged.ts";
import { createStatements, type SqlValue, type Statement, type Statements } from "./statements.ts";
import { createTransactions } from "./transactions.ts";

export type { SqlValue, Statement };

/** One world's database. Areas never use better-sqlite3 directly. */
export interface Store extends Memory, Omit<Statements, "flushAll"> {
  /** Runs `work` in one transaction, or in the open one. If it throws, everything is rolled back. */
  transaction<T>(work: () => T): T;
  /** Calls the listener after each commit of an outermost transaction. It may begin its own transactions. */
  onCommitted(listener: () => void): void;
  /** Calls the listener within a restore's transaction, after cached rows were dropped. */
  onRestore(listener: () => void): void;
  /** The whole database as bytes, read in one go. */
  serialize(): Buffer;
  /** Like `serialize`, but copying a large database does not block other work, not even writes. */
  copy(): Promise<Buffer>;
  /** Prepares bytes from `serialize` for `restore`, without blocking other work. @throws SandboxError `disk_full` */
  stage(bytes: Buffer): Promise<Staged>;
  /**
   * Replaces the whole database with bytes from `serialize` and runs `work` in it, in one transaction. A kill leaves a file
   * with either the old data, or the new data and the effects of `work`. If this throws, the old data stays.
   */
  restore<T>(staged: Replacement, work: () => T): T;
  /**
   * The database that the last restore replaced, to restore it; undefined if there was none.
   * @throws SandboxError `disk_full`
   */
  replaced(): Promise<Replacement | undefined>;
  /** Sets a copy of the current database as the result of `replaced`. @param copy staged for this store */
  keep(copy: Staged): void;
  /**
   * Marks the current rows of a world without a file, to return to them repeatedly. Unlike a restore, this needs no new
   * database, so compiled statements stay valid. Returning to a mark discards later marks.
   * @returns a function that restores the rows and runs `work` in the same transaction
   */
  mark(): (work: () => void) => void;
  /** Whether there are no tables yet, because the file is new or a kill preceded its first commit. */
  readonly empty: boolean;
  /** Creates the tables of an empty file. Call it in a transaction. */
  form(): void;
  /** Releases the memory of an idle world without a file until its next use. Does nothing in a transaction. */
  rest(): void;
  readonly resting: boolean;
  /** Whether the data is stored in a file that outlives this process. */
  readonly durable: boolean;
  /** Closes the store. Using it afterwards throws SandboxError `invalid_state`. */
  close(): void;
}

export interface StoreOptions {
  /** The file of a world in a data folder. */
  file?: string | undefined;
  /** The content of a new world, staged for its file if it has one. */
  begins?: Staged | undefined;
  /** `create table …` statements of the world and the areas, with their indexes; empty leaves the database unchanged. */
  tables: readonly string[];
}

/**
 * Opens a world's database: in memory, or as a WAL file if `file` is set (a killed process loses nothing that was committed).
 * @throws SandboxError `invalid_state` if another version wrote the file; DamagedData
 */
export function openStore({ file, begins, tables }: StoreOptions): Store {
  const home = createHome(file, begins, tables);
  let depth = 0;
  const { sql, writeBehind, flushAll } = createStatements(home);
  const settled: (() => void)[] = [];
  const restored: (() => void)[] = [];
  const { settle, forgetAll, ...memory } = createMemory(() => depth > 0);
  const transactions = createTransactions(home, sql);

  function transaction<T>(work: () => T): T {
    if (depth > 0) return work();
    transactions.begin();
    depth = 1;
    let committed = false;
    let result: T;
    try {
      result = work();
      if (home.durable) flushAll();
      transactions.commit();
      committed = true;
    } finally {
      depth = 0;
      if (!committed) transactions.rollback();
      settle(committed);
    }
    for (const listener of settled) listener();
    return result;
  }

  function announceRestore(): void {
    forgetAll();
    for (const listener of restored) listener();
  }

  /** Runs the transaction of a restore. */
  const renew = <T>(work: () => T): T =>
    transaction(() => {
      announceRestore();
      return work();
    });

  return {
    ...memory,
    sql,
    transaction,
    writeBehind,
    onCommitted: (listener) => void settled.push(listener),
    onRestore: (listener) => void restored.push(listener),
    serialize() {
      flushAll();
      return home.serialize();
    },
    async copy() {
      flushAll();
      return home.copy();
    },
    stage: (bytes) => stage(bytes, file),
    replaced: home.replaced,
    keep: home.keep,
    restore(staged, work) {
      flushAll();
      transactions.forgetMarks();
      let result: ReturnType<typeof work>;
      try {
        home.replace(staged, () => {
          result = renew(work);
        });
      } catch (error) {
        // The old data is back, but listeners have already read the new data.
        announceRestore();
        throw error;
      }
      return result!;
    },
    mark() {
      flushAll();
      const putBack = transactions.mark();
      return (work) => {
        flushAll();
        putBack();
        renew(work);
      };
    },
    get empty() {
      return isEmpty(home.db());
    },
    form: () => formTables(home.db(), tables),
    rest() {
      if (depth > 0 || home.resting) return;
      flushAll();
      if (!home.db().inTransaction) home.rest();
    },
    get resting() {
      return home.resting;
    },
    durable: home.durable,
    close: home.close,
  };
}
