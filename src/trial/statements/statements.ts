import type { SandboxError } from "../../errors/errors.ts";
import type { Place } from "../database/database-variable.ts";
import type { Effect } from "../outside/services.ts";
import type { Gate, Passage } from "./gate.ts";
import type { Answering, StatementPoint } from "./point.ts";

export type Interruption =
  /** The statement waits until `release`. */
  | "hold"
  /** The statement runs, and its response waits until `release`. */
  | "hold-answer"
  | Exclude<Passage, "pass">;

/** What the proxy does at a point while a step is delivered. */
export interface PointPlan {
  point: StatementPoint;
  does: Interruption;
}

/**
 * What the proxy does while a step is delivered: an interruption at a point, or a wait at the place with this number,
 * starting at 1. Places are before each statement except the first, and before the commit of each statement that both
 * reads and writes.
 */
export type StatementPlan = PointPlan | { place: number };

/** A statement of a delivery, as its database saw it. */
export interface Statement extends StatementPoint {
  of: Answering;
  /** Whether the step's first or second request made the statement. */
  by: 1 | 2;
  /** The statement's position among all statements in its step, in the order the database received them. */
  order: number;
  /** Whether a transaction was open before the statement. */
  inTransaction: boolean;
  /** Whether the statement reads and writes in its own transaction. */
  hasOwnCommit: boolean;
  /**
   * The database's response, such as `INSERT 0 1`, or its error code; null if the database did not get the statement or
   * never responded.
   */
  result: string | null;
  /** What a call changed in an outside service; empty for statements. */
  effects: readonly Effect[];
  met: Interruption | null;
  /** Whether both calm runs made the statement. Otherwise, it cannot be a point. */
  isSteady: boolean;
}

/** Observes the statements of a step: one request, or two requests of which the second overtakes the first. */
export interface Watch {
  /** Records that a request was sent; later statements belong to it. @param answered settles with its response */
  sent(answered: Promise<unknown>): void;
  /**
   * Resolves once the first request waits at the plan's point and its other work is done.
   * @returns false if the subscriber responded and finished without reaching the point
   */
  reached(): Promise<boolean>;
  /**
   * Resolves once the second request has been answered and its work is done, or once it waits for a lock held by the
   * first.
   * @returns false if it waits for the first one inside the process, without a statement at the database
   */
  overtaken(): Promise<boolean>;
  /** Lets the held statement or response continue. */
  release(): void;
  /** Blocks everything from now on. Requests in progress end when their process does. */
  freeze(): void;
  /** Resolves once the database has finished with all frozen connections. */
  thaw(): Promise<void>;
  /** Resolves once all work that the requests caused is done. @returns all statements of the step, in order */
  end(): Promise<Statement[]>;
}

/** A server's database statements, as observed by a proxy between the server and its database. */
export interface Statements {
  /**
   * Starts watching a step. Statements outside a step are background and never points.
   * @param usual how long such a request took the first time, in real milliseconds
   */
  watch(plan?: StatementPlan, usual?: number): Watch;
  /** Compares an event's statements in two calm runs. Statements that only one of the runs made are never points. */
  agree(one: readonly Statement[], other: readonly Statement[]): void;
  /** Treats no statement as background until the returned function is called, because something else is being delivered. */
  pause(): () => void;
  /** How long the database has had no statement to run, in real milliseconds. */
  quietFor(): number;
  /** Decides how the server's other calls are handled. */
  gate: Gate;
  /** Variables that make the server's process report its statements. */
  env: Readonly<Record<string, string>>;
  /** Whether a delivery without observed statements really made none: for SQLite, at least one process must be watched. */
  readonly seesAll: boolean;
  /** The number of connections so far; 0 if the server bypasses the proxy. */
  readonly connections?: number;
  /** The error for a server that asked for TLS and never connected without it; undefined for other servers. */
  insistsOnTls?(): SandboxError | undefined;
  close(): Promise<void>;
}

export interface DatabaseStatements extends Statements {
  /** Where the server finds the proxy, which does not support TLS. */
  place: Place;
}
