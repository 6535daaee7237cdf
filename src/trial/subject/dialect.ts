import type { Fingerprints, TrialRecord } from "./record.ts";
import type { TableShape } from "./rows.ts";

// biome-ignore lint/suspicious/noExplicitAny: rows are as their queries say
export type QueryRow = Record<string, any>;

/** A table whose rows can be read: its name, and what they are selected from. */
export interface Readable {
  name: string;
  from: string;
}

/** One kind of database, on one connection. */
export interface Dialect {
  /** The database as a person names it, without a password. */
  shown: string;
  /** Its name in records, and as `--state` takes it. */
  name: string;
  source: string;
  /** Does one thing after another. @throws SandboxError for what the database refuses */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
  /** Whether another connection held what was needed. */
  isBusy(error: unknown): boolean;
  tables(): Promise<readonly Readable[]>;
  /** All rows at one instant, in the order in which they were written, as JSON holds them. */
  readRows(tables: readonly Readable[]): Promise<[table: string, rows: Record<string, unknown>[]][]>;
  shapes(names: readonly string[]): Promise<readonly TableShape[]>;
  /** Whether another connection may have changed anything since this was asked last. */
  isChanged(): Promise<boolean>;
  /** Does something that changes nothing but the copy and its ledger, at one instant if anything has changed. */
  observe<Result>(work: (isChanged: boolean) => Promise<Result>): Promise<Result>;
  /** Copies tables for a trial: on disk when it resolves. @param isWork whether it is a copy of what a started server works on */
  copy(record: TrialRecord, only: readonly string[] | undefined, isWork: boolean): Promise<Copy>;
  /** The copy that a killed trial left; undefined if it made none. */
  findCopy(record: TrialRecord): Promise<Copy | undefined>;
  /** Where a copy is, for a person. */
  placeOf(record: TrialRecord): string;
  /** Names what of the database is not copied; undefined if all of it is. */
  notCopied(): Promise<string | undefined>;
  fingerprints(): Promise<Fingerprints>;
  /** Databases that a trial has made as a copy for its server. */
  work?: {
    remove(record: TrialRecord): Promise<void>;
    /** Puts back all rows that they have. @returns whether they are there */
    restore(record: TrialRecord): Promise<boolean>;
  };
}

/** A database beside its copy and the tables of a ledger, which `Ledger` writes. */
export interface Copy {
  record: TrialRecord;
  /** Names a table of the ledger, which has columns for the number of a table, a key and values: `tbl`, `k`, `v`. */
  noted(kind: Noting): string;
  /** The tables that are as they were when they were copied, but for their rows. */
  tables(): Promise<readonly CopiedTable[]>;
  /** Tables that the copy has not, or in another form, with the statement that empties them. */
  unlike(): Promise<readonly { name: string; empty: string }[]>;
  run(statements: readonly string[]): Promise<void>;
  select(sql: string): Promise<QueryRow[]>;
  /** Puts rows whose values `v` are selected in the place of those with the collected keys. */
  replace(table: CopiedTable, select: string): Promise<void>;
  /** Does something in one transaction, without the triggers and the foreign keys that changes cause. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Lets no other connection write until the transaction ends. */
  lock(): Promise<void>;
  /** Takes back what draws numbers, where that is no table. */
  setNumbers(): Promise<void>;
  /** Removes it. */
  drop(): Promise<void>;
  /** Leaves it there. */
  leave(): Promise<void>;
}

/**
 * What the ledger has: how the database differs from the copy now, and what of that the last note added; what the trial left last,
 * and all that it has left so far; what earlier runs left in the end, what is new in this run, and what was put aside. `keys` are
 * those that the next statement is about.
 */
export const NOTINGS = ["changes", "added", "last", "seen", "earlier", "fresh", "aside", "keys"] as const;
export type Noting = (typeof NOTINGS)[number];

/** A table and its copy, in SQL. */
export interface CopiedTable {
  name: string;
  number: number;
  /** A part of a virtual table or of the database itself: it is put back, and its rows say nothing to a person. */
  isInner: boolean;
  /** What the rows of before are selected from. */
  before: string;
  /** Select the keys `k` of all rows. */
  keys: Readonly<Record<Side, string>>;
  /** Selects what is not as in the copy, as the ledger has it. The values of a row that is gone are empty. */
  changes: string;
  /** Values of the ledger without some columns, and without what the database draws where no column has it. */
  masked(values: string, own: readonly string[]): string;
  /** Gives the rows with the collected keys the values that they have on the other side. */
  moveTo(side: Side): readonly string[];
  /** Takes the table back to the copy. The keys of what differs are collected. */
  restore: readonly string[];
}

export type Side = "database" | "copy";

/** Makes what does one thing after another, also where nothing waits for an earlier one any more. @param named what is thrown */
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
