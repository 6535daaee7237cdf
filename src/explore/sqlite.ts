import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import type Sqlite from "better-sqlite3";
import { SandboxError } from "../errors/errors.ts";
import { loadSqlite } from "../world/sqlite.ts";
import type { Json } from "./state.ts";
import { BUSY_MS, checkTables, MOST_ROWS, type Tables, tooManyRows } from "./tables.ts";

type Cell = string | number | bigint | Buffer | null;
type Row = Record<string, Cell>;

interface Table {
  name: string;
  /** The columns that can be written: a generated one follows from others. */
  columns: string[];
  /** What happens at a change of the table; putting rows back must not cause it. */
  triggers: { name: string; sql: string }[];
  /** A part of a virtual table or of SQLite itself: it is put back, and its rows say nothing to a person. */
  isInner: boolean;
}

/**
 * Opens a subscriber's SQLite database, which its server may use meanwhile.
 * @param only the tables to read and put back; all without it
 * @throws SandboxError `not_found` for a file or table that is not there, `bad_request` for a file that is no database
 */
export function openSqlite(path: string, only?: readonly string[]): Tables {
  const file = resolve(path);
  if (!existsSync(file))
    throw new SandboxError(
      "not_found",
      `There is no database ${relative("", file)}.`,
      "Start your server first, so that it makes its tables, or correct the path after sqlite:.",
    );
  const db = new (loadSqlite())(file, { timeout: BUSY_MS });
  let kept: Map<string, Row[]> | undefined;
  try {
    // Without it, SQLite refuses to write the tables behind a full-text index.
    db.unsafeMode();
    db.pragma("foreign_keys = off");
    checkTables(
      path,
      tablesOf(db).map(({ name }) => name),
      only,
    );
  } catch (error) {
    db.close();
    throw named(error);
  }

  const rowsOf = ({ name }: Table): Row[] =>
    db
      .prepare<[], Row>(`select * from ${quoted(name)}`)
      .safeIntegers()
      .all();

  /** All at one instant. */
  const readAll = db.transaction((isShown: (table: Table) => boolean) => {
    let rows = 0;
    return tablesOf(db, only)
      .filter(isShown)
      .map((table) => {
        const all = rowsOf(table);
        rows += all.length;
        if (rows > MOST_ROWS) throw tooManyRows(path, table.name);
        return [table, all] as const;
      });
  });

  const putBack = db.transaction((before: Map<string, Row[]>) => {
    for (const table of tablesOf(db, only)) {
      const rows = before.get(table.name) ?? [];
      if (isSame(rows, rowsOf(table))) continue;
      for (const { name } of table.triggers) db.exec(`drop trigger ${quoted(name)}`);
      db.exec(`delete from ${quoted(table.name)}`);
      const columns = table.columns.map(quoted).join(", ");
      const insert = db.prepare(
        `insert into ${quoted(table.name)} (${columns}) values (${table.columns.map(() => "?").join(", ")})`,
      );
      for (const row of rows) insert.run(table.columns.map((column) => row[column]));
      for (const { sql } of table.triggers) db.exec(sql);
    }
  });

  function named(error: unknown): unknown {
    if (error instanceof SandboxError) return error;
    const { code = "", message } = error as { code?: string; message: string };
    const isBusy = code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
    return new SandboxError(
      isBusy ? "invalid_state" : "bad_request",
      `The database ${path} cannot be used: ${message}.`,
      isBusy
        ? `Another program held it for ${BUSY_MS / 1000} s: let your server end its transactions.`
        : "Name the SQLite file of your server, which it may use meanwhile: --state sqlite:shop.db",
    );
  }

  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw named(error);
    }
  };

  return {
    read: () =>
      guarded(() =>
        Object.fromEntries(
          readAll(({ isInner }) => !isInner).map(([{ name }, rows]) => [name, rows.map(asJson)]),
        ),
      ),
    putBack: () =>
      guarded(() => {
        if (kept) putBack.immediate(kept);
        else kept = new Map(readAll(() => true).map(([{ name }, rows]) => [name, rows]));
      }),
    close() {
      try {
        if (kept) putBack.immediate(kept);
      } catch {
        // The server holds it, or has removed its tables: they stay as they are.
      } finally {
        db.close();
      }
    },
  };
}

/** @param only those of a user's choice; what belongs to SQLite itself comes with them */
function tablesOf(db: Sqlite.Database, only?: readonly string[]): Table[] {
  const tables = db
    .prepare<[], { name: string; type: string }>(
      "select name, type from pragma_table_list where schema = 'main' and type in ('table', 'shadow') and name not like 'sqlite\\_%' escape '\\'",
    )
    .all();
  const counters = db.prepare("select 1 from sqlite_schema where name = 'sqlite_sequence'").get();
  const all = [...tables, ...(counters ? [{ name: "sqlite_sequence", type: "shadow" }] : [])];
  return all
    .filter(({ name, type }) => only === undefined || type === "shadow" || only.includes(name))
    .map(({ name, type }) => ({
      name,
      isInner: type === "shadow",
      columns: db
        .prepare<[string], { name: string }>("select name from pragma_table_xinfo(?) where hidden = 0")
        .all(name)
        .map((column) => column.name),
      triggers: db
        .prepare<[string], { name: string; sql: string }>(
          "select name, sql from sqlite_schema where type = 'trigger' and tbl_name = ? collate nocase",
        )
        .all(name),
    }));
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const isSame = (one: readonly Row[], other: readonly Row[]): boolean =>
  one.length === other.length && textOf(one) === textOf(other);

const textOf = (rows: readonly Row[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? `${value}n` : value));

/** A row as JSON holds it: a whole number that a number cannot hold is text, and bytes are base64. */
function asJson(row: Row): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (typeof value === "bigint")
        return [column, Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`];
      return [column, Buffer.isBuffer(value) ? value.toString("base64") : value];
    }),
  );
}
