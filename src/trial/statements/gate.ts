import type { Answering } from "./point.ts";

/** A round trip to the database. */
export interface Unit {
  readonly line: Line;
  /** Its statement, without literals. */
  readonly text: string;
  /** Whether a transaction was open before it. */
  readonly inTransaction: boolean;
  /** When the database got it, real milliseconds; undefined before. */
  sentAt: number | undefined;
  /** What the database answered; null for nothing yet. */
  result: string | null;
  /** Whether the database is done with it. */
  isDone: boolean;
  /** Whether its answer waits until `release`. */
  isHeld: boolean;
  release(): void;
}

/** A connection of the server to its database. */
export interface Line {
  of: Answering;
  /** The process of the database. */
  pid: number;
  /** Whether a transaction is open. */
  inTransaction: boolean;
  isClosed: boolean;
  /** Which request of a step its latest statement belongs to; undefined for what belongs to no delivery. */
  owner?: 1 | 2 | undefined;
}

/** What becomes of a statement on its way. */
export type Passage = "pass" | "refuse" | "conflict" | "disconnect";

/** Decides about statements. */
export interface Gate {
  /** A statement is about to go out. @returns undefined lets it pass at once */
  arrive(unit: Unit): Promise<Passage> | undefined;
  /** The database is done with a statement, or its connection was closed. */
  leave(unit: Unit): void;
}

/** @param go lets an answer that waited go on */
export function createUnit(line: Line, text: string, go: () => void): Unit {
  return {
    ...{ line, text, inTransaction: line.inTransaction },
    ...{ sentAt: undefined, result: null, isDone: false, isHeld: false },
    release() {
      if (!this.isHeld) return;
      this.isHeld = false;
      go();
    },
  };
}

/** Ends a unit, once. */
export function endUnit(gate: Gate, unit: Unit, result = unit.result): void {
  if (unit.isDone) return;
  Object.assign(unit, { result, isDone: true });
  gate.leave(unit);
}
