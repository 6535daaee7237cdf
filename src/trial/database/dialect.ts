import type { Asked } from "../statements/parameters.ts";

export type Row = Readonly<Record<string, unknown>>;
/** Each table's rows as JSON values, in the order they were written. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

/** How a table's rows are identified. */
export interface TableShape {
  /** The table's name, qualified with its schema unless that is the default schema. */
  name: string;
  /** The primary key's columns; empty if there is no primary key. */
  key: readonly string[];
  /**
   * How the database generates keys: `next` counts up from the last one, `any` uses a sequence or function. Null if each
   * statement must provide the key.
   */
  draws: "next" | "any" | null;
  /** Single-column foreign keys that refer to a table's key. */
  references: readonly { column: string; table: string }[];
  /** The columns of each multi-column unique index, including a multi-column primary key. */
  unique: readonly (readonly string[])[];
}

/** A fingerprint per table, which changes with its columns and rows. Includes tables that are not compared. */
export type Fingerprints = Readonly<Record<string, string>>;

/** The tables whose fingerprints differ. */
export const unlikeTables = (one: Fingerprints, other: Fingerprints): string[] =>
  Object.keys({ ...one, ...other }).filter((name) => one[name] !== other[name]);

/** A connection to a kind of database. The other modules in this folder work with every kind. */
export interface Dialect {
  /** The database's name for messages, without a password. */
  shown: string;
  /** The value of `--state`. */
  source: string;
  /** Runs work after earlier work has finished. @throws SandboxError for database errors */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Whether an error means that another connection held a lock. */
  isBusy(error: unknown): boolean;
  /** Whether other connections may have changed anything since the last call. */
  isChanged(): Promise<boolean>;
  shapes(): Promise<readonly TableShape[]>;
  /** These tables' rows in a consistent snapshot. @throws SandboxError `invalid_state` if there are too many */
  readRows(names: readonly string[]): Promise<Rows>;
  fingerprints(): Promise<Fingerprints>;
  lookup: Lookup;
  shelf: Shelf;
  /** Closes the connection, and releases the shelf's lock. */
  end(): Promise<void>;
}

/** A column that a statement compares with a value. */
export interface SoughtColumn {
  table: string;
  column: string;
  value: string;
}

/** A field of a row, identified by the row's primary key. */
export interface Cell {
  table: string;
  column: string;
  row: Row;
}

/** Finds out which rows a statement without results was looking for. Use it only while the server makes no statements. */
export interface Lookup {
  /** The columns that a statement compares with these values; empty if that cannot be determined. */
  soughtBy(asked: Asked, values: readonly string[]): Promise<readonly SoughtColumn[]>;
  /** A table's first rows in the order they were written, at most `MOST_LOOKED_AT`. */
  firstRows(table: string): Promise<readonly Row[]>;
  /**
   * Whether a select would find a row if some values were replaced; undefined for other statements, which are not run.
   * @param renamed maps the statement's values to new ones
   */
  meets(asked: Asked, renamed: ReadonlyMap<string, string>): Promise<boolean | undefined>;
  /** Sets a field. @returns false if a constraint forbids it */
  set(cell: Cell, value: string | null): Promise<boolean>;
}

/** The note that a trial stores with its copy. */
export interface Noted {
  /** The tables at the time of copying. */
  began: Fingerprints;
  /** The tables when the trial last saw them. */
  last: Fingerprints;
  /** Tables that other programs keep changing. They are neither compared nor restored. */
  busy: readonly string[];
  /** Tables changed during only one request, possibly by another program. If restored, their changed rows are in `left`. */
  unsure: readonly string[];
  /** Whether the server under test was observed to use this database. */
  isUsed: boolean;
}

/**
 * The copy of a database's rows. It is stored next to the data, so that every command that opens the database finds it.
 * See docs/explore-reference.md, "Your rows".
 */
export interface Shelf {
  /** The copy's location, for messages. */
  place: string;
  /**
   * Looks for a copy. `held`: another trial is using it. `taken`: its trial ended without removing it, and this connection
   * now holds its lock, which the system releases if this process is killed.
   */
  take(): Promise<"none" | "held" | "taken">;
  /**
   * Copies all tables and takes the lock. The copy is on disk when this resolves.
   * @returns false if another trial has just made a copy
   * @throws SandboxError `invalid_state` with the reason if the copy could not be restored. Nothing has been changed then.
   */
  make(): Promise<boolean>;
  noted(): Promise<Noted>;
  /** Changes the note, which is on disk when this resolves. */
  note(change: Partial<Noted>): Promise<void>;
  /**
   * @returns the tables' fingerprints at the end of the transaction, if `expected` is given, to detect later writes by others
   * @throws OtherRows; SandboxError `invalid_state` if a table was altered
   */
  restore(options?: RestoreOptions): Promise<Fingerprints | undefined>;
  drop(): Promise<void>;
}

/**
 * Which tables to restore; by default, all that differ from the copy. This happens in one transaction, without triggers,
 * rules and foreign key actions. Sequences are restored, too, and materialized views refreshed.
 */
export interface RestoreOptions {
  /** The tables' expected fingerprints. If they differ, nothing is restored. @see OtherRows */
  expected?: Fingerprints | undefined;
  only?: readonly string[] | undefined;
  except?: readonly string[] | undefined;
  /** Tables whose current rows are stored as `left` rows before the tables are restored. */
  keep?: readonly string[] | undefined;
  /** Whether to restore the `left` rows instead of the copied ones. */
  left?: boolean | undefined;
}

/** Thrown if tables differ from the rows that the trial left behind. */
export class OtherRows extends Error {
  readonly tables: readonly string[];

  constructor(tables: readonly string[]) {
    super(`Tables changed: ${tables.join(", ")}.`);
    this.tables = tables;
  }
}

/** Throws if any table, apart from the excluded ones, is not as expected. */
export function expectTables(now: Fingerprints, { expected, except = [] }: RestoreOptions): void {
  const others = expected ? unlikeTables(expected, now).filter((name) => !except.includes(name)) : [];
  if (others.length > 0) throw new OtherRows(others);
}

/** Whether the options select a table. */
export const isChosen = ({ only, except }: RestoreOptions, name: string): boolean =>
  (only?.includes(name) ?? true) && !except?.includes(name);

/** Runs work on a new connection and then closes it. */
export async function using<One extends Pick<Dialect, "inTurn" | "end">, Result>(
  opening: Promise<One> | One,
  work: (one: One) => Promise<Result>,
): Promise<Result> {
  const one = await opening;
  return one.inTurn(() => work(one)).finally(one.end);
}

/** A copy's fingerprints; undefined if it is not needed: it is incomplete, or its server was observed to use it. */
export async function beganIn({ shelf }: Dialect): Promise<Fingerprints | undefined> {
  if ((await shelf.take()) !== "taken") return undefined;
  const { began, isUsed } = await shelf.noted();
  return isUsed ? undefined : began;
}

/** Returns a function that runs work in sequence, even if earlier work is not awaited. @param named maps errors */
export function createTurns(named: (error: unknown) => unknown): Dialect["inTurn"] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work).catch((error) => {
      throw named(error);
    });
    last = result.catch(() => undefined);
    return result;
  };
}
