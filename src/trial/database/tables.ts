import { closest } from "../../errors/closest.ts";
import { invalidState, notFound, type SandboxError } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { namesIn } from "../subject/path.ts";
import type { TableShape } from "../subject/rows.ts";
import type { DatabaseVariable, Place } from "./database-variable.ts";
import type { Dialect } from "./dialect.ts";
import type { TrialRecord } from "./record.ts";

/** The tables of a subscriber's database, which its server uses meanwhile. */
export interface Tables {
  /** All rows by table, as JSON values. */
  read(): Promise<unknown>;
  shapes(): Promise<readonly TableShape[]>;
  /**
   * The first call copies the tables; the copy is on disk when it resolves. Later calls restore the copied rows, in one
   * transaction.
   */
  putBack(): Promise<void>;
  /** Records that requests begin, which may change rows. @throws SandboxError as `putBack` */
  begin(): Promise<void>;
  /** Records that the effects of the requests are complete. */
  end(): Promise<void>;
  /** Records the changes so far while requests are in progress, so that they are known after a kill. */
  note(): Promise<void>;
  /** Records that deliveries change these tables. */
  claim(tables: readonly string[]): Promise<void>;
  /** Leaves changes in tables that deliveries are not known to change. */
  release(): Promise<void>;
  /**
   * Learns which tables deliveries change, and which columns differ in each run. Rows that only one of the runs so far has left
   * are another program's. From then on, a row that only one run left is put aside when the tables are restored, until a run
   * leaves it again; before that, changes without a delivery in progress are put aside, too.
   * @returns whether another program has made changes so far, which stay; all tables are then restored
   * @throws SandboxError `invalid_state` if they are in a compared table
   */
  learn(columns: readonly string[]): Promise<boolean>;
  /** Whether this run has left rows that no earlier run has left. */
  hasNew(): Promise<boolean>;
  /** Whether rows are put aside that no further run has left. */
  hasAside(): Promise<boolean>;
  /**
   * Returns put-aside rows to another program, because the schedules did not leave them when played again.
   * @throws SandboxError `invalid_state` for rows in compared tables
   */
  giveBack(): Promise<void>;
  /** Changes by other programs, which stay. */
  readonly others: readonly OtherChange[];
  /**
   * Restores the rows for the last time, and removes the copy.
   * @throws SandboxError `invalid_state` naming the rows not restored, where the copy is and the command that restores it
   */
  close(): Promise<void>;
}

/** Rows that another program changed during the trial. */
export interface OtherChange {
  table: string;
  inserted: number;
  updated: number;
  deleted: number;
}

/** A copy of a database on which a server started by explore works. */
export interface WorkCopy {
  /** The copy as a source for `openTables`, with `copyOf`. */
  source: string;
  record: TrialRecord;
  /**
   * The address of the copy, or its part, for a variable of the server's environment; undefined for one that keeps its value.
   * @param place the proxy, which every Postgres database has in front of it
   */
  valueFor(variable: DatabaseVariable, place?: Place): string | undefined;
  /** Whether the user's database was changed, but not the copy. */
  isBypassed(): Promise<boolean>;
  /**
   * Whether the server is connected to the user's database: with a connection that began after the copy was made, and ends with
   * the server. Where connections cannot be seen, as with SQLite, it is not.
   */
  isConnectedTo(restart: () => Promise<void>): Promise<boolean>;
  /** Records that the server uses the copy. */
  confirm(): void;
  /** Restores the user's database. @throws SandboxError `invalid_state` */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export interface TablesOptions {
  /** The tables to read and restore; by default, all. */
  only?: readonly string[] | undefined;
  /** The user's name for the database, if another one is opened. */
  shown?: string | undefined;
  /** The record of a copy for the server. */
  copyOf?: TrialRecord | undefined;
}

const SQLITE = "sqlite:";
const POSTGRES = /^postgres(?:ql)?:/i;
/** The most rows to read; comparing more would take longer than any exploration. */
export const MOST_ROWS = 50_000;
/** How long another connection may lock a database. */
export const BUSY_MS = 5_000;

/** How many attempts are made to restore rows for the last time. */
export const TRIES = 3;
/** How long a database must stay unchanged after a trial ends during a delivery. */
const QUIET_MS = 100;
const MOST_WAIT_MS = 2_000;

/** Waits until nothing is written any more, because a delivery may be in progress. */
export async function awaitQuiet(isChanged: () => boolean | Promise<boolean>): Promise<void> {
  const began = wallNow();
  for (let since = began; wallNow() - since < QUIET_MS && wallNow() - began < MOST_WAIT_MS; ) {
    await wallSleep(QUIET_MS / 5);
    if (await isChanged()) since = wallNow();
  }
}

export const isPostgres = (source: string): boolean => POSTGRES.test(source);
export const sqliteFile = (source: string): string => source.slice(SQLITE.length);

/** Whether a state source names the tables of a database. */
export const isTables = (state: string): boolean => state.startsWith(SQLITE) || POSTGRES.test(state);

/**
 * Opens a subscriber's database. If an earlier trial of it was killed, its rows are restored first.
 * @param source `sqlite:` and a file, or a `postgres://` URL
 * @throws SandboxError `not_found` for a file or table that does not exist, `bad_request` if it is not a database, `unreachable`
 */
export async function openTables(source: string, options: TablesOptions = {}): Promise<Tables> {
  const { openDatabase } = await import("./trial-tables.ts");
  return openDatabase(await connect(source, options.shown), options);
}

async function connect(source: string, shown?: string): Promise<Dialect> {
  if (isPostgres(source)) return (await import("./postgres/dialect.ts")).connectPostgres(source, shown);
  return (await import("./sqlite/dialect.ts")).connectSqlite(sqliteFile(source), shown);
}

/** Copies a database for a server that explore starts. @throws SandboxError as `openTables` */
export async function workOn(source: string): Promise<WorkCopy> {
  if (isPostgres(source)) return (await import("./postgres/work.ts")).workOnPostgres(source);
  return (await import("./sqlite/work.ts")).workOnSqlite(sqliteFile(source));
}

/**
 * Restores all rows from the copy of an earlier trial, whatever the present rows are.
 * @returns a sentence about the result
 * @throws SandboxError `not_found` without such a copy; as `openTables`
 */
export async function restoreTables(source: string): Promise<string> {
  const { restore } = await import("./recover.ts");
  return restore(await connect(source));
}

/** The command that restores everything from a copy. */
export const restoreCommand = (source: string): string =>
  `npx sandglass explore --restore --state ${shellArgument(withoutPasswords(source))}`;

/** The error for rows that could not be restored at a trial's end. */
export const notPutBack = (shown: string, reason: string, copy: string, source: string): SandboxError =>
  invalidState(
    `The rows of ${shown} were NOT put back: ${reason}. They are as the last schedule left them; the copy of before is ${copy}.`,
    `Let other programs end their transactions. Then the next command that uses the database puts them back, or: ${restoreCommand(source)}`,
  );

const MOST_LISTED = 20;
export const listed = (all: readonly string[]): string =>
  all.slice(0, MOST_LISTED).join(", ") +
  (all.length > MOST_LISTED ? ` and ${all.length - MOST_LISTED} more` : "");

/** A sentence about the rows of a killed trial; undefined if it had changed none. */
export function recovered(
  shown: string,
  changed: readonly string[],
  left: readonly string[],
  copy: string,
  source: string,
): string | undefined {
  if (changed.length === 0) return undefined;
  const done = `An earlier trial of ${shown} was killed. Its rows were put back in ${listed(changed)}`;
  if (left.length === 0) return `${done}.`;
  return `${done}, except those that were changed since: ${listed(left)}. They stay; the copy of before is ${copy}. To put it back as a whole: ${restoreCommand(source)}`;
}

export const tellUser = (message: string): void => void process.stderr.write(`sandglass: ${message}\n`);

export const otherWords = ({ table, inserted, updated, deleted }: OtherChange): string =>
  `${table}: ${Object.entries({ inserted, updated, deleted })
    .flatMap(([what, count]) => (count > 0 ? `${count} ${count === 1 ? "row" : "rows"} ${what}` : []))
    .join(", ")} by another program`;

/** The error for a change that makes every comparison worthless. */
export const otherNeeded = (changes: readonly OtherChange[]): SandboxError =>
  invalidState(
    `Another program changed what is compared: ${changes.map(otherWords).join("; ")}. What it changed stays.`,
    "End the other program, or let Sandglass start your server with --start: then it works on a copy.",
  );

/** @throws SandboxError `not_found` if the user named a table that does not exist */
export function checkTables(database: string, names: readonly string[], only?: readonly string[]): void {
  const wrong = only?.find((name) => !names.includes(name));
  if (wrong !== undefined)
    throw notFound(
      `The database ${database} has no table ${wrong}.`,
      `Did you mean ${closest(wrong, names) ?? names.join(", ")}?`,
    );
}

export const tooManyRows = (database: string, table: string): SandboxError =>
  invalidState(
    `The database ${database} has more than ${MOST_ROWS} rows, many of them in ${table}.`,
    "Explore with a database of few test data, or name the tables that events change in subject.tables of the configuration.",
  );

/** Columns by table, from paths such as `orders.*.updated_at`. */
export function ownColumns(paths: readonly string[]): Record<string, string[]> {
  const own: Record<string, string[]> = {};
  for (const path of paths) {
    const [table, , column] = namesIn(path);
    if (column !== undefined) own[table!] = [...new Set([...(own[table!] ?? []), column])];
  }
  return own;
}
