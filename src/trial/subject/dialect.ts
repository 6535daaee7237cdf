import type { TrialRecord } from "./record.ts";
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
  /** What trials with a copy for their server have left, where that is no file of the record. */
  work?: {
    /** Removes it, unless the user's database was changed. */
    drop(record: TrialRecord, tell: (message: string) => void): Promise<void>;
    /** Puts back all rows that it has. @returns whether there is one */
    restore(record: TrialRecord): Promise<boolean>;
  };
}

/**
 * A database beside its copy, and the ledger of what the trial left last, all that it has left, what earlier runs left in the
 * end, what is new in this run and what was put aside.
 */
export interface Copy {
  record: TrialRecord;
  /** The tables that are as they were when they were copied, but for their rows. */
  tables(): Promise<readonly CopiedTable[]>;
  /** Tables that the copy has not, or in another form, with the statement that empties them. */
  unlike(): Promise<readonly { name: string; empty: string }[]>;
  run(statements: readonly string[]): Promise<void>;
  /** The rows of several selects that have the same columns. */
  select(parts: readonly string[]): Promise<QueryRow[]>;
  /** Does something in one transaction, without the triggers and the foreign keys that changes cause. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Lets no other connection write until the transaction ends. */
  lock(): Promise<void>;
  /** Notes what differs from the copy now: the trial has left that. @returns the tables in which something does now that did not before */
  note(): Promise<readonly CopiedTable[]>;
  /** Takes back what draws numbers, where that is no table. */
  setNumbers(): Promise<void>;
  /** Removes it. */
  drop(): Promise<void>;
  /** Leaves it there. */
  leave(): Promise<void>;
}

/** Takes rows into the copy, and says which: a select of `inserted`, `updated` and `deleted`, then the statements. */
export interface Taking {
  count: string;
  take: readonly string[];
}

/** The statements about one table and its copy. Selects have its `number`. */
export interface CopiedTable {
  name: string;
  number: number;
  /** A part of a virtual table or of the database itself: it is put back, and its rows say nothing to a person. */
  isInner: boolean;
  /** What the rows of before are selected from. */
  before: string;
  /** Selects the number where the rows are not as before. */
  differs: string;
  /** Selects the keys of rows that are not as before, as `k`, with the `name` of the table. */
  left: string;
  /** Takes the table back to the copy. */
  restore: readonly string[];
  /** Takes the whole table into the copy. */
  adoptAll: readonly string[];
  /** What is otherwise than the trial left it; it stays. */
  unexpected: Taking;
  /** What this run alone has left so far. */
  fresh: Taking;
  /** What was put aside, given back to another program where nothing is in its place. */
  aside: Taking;
  /**
   * What follows the note: what recurs is no longer aside, and what is new in this run is fresh.
   * @param own columns whose values differ in each run
   * @param isDoubtful whether what is new may be another program's
   */
  sort(own: readonly string[], isDoubtful: boolean): readonly string[];
  /** What two runs have left is no other program's. */
  dropRecurring(own: readonly string[]): readonly string[];
  /** Notes what a run leaves in the end. */
  noteRun: string;
  /** Selects how many rows this run and earlier ones left alike, as `both`, and how many only either, as `earlier` and `now`. */
  compareRuns(own: readonly string[]): string;
  /** Puts aside what only earlier runs left; what only this one left is fresh. */
  takeApart(own: readonly string[]): readonly string[];
  /** Notes that nothing differs. */
  forget: readonly string[];
  hasNew: string;
  hasAside: string;
  /** Puts aside what this run alone has left. */
  setAside: string;
  dropAside: string;
  /**
   * Puts back the rows that are still as the trial left them.
   * @param inDelivery whether a delivery was under way: then a row counts as well that is as the trial has seen it
   */
  settle(inDelivery: boolean, own: readonly string[]): readonly string[];
}

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

/** @returns the tables for which a select has a row, with that row */
export async function find(
  copy: Copy,
  tables: readonly CopiedTable[],
  select: (table: CopiedTable) => string,
): Promise<[CopiedTable, QueryRow][]> {
  const found = tables.length === 0 ? [] : await copy.select(tables.map(select));
  return found.map((row) => [tables.find(({ number }) => number === Number(row.number))!, row]);
}

export const changedTables = async (copy: Copy): Promise<CopiedTable[]> =>
  (await find(copy, await copy.tables(), ({ differs }) => differs)).map(([table]) => table);
