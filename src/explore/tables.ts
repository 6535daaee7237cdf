import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Json } from "./state.ts";

/** The tables of a subscriber's database, which its server uses meanwhile. */
export interface Tables {
  /** All rows, by their tables, as JSON holds them. */
  read(): Json;
  /** Takes the tables back to the rows that they had at the first call, in one transaction. */
  putBack(): void | Promise<void>;
  /** Puts them back for the last time. */
  close(): void | Promise<void>;
}

/** How `--state` begins for a database in a file. */
const SQLITE = "sqlite:";
const POSTGRES = /^postgres(?:ql)?:/i;
/** How many rows are read; more would be compared for longer than anything is explored. */
export const MOST_ROWS = 50_000;
/** How long another connection may hold a database. */
export const BUSY_MS = 5_000;

/** Whether a state is the tables of a database. */
export const isTables = (state: string): boolean => state.startsWith(SQLITE) || POSTGRES.test(state);

/**
 * Opens a subscriber's database.
 * @param source `sqlite:` and a file, or a `postgres://` URL
 * @param only the tables to read and put back; all without it
 * @throws SandboxError `not_found` for a file or table that is not there, `bad_request` for what is no database, `unreachable`
 */
export async function openTables(source: string, only?: readonly string[]): Promise<Tables> {
  if (POSTGRES.test(source)) return (await import("./postgres.ts")).openPostgres(source, only);
  return (await import("./sqlite.ts")).openSqlite(source.slice(SQLITE.length), only);
}

/** @throws SandboxError `not_found` if a user's choice has a name that is not there */
export function checkTables(database: string, names: readonly string[], only?: readonly string[]): void {
  const wrong = only?.find((name) => !names.includes(name));
  if (wrong !== undefined)
    throw new SandboxError(
      "not_found",
      `The database ${database} has no table ${wrong}.`,
      `Did you mean ${closest(wrong, names) ?? names.join(", ")}?`,
    );
}

export const tooManyRows = (database: string, table: string): SandboxError =>
  new SandboxError(
    "invalid_state",
    `The database ${database} has more than ${MOST_ROWS} rows, many of them in ${table}.`,
    "Explore with a database of few test data, or name the tables that events change with --tables.",
  );
