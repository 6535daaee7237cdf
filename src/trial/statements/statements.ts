import type { SandboxError } from "../../errors/errors.ts";
import type { Gate } from "./gate.ts";
import type { Answering, StatementPoint } from "./point.ts";

/** What happens to a delivery at a point of it. */
export type Interruption =
  /** The statement waits until it is let go. */
  | "hold"
  /** It is done, and its answer waits until it is let go. */
  | "hold-answer"
  /** The database refuses it; in a transaction, because it cannot be serialized; or the connection is lost in its place. */
  | "refuse"
  | "conflict"
  | "disconnect";

/** What is to happen while a step is delivered. */
export interface StatementPlan {
  /** Without a text, whichever statement has its number. */
  point: StatementPoint;
  does: Interruption;
}

/** A statement that a delivery made, as its database saw it. */
export interface Statement extends StatementPoint {
  of: Answering;
  /** Whether the first request of the step made it, or the second. */
  by: 1 | 2;
  /** Its place among all statements of its step, in the order in which the database got them. */
  order: number;
  /** Whether a transaction was open before it. */
  inTransaction: boolean;
  /** What the database answered, as in `INSERT 0 1`, or the code of its error; null if it never got there, or never answered. */
  result: string | null;
  /** What happened to it. */
  met: Interruption | null;
  /** Whether two calm runs had it: only then it is a point. */
  isSteady: boolean;
}

/** What is seen of the statements of a step: one request, or two of which the second one overtakes the first. */
export interface Watch {
  /** A request was sent. The first one is at work until the second is sent. @param answered settles with its answer */
  sent(answered: Promise<unknown>): void;
  /**
   * Resolves once the first request waits at the point of the plan, and the rest of it is done.
   * @returns false if it was answered and done without getting there
   */
  reached(): Promise<boolean>;
  /**
   * Resolves once the second request was answered and is done, or waits for a lock of the first.
   * @returns false if it waits for the first one inside the process, without a statement at the database
   */
  overtaken(): Promise<boolean>;
  /** Lets go on what waits. */
  release(): void;
  /** Nothing passes any more: what is under way ends with its process. */
  freeze(): void;
  /** Resolves once the database has nothing left of connections that were frozen. */
  thaw(): Promise<void>;
  /** Resolves once what the requests have caused is done. @returns all statements of the step, in their order */
  end(): Promise<Statement[]>;
}

/** The statements that a server makes at its database, as a proxy between the two sees them. */
export interface Statements {
  /**
   * Begins to watch a step. What is seen outside of one is background, and never a point.
   * @param usual how long such a request took the first time, real milliseconds
   */
  watch(plan?: StatementPlan, usual?: number): Watch;
  /** Compares the statements that the same event made in two calm runs: what only one of them has is never a point. */
  agree(one: readonly Statement[], other: readonly Statement[]): void;
  /** Takes nothing for background until the returned function is called: something else is delivered. */
  pause(): () => void;
  /** For how long nothing has been at the database, real milliseconds. */
  quietFor(): number;
  /** Decides about what else the server calls. */
  gate: Gate;
  /** Variables that make its process report its statements. */
  env: Readonly<Record<string, string>>;
  /** How many connections were made: none from a server that goes round a proxy. */
  readonly connections?: number;
  /** What to say of a server that asked for TLS, and made no connection without it; undefined for any other. */
  insistsOnTls?(): SandboxError | undefined;
  close(): Promise<void>;
}

/** Those of a database that a proxy stands before. */
export interface DatabaseStatements extends Statements {
  /** The address of the database for the server, in place of its own. */
  addressFor(address: string): string;
  /** The same for a variable that has a part of it, such as PGHOST. */
  partFor(name: string): string;
}
