import { closest } from "../../errors/closest.ts";
import { SandboxError } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import type { DatabaseStatements } from "../statements/statements.ts";
import type { Dialect } from "./dialect.ts";
import type { TrialRecord } from "./record.ts";
import type { TableShape } from "./rows.ts";

/** The tables of a subscriber's database, which its server uses meanwhile. */
export interface Tables {
  /** All rows, by their tables, as JSON holds them. */
  read(): Promise<unknown>;
  /** The keys of these tables. */
  shapes(): Promise<readonly TableShape[]>;
  /**
   * At the first call, copies the tables; the copy is on disk when it resolves. Later, takes them back to the rows that they
   * had then, in one transaction.
   */
  putBack(): Promise<void>;
  /** Notes that requests go out now, which may change rows. @throws SandboxError as `putBack` */
  begin(): Promise<void>;
  /** Notes that what they caused is done. */
  end(): Promise<void>;
  /** Notes what has changed so far while requests are under way, so that it is known after a kill. */
  note(): Promise<void>;
  /** Notes that deliveries change these tables. */
  claim(tables: readonly string[]): Promise<void>;
  /** Lets stay what came to tables that no delivery is known to change. */
  release(): Promise<void>;
  /**
   * Learns which tables deliveries change, and columns that differ in each run. What only one of the runs so far has left is
   * another program's. From then on, a row that only one run has left is put aside when the tables are put back, until a run
   * leaves it again; before that, so is what came while no delivery was under way.
   * @returns whether another program has changed something so far, which stays; all tables are as before then
   * @throws SandboxError `invalid_state` if that is compared
   */
  learn(columns: readonly string[]): Promise<boolean>;
  /** Whether this run has left rows that none has left before. */
  hasNew(): Promise<boolean>;
  /** Whether rows are put aside that no further run has left. */
  hasAside(): Promise<boolean>;
  /**
   * Gives another program what was put aside, as the schedules were played again without leaving it.
   * @throws SandboxError `invalid_state` for rows in tables that are compared
   */
  giveBack(): Promise<void>;
  /** What other programs changed, which stays. */
  readonly others: readonly OtherChange[];
  /**
   * Puts the rows back for the last time, and removes the copy.
   * @throws SandboxError `invalid_state` naming what could not be put back, where the copy is and what puts it back
   */
  close(): Promise<void>;
}

/** Rows that another program changed meanwhile. */
export interface OtherChange {
  table: string;
  inserted: number;
  updated: number;
  deleted: number;
}

/** A copy of a database, which a server that explore starts works on. */
export interface WorkCopy {
  /** As `openTables` takes it, with `copyOf`. */
  source: string;
  record: TrialRecord;
  /**
   * The address of the copy, or its part, for a variable of the server's environment.
   * @param present what it has now
   * @param statements what stands before the copy
   */
  valueFor(present: string | undefined, name: string, statements?: DatabaseStatements): string;
  /** Whether the user's database was changed, and the copy was not. */
  wentRound(): Promise<boolean>;
  /** Notes that the server uses the copy. */
  confirm(): void;
  /** Puts the user's database back. @throws SandboxError `invalid_state` */
  restore(): Promise<void>;
  /** Removes the copy. */
  close(): Promise<void>;
}

export interface TablesOptions {
  /** The tables to read and put back; all without it. */
  only?: readonly string[] | undefined;
  /** How the user names the database, if that is not what is opened. */
  shown?: string | undefined;
  /** Of a copy for the server: its record. */
  copyOf?: TrialRecord | undefined;
  /** Gets what is said of an earlier trial's rows. */
  tell?: ((message: string) => void) | undefined;
}

/** How `--state` begins for a database in a file. */
const SQLITE = "sqlite:";
const POSTGRES = /^postgres(?:ql)?:/i;
/** How many rows are read; more would be compared for longer than anything is explored. */
export const MOST_ROWS = 50_000;
/** How long another connection may hold a database. */
export const BUSY_MS = 5_000;

/** How often it is tried to put rows back for the last time. */
export const TRIES = 3;
/** How long a database has to stay as it is once a trial ends in the middle of a delivery. */
const QUIET_MS = 100;
const MOST_WAIT_MS = 2_000;

/** Waits until nothing is written any more, as a delivery may be under way. */
export async function awaitQuiet(isChanged: () => boolean | Promise<boolean>): Promise<void> {
  const began = wallNow();
  for (let since = began; wallNow() - since < QUIET_MS && wallNow() - began < MOST_WAIT_MS; ) {
    await wallSleep(QUIET_MS / 5);
    if (await isChanged()) since = wallNow();
  }
}

export const isPostgres = (source: string): boolean => POSTGRES.test(source);
/** The file of a database that is no Postgres. */
export const sqliteFile = (source: string): string => source.slice(SQLITE.length);

/** Whether a state is the tables of a database. */
export const isTables = (state: string): boolean => state.startsWith(SQLITE) || POSTGRES.test(state);

/**
 * Opens a subscriber's database. If a trial of it was killed, its rows are put back first.
 * @param source `sqlite:` and a file, or a `postgres://` URL
 * @throws SandboxError `not_found` for a file or table that is not there, `bad_request` for what is no database, `unreachable`
 */
export async function openTables(source: string, options: TablesOptions = {}): Promise<Tables> {
  const { openDatabase } = await import("./database.ts");
  return openDatabase(await connect(source, options.shown), options);
}

async function connect(source: string, shown?: string): Promise<Dialect> {
  if (isPostgres(source)) return (await import("./postgres.ts")).connectPostgres(source, shown);
  return (await import("./sqlite.ts")).connectSqlite(sqliteFile(source), shown);
}

/** Copies a database for a server that explore starts. @throws SandboxError as `openTables` */
export async function workOn(source: string, options: TablesOptions = {}): Promise<WorkCopy> {
  if (isPostgres(source)) return (await import("./postgres-work.ts")).workOnPostgres(source, options);
  return (await import("./sqlite-work.ts")).workOnSqlite(sqliteFile(source), options);
}

/**
 * Puts back all rows that the copy of an earlier trial has, whatever they are now.
 * @returns what was done, in a sentence
 * @throws SandboxError `not_found` without such a copy; as `openTables`
 */
export async function restoreTables(source: string): Promise<string> {
  const { restore } = await import("./recover.ts");
  return restore(await connect(source));
}

/** The command that puts back all that a copy has. */
export const restoreCommand = (source: string): string =>
  `npx sandglass explore --restore --state ${shellArgument(withoutPasswords(source))}`;

/** Rows that could not be put back when a trial ended. */
export const notPutBack = (shown: string, reason: string, copy: string, source: string): SandboxError =>
  new SandboxError(
    "invalid_state",
    `The rows of ${shown} were NOT put back: ${reason}. They are as the last schedule left them; the copy of before is ${copy}.`,
    `Let other programs end their transactions. Then the next command that uses the database puts them back, or: ${restoreCommand(source)}`,
  );

const MOST_LISTED = 20;
export const listed = (all: readonly string[]): string =>
  all.slice(0, MOST_LISTED).join(", ") +
  (all.length > MOST_LISTED ? ` and ${all.length - MOST_LISTED} more` : "");

/** What became of the rows of a killed trial; undefined if it had changed none. */
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

/** Tells on standard error, where no other place is. */
export const tellUser = (message: string): void => void process.stderr.write(`sandglass: ${message}\n`);

export const otherWords = ({ table, inserted, updated, deleted }: OtherChange): string =>
  `${table}: ${Object.entries({ inserted, updated, deleted })
    .flatMap(([what, count]) => (count > 0 ? `${count} ${count === 1 ? "row" : "rows"} ${what}` : []))
    .join(", ")} by another program`;

/** A change that makes every comparison worthless. */
export const otherNeeded = (changes: readonly OtherChange[]): SandboxError =>
  new SandboxError(
    "invalid_state",
    `Another program changed what is compared: ${changes.map(otherWords).join("; ")}. What it changed stays.`,
    "End the other program, or let Sandglass start your server with --start: then it works on a copy.",
  );

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
    "Explore with a database of few test data, or name the tables that events change in subject.tables of the configuration.",
  );

/** Columns by their tables, from paths such as `orders.*.updated_at`. */
export function ownColumns(paths: readonly string[]): Record<string, string[]> {
  const own: Record<string, string[]> = {};
  for (const path of paths) {
    const [table, column] = path.split(".*.");
    if (column !== undefined) own[table!] = [...(own[table!] ?? []), column];
  }
  return own;
}
