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
  /** A statement, compiled at its first use; the same text gives the same statement. */
  sql<Row = unknown>(text: string): Statement<Row>;
  /**
   * Announces that rows of `table` may wait in memory until `flush` writes them. It runs before every statement that names the
   * table, before the database is serialized and, in a file of a data folder, before each commit.
   */
  writeBehind(table: string, flush: () => void): void;
  /** Writes all rows that wait in memory. */
  flushAll(): void;
}

/**
 * SQLite compiles a statement again whenever a value is bound that its plan could depend on, such as that of `limit ?`
 * or of `a = ? order by b` along an index. That takes ten times as long as the query. No plan depends on `+?`.
 */
const steady = (text: string): string => text.replaceAll("?", "+?");

/** Compiles the statements of a world. Each throws SandboxError `world_full` or `disk_full` if there is no room. */
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
