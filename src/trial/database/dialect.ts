import type { Asked } from "../statements/parameters.ts";

export type Row = Readonly<Record<string, unknown>>;
/** The rows of each table, in the order in which they were written, as JSON values. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

/** How rows of a table are identified. */
export interface TableShape {
  /** The table's name; with its schema before a dot, unless that is the schema of unqualified names. */
  name: string;
  /** The columns of the primary key; empty without one. */
  key: readonly string[];
  /**
   * How the database generates keys: as the number after the last one, or by a sequence or a function. Null if each statement has
   * to provide the key.
   */
  draws: "next" | "any" | null;
  /** Foreign keys of a single column that refer to the key of a table. */
  references: readonly { column: string; table: string }[];
  /** The columns of unique indexes with several columns, including those of such a primary key. */
  unique: readonly (readonly string[])[];
}

/** A text for each table, which changes with its columns and its rows. Tables that are not compared have one, too. */
export type Fingerprints = Readonly<Record<string, string>>;

/** The tables in which two fingerprints of a database differ. */
export const unlikeTables = (one: Fingerprints, other: Fingerprints): string[] =>
  Object.keys({ ...one, ...other }).filter((name) => one[name] !== other[name]);

/** A kind of database, on one connection. The other modules of this room work with every kind. */
export interface Dialect {
  /** The database's name for the user, without a password. */
  shown: string;
  /** What `--state` names. */
  source: string;
  /** Runs work after earlier work. @throws SandboxError for errors of the database */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Whether the error means that another connection held a lock. */
  isBusy(error: unknown): boolean;
  /** Whether another connection may have changed anything since the last call. */
  isChanged(): Promise<boolean>;
  shapes(): Promise<readonly TableShape[]>;
  /** The rows of these tables at one instant. @throws SandboxError `invalid_state` for too many */
  readRows(names: readonly string[]): Promise<Rows>;
  fingerprints(): Promise<Fingerprints>;
  lookup: Lookup;
  shelf: Shelf;
  /** Closes the connection, and releases the shelf's lock. */
  end(): Promise<void>;
}

/** A column with which a statement compares a value. */
export interface SoughtColumn {
  table: string;
  column: string;
  value: string;
}

/** A field of a row, which is identified by its primary key. */
export interface Cell {
  table: string;
  column: string;
  row: Row;
}

/** Finds out which rows a statement looks for that met none. The server under test makes no statement meanwhile. */
export interface Lookup {
  /** The columns that a statement compares with these values; empty if that cannot be told. */
  soughtBy(asked: Asked, values: readonly string[]): Promise<readonly SoughtColumn[]>;
  /** The rows of a table in the order in which they were written: no more than the first `MOST_LOOKED_AT`. */
  firstRows(table: string): Promise<readonly Row[]>;
  /**
   * Whether a select would meet a row with other values in place of some; undefined for other statements, which are not run.
   * @param renamed the new values, by those of the statement
   */
  meets(asked: Asked, renamed: ReadonlyMap<string, string>): Promise<boolean | undefined>;
  /** Sets a field. @returns false if a constraint forbids it */
  set(cell: Cell, value: string | null): Promise<boolean>;
}

/** What a trial has noted beside its copy. */
export interface Noted {
  /** The tables as they were copied. */
  began: Fingerprints;
  /** The tables as the trial last saw them. */
  last: Fingerprints;
  /** Tables that other programs change all the time: they are neither compared nor restored. */
  busy: readonly string[];
  /** Tables that one request alone has changed, which may have been another program. Restored ones have `left` rows. */
  unsure: readonly string[];
  /** Whether the server under test was seen to work on this database. */
  isUsed: boolean;
}

/**
 * The copy of a database's rows. It is stored next to the data, so every command that opens the database finds it. See
 * docs/explore-reference.md, "Your rows".
 */
export interface Shelf {
  /** Where it is, for the user. */
  place: string;
  /**
   * Looks for a copy. `held`: another trial works with it. `taken`: its trial has ended without removing it; from now on, this
   * connection holds its lock, which the system releases if this process is killed.
   */
  take(): Promise<"none" | "held" | "taken">;
  /**
   * Copies all tables, and takes the lock. The copy is on disk when it resolves.
   * @returns false if another trial has just made one
   * @throws SandboxError `invalid_state` if the copy could not be restored, with the reason. Nothing is changed then.
   */
  make(): Promise<boolean>;
  noted(): Promise<Noted>;
  /** Changes the note, which is on disk when it resolves. */
  note(change: Partial<Noted>): Promise<void>;
  /**
   * @returns the tables as they are at the end of the transaction, if `expected` says what they were: others' later writes differ
   * @throws OtherRows, and SandboxError `invalid_state` for a table that was altered
   */
  restore(options?: RestoreOptions): Promise<Fingerprints | undefined>;
  drop(): Promise<void>;
}

/**
 * Which tables to restore; by default, all that differ from the copy. That happens in one transaction, without triggers, rules and
 * foreign key actions. Sequences are restored as well, and materialized views refreshed.
 */
export interface RestoreOptions {
  /** What the tables must be like, or else nothing is restored. @see OtherRows */
  expected?: Fingerprints | undefined;
  only?: readonly string[] | undefined;
  except?: readonly string[] | undefined;
  /** Tables whose present rows are stored as `left` rows before they are restored. */
  keep?: readonly string[] | undefined;
  /** Whether the tables get their `left` rows instead of the copied ones. */
  left?: boolean | undefined;
}

/** Tables that are not as the trial left them. */
export class OtherRows extends Error {
  readonly tables: readonly string[];

  constructor(tables: readonly string[]) {
    super(`Tables changed: ${tables.join(", ")}.`);
    this.tables = tables;
  }
}

/** Throws if tables are not as expected, apart from some. */
export function expectTables(now: Fingerprints, { expected, except = [] }: RestoreOptions): void {
  const others = expected ? unlikeTables(expected, now).filter((name) => !except.includes(name)) : [];
  if (others.length > 0) throw new OtherRows(others);
}

/** Whether the options choose a table. */
export const isChosen = ({ only, except }: RestoreOptions, name: string): boolean =>
  (only?.includes(name) ?? true) && !except?.includes(name);

/** Runs work on a new connection, and closes it. */
export async function using<Result>(
  opening: Promise<Dialect> | Dialect,
  work: (dialect: Dialect) => Promise<Result>,
): Promise<Result> {
  const dialect = await opening;
  return dialect.inTurn(() => work(dialect)).finally(dialect.end);
}

/** Returns a function that runs work in sequence, even if nothing awaits the earlier work. @param named maps errors */
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
