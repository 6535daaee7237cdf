import type { TableShape } from "../subject/rows.ts";
import type { Fingerprints, TrialRecord } from "./record.ts";

// biome-ignore lint/suspicious/noExplicitAny: rows are as their queries say
export type QueryRow = Record<string, any>;

/** A table with readable rows: its name, and the SQL source of its rows. */
export interface Readable {
  name: string;
  from: string;
}

/** A kind of database, on one connection. */
export interface Dialect {
  /** The database's name for the user, without a password. */
  shown: string;
  /** The database's name in records, and for `--state`. */
  name: string;
  source: string;
  /** Runs work after earlier work. @throws SandboxError for errors of the database */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
  /** Whether the error means that another connection held a lock. */
  isBusy(error: unknown): boolean;
  tables(): Promise<readonly Readable[]>;
  /** All rows at one instant, in the order in which they were written, as JSON values. */
  readRows(tables: readonly Readable[]): Promise<[table: string, rows: Record<string, unknown>[]][]>;
  shapes(names: readonly string[]): Promise<readonly TableShape[]>;
  /** Whether another connection may have changed anything since the last call. */
  isChanged(): Promise<boolean>;
  /** Runs work that changes only the copy and its ledger; at one instant if anything has changed. */
  observe<Result>(work: (isChanged: boolean) => Promise<Result>): Promise<Result>;
  /** Copies tables for a trial: on disk when it resolves. @param isWork whether a started server works on the database */
  copy(record: TrialRecord, only: readonly string[] | undefined, isWork: boolean): Promise<Copy>;
  /** The copy that a killed trial left; undefined without one. */
  findCopy(record: TrialRecord): Promise<Copy | undefined>;
  /** Where a copy is, for the user. */
  placeOf(record: TrialRecord): string;
  /** Names the parts of the database that are not copied; undefined if all are. */
  notCopied(): Promise<string | undefined>;
  fingerprints(): Promise<Fingerprints>;
  /** Databases that a trial has created as copies for its server. */
  work?: {
    remove(record: TrialRecord): Promise<void>;
    /** Restores all rows from these databases. @returns whether they exist */
    restore(record: TrialRecord): Promise<boolean>;
  };
}

/** A database with its copy and the tables of a ledger, which `Ledger` writes. */
export interface Copy {
  record: TrialRecord;
  /** Names a ledger table, which has the columns `tbl` (the number of a table), `k` (a key) and `v` (values). */
  noted(kind: Noting): string;
  /** The tables whose schema is the same as when they were copied. */
  tables(): Promise<readonly CopiedTable[]>;
  /** Tables that the copy lacks, or has with another schema, with the statement that empties them. */
  unlike(): Promise<readonly { name: string; empty: string }[]>;
  run(statements: readonly string[]): Promise<void>;
  select(sql: string): Promise<QueryRow[]>;
  /** Replaces the rows with the collected keys by rows with the selected values `v`. */
  replace(table: CopiedTable, select: string): Promise<void>;
  /** Runs work in one transaction, without triggers and without foreign key actions. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Prevents other connections from writing until the transaction ends. */
  lock(): Promise<void>;
  /**
   * Resets counters that are not stored in tables.
   * @param hasOthers whether rows of other programs stay: then only counters that would give their numbers again are raised
   */
  setNumbers(hasOthers: boolean): Promise<void>;
  drop(): Promise<void>;
  leave(): Promise<void>;
}

/**
 * The ledger's tables: the current differences from the copy, and those that the last note added; what the trial left last, and
 * all that it ever left; what earlier runs left at their end, what is new in this run, and what was put aside. `keys` are the
 * rows of the next statement.
 */
export const NOTINGS = ["changes", "added", "last", "seen", "earlier", "fresh", "aside", "keys"] as const;
export type Noting = (typeof NOTINGS)[number];

export interface CopiedTable {
  name: string;
  number: number;
  /** A part of a virtual table or of the database itself. It is restored, and its rows are not shown. */
  isInner: boolean;
  /** The SQL source of the rows before the trial. */
  before: string;
  /** Selects the keys `k` of all rows. */
  keys: Readonly<Record<Side, string>>;
  /** Selects the rows that differ from the copy, in the ledger's form. A deleted row's values are empty. */
  changes: string;
  /** Values of the ledger without the given columns, and without random values that the database generates. */
  masked(values: string, own: readonly string[]): string;
  /** Gives the rows with the collected keys their values from the other side. */
  moveTo(side: Side): readonly string[];
  /** Restores the table from the copy. The keys of differing rows are collected. */
  restore: readonly string[];
}

export type Side = "database" | "copy";

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
