import type { Effect } from "../outside/services.ts";
import type { Parameter } from "./parameters.ts";
import type { Answering } from "./point.ts";
import type { SqlForm } from "./sql-form.ts";

/** A round trip to the database. */
export interface Unit {
  readonly line: Line;
  /** The statement without its literals. */
  readonly text: string;
  /** The statement as the client wrote it. */
  readonly sql: string;
  /** Whether a transaction was open before the statement, or is opened by it and stays open. */
  readonly inTransaction: boolean;
  /** Whether the statement reads and writes in its own transaction, which can be held open after it. */
  readonly hasOwnCommit: boolean;
  values: () => readonly Parameter[];
  /** What a call changed in an outside service. */
  readonly effects: Effect[];
  /** When the database received the statement, in real milliseconds; undefined until then. */
  sentAt: number | undefined;
  /** The database's response; null if it has not responded yet. */
  result: string | null;
  /** Whether the database has finished with the statement. */
  isDone: boolean;
  /** Whether the response, and the statement's own commit, are held until `release`. */
  isHeld: boolean;
  release(): void;
}

/** One of the server's connections to its database. */
export interface Line {
  readonly of: Answering;
  readonly form: SqlForm;
  readonly pid: number;
  /** Whether a transaction is open. */
  inTransaction: boolean;
  isClosed: boolean;
  /** Which of the step's requests made the latest statement; undefined if the statement belongs to no delivery. */
  owner?: 1 | 2 | undefined;
}

export type Passage =
  | "pass"
  /**
   * The statement fails: with an error, with a conflict (its transaction cannot be serialized), or because its
   * connection is closed.
   */
  | "refuse"
  | "conflict"
  | "disconnect"
  /** The statement runs, but its own commit waits until `release`, so others do not see its changes yet. */
  | "hold-commit"
  | CallFailure;

/**
 * What can happen only to calls: the response is a 500 or a 429, or the call is carried out and its response is lost.
 */
export type CallFailure = "fail" | "limit" | "lose";

export interface Gate {
  /** Called when a statement is about to be sent. @returns undefined to let it pass immediately */
  arrive(unit: Unit): Promise<Passage> | undefined;
  /** Called when the database has finished with a statement, or when the statement's connection was closed. */
  leave(unit: Unit): void;
}

/** @param go forwards a held response */
export function createUnit(
  line: Line,
  text: string,
  go: () => void,
  {
    sql = text,
    hasOwnCommit = false,
    values = () => [],
    inTransaction = line.inTransaction,
  }: Partial<Pick<Unit, "sql" | "hasOwnCommit" | "values" | "inTransaction">> = {},
): Unit {
  return {
    line,
    text,
    sql,
    inTransaction,
    hasOwnCommit,
    values,
    effects: [],
    sentAt: undefined,
    result: null,
    isDone: false,
    isHeld: false,
    release() {
      if (!this.isHeld) return;
      this.isHeld = false;
      go();
    },
  };
}

/** Ends a unit; calling it again does nothing. */
export function endUnit(gate: Gate, unit: Unit, result = unit.result): void {
  if (unit.isDone) return;
  unit.result = result;
  unit.isDone = true;
  gate.leave(unit);
}
