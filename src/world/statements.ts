import type Database from "better-sqlite3";
import { meansDiskFull } from "../errors/disk-full.ts";
import type { Home } from "./home.ts";

export type SqlValue = string | number | bigint | null | Uint8Array;

/** A prepared statement that outlives a restore: it is compiled again when the database behind it has changed. */
export interface Statement<Row> {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  run(...values: SqlValue[]): { changes: number; lastInsertRowid: number | bigint };
}

export interface Statements {
  /** A statement, compiled on first use. Equal text returns the same statement. */
  sql<Row = unknown>(text: string): Statement<Row>;
  /**
   * Declares that rows of `table` may be buffered in memory until `flush` writes them. `flush` runs before every statement
   * that mentions the table, before the database is serialized and, for files in a data folder, before each commit.
   */
  writeBehind(table: string, flush: () => void): void;
  /** Writes all buffered rows. */
  flushAll(): void;
}

/**
 * SQLite recompiles a statement whenever a bound value could affect its plan, as in `limit ?`, or in `a = ? order by b`
 * along an index. That takes ten times as long as the query. No plan depends on `+?`.
 */
const steady = (text: string): string => text.replaceAll("?", "+?");

/** Compiles a world's statements. Running one throws SandboxError `world_full` or `disk_full` if there is no room. */
export function createStatements(home: Home): Statements {
  const statements = new Map<string, Statement<unknown>>();
  const behind: { table: string; flush: () => void }[] = [];

  function withRoom<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw meansDiskFull(error) ? home.withoutRoom() : error;
    }
  }

  function prepare<Row>(text: string): Statement<Row> {
    let compiled: Database.Statement | undefined;
    let compiledFor: Database.Database | undefined;
    let flushes: (() => void)[] = [];
    const current = () => {
      const db = home.db();
      if (compiledFor !== db) {
        compiled = db.prepare(steady(text));
        compiledFor = db;
        flushes = behind.filter(({ table }) => text.includes(table)).map(({ flush }) => flush);
      }
      for (const flush of flushes) flush();
      return compiled!;
    };
    return {
      get: (...values) => withRoom(() => current().get(...values) as Row | undefined),
      all: (...values) => withRoom(() => current().all(...values) as Row[]),
      run: (...values) => withRoom(() => current().run(...values)),
    };
  }

  return {
    sql<Row>(text: string) {
      let statement = statements.get(text);
      if (!statement) {
        statement = prepare(text);
        statements.set(text, statement);
      }
      return statement as Statement<Row>;
    },
    writeBehind: (table, flush) => void behind.push({ table, flush }),
    flushAll() {
      for (const { flush } of behind) flush();
    },
  };
}
