import type { Socket } from "node:net";
import type { Unit } from "./gate.ts";
import type { Parameter } from "./parameters.ts";
import type { Remote } from "./point.ts";
import type { SqlForm } from "./sql-form.ts";

/**
 * What the proxy needs to know about a kind of database: how its clients log in, what the bytes of both sides mean, and a
 * few messages of the proxy's own. Everything else in this folder works with every kind.
 */
export interface Wire<P extends Part = Part> {
  of: Remote;
  form: SqlForm;
  /** The database name that connections must use. Only the server under test knows it. */
  token: string;
  locks: Locks;
  /** Lets a client log in. @returns undefined for a client that was refused, or did not want a connection */
  enter(client: Socket, door: Door): Promise<Entrance<P> | undefined>;
  /** A statement without the parts that differ between runs. */
  textOf(sql: string): string;
  isReadWrite(sql: string): boolean;
  /** Messages that begin and end one of the proxy's transactions. */
  begin: P;
  commit: P;
  /** Undoes one of the proxy's transactions. @param part the statement in it, which is then sent again */
  undo(part: P): P;
  /** Whether an error means that a statement cannot run in a transaction, such as a procedure that commits. */
  needsNoTransaction(error: string): boolean;
  /** What to send to the database instead of a statement, to make it respond with an error. */
  failure(how: Failure, text: string, part: P): { before: readonly P[]; instead: P };
  /**
   * The response to a statement that ran in one of the proxy's transactions, as it would have been without the
   * transaction.
   * @param answer the response to the statement
   * @param ending the response to the commit, whose error replaces the statement's result
   */
  answerOutside(answer: readonly Buffer[], ending: readonly Buffer[]): readonly Buffer[];
  /** How to make a server do without TLS, which the proxy does not support. */
  withoutTls: string;
  close(): Promise<void>;
}

/** How a statement can be refused: with an ordinary error, or because of a conflict with another transaction. */
export type Failure = "refuse" | "conflict";

/** The smallest unit in which a client's bytes are forwarded. */
export interface Part {
  /** The bytes as received. */
  bytes: Buffer[];
  /** The SQL that the part executes, as the client wrote it; undefined if it executes nothing. */
  sql: string | undefined;
  /** Reads the SQL's bound values. */
  values: () => readonly Parameter[];
  /** Whether the database responds to this part. */
  isAnswered: boolean;
  /** Whether the part belongs to one already at the database: rows to copy in, or messages after a cursor's flush. */
  isMore: boolean;
  /** Whether the part may run in one of the proxy's transactions; by default, if the database responds to it. */
  canBeEnclosed?: boolean;
  /**
   * Reads whatever depends on earlier responses. Called when the part is next in line for the database, because a
   * statement may not be prepared before that.
   */
  complete?: (() => void) | undefined;
}

/**
 * A chunk of the database's bytes, which extends at most to the end of a response. `ready` and `result` are set only
 * there.
 */
export interface Stretch {
  bytes: Buffer;
  /** The connection's state after a response. */
  ready?: Ready;
  /** In Postgres's format: the command and its number of rows, such as `INSERT 0 1`, or an error code. */
  result?: string | undefined;
  /** Whether the database waits for the client's next bytes before it continues. */
  isRequest?: boolean;
}

export interface Ready {
  /** Whether a transaction is open. */
  inTransaction: boolean;
  /** Whether the next statement implicitly begins a transaction that stays open. */
  begins: boolean;
}

/** Reads the bytes of one connection. */
export interface Reader<P extends Part = Part> {
  /** Splits a client's bytes into parts. */
  readParts(chunk: Buffer): P[];
  /** Splits the database's bytes at the ends of its responses. */
  readAnswer(chunk: Buffer): Stretch[];
  /**
   * Notes which part the database responds to next. @param isEnclosed whether it runs in one of the proxy's
   * transactions
   */
  expect?(part: P, isEnclosed: boolean): void;
}

/** A client whose login the database has accepted. Both sockets are paused and have no data listeners. */
export interface Entrance<P extends Part = Part> {
  database: Socket;
  /** The database process or thread that serves the connection. */
  pid: number;
  reader: Reader<P>;
  ready: Ready;
}

/** What a login needs from the proxy. */
export interface Door {
  /** Whether a client may connect: it must specify the database name that only the server under test knows. */
  admits(database: string): boolean;
  /** Notes a request for TLS, which the proxy does not support. */
  noteTls(): void;
  /** Notes that a client disconnected because the proxy does not support TLS. */
  noteLeft(): void;
  /** Notes that something was sent. */
  touch(): void;
  /** Whether this process or thread serves one of the proxy's connections. */
  isOwn(pid: number): boolean;
}

/** Reports which statements wait for other connections' locks. */
export interface Locks {
  /** Whether a statement waits for a lock that one of the connections holds. */
  waitsFor(unit: Unit, pids: readonly number[]): Promise<boolean>;
  /** Whether one of these processes, or threads, is still running. */
  isLeft(pids: readonly number[]): Promise<boolean>;
}
