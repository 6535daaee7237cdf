import type { Socket } from "node:net";
import type { Unit } from "./gate.ts";
import type { Parameter } from "./parameters.ts";
import type { Remote } from "./point.ts";
import type { SqlForm } from "./sql-form.ts";

/**
 * What the proxy has to know about a kind of database: how its clients log in, what the bytes of both sides mean, and a few messages
 * of the proxy's own. Everything else in this room works with every kind.
 */
export interface Wire<P extends Part = Part> {
  of: Remote;
  form: SqlForm;
  /** The database name that connections must use. Only the server under test knows it. */
  token: string;
  locks: Locks;
  /** Lets a client log in. @returns undefined for a client that was refused, or wanted something else than a connection */
  enter(client: Socket, door: Door): Promise<Entrance<P> | undefined>;
  /** A statement without the parts that differ between runs. */
  textOf(sql: string): string;
  /** Whether SQL reads and writes in one step. */
  isReadWrite(sql: string): boolean;
  /** Begins and ends a transaction of the proxy. */
  begin: P;
  commit: P;
  /** Undoes a transaction of the proxy. @param part the statement in it, which is then sent again */
  undo(part: P): P;
  /** Whether an error means that a statement cannot run in a transaction, such as a procedure that commits. */
  needsNoTransaction(error: string): boolean;
  /** What the database gets instead of a statement, so that it answers with an error. */
  failure(how: Failure, text: string, part: P): { before: readonly P[]; instead: P };
  /**
   * The answer to a statement that ran in a transaction of the proxy, as it would be without one.
   * @param answer to the statement
   * @param ending the answer to the commit, whose error replaces the statement's result
   */
  answerOutside(answer: readonly Buffer[], ending: readonly Buffer[]): readonly Buffer[];
  /** How a server is told to do without TLS, which the proxy does not speak. */
  withoutTls: string;
  close(): Promise<void>;
}

/** A statement is refused; or refused because another transaction is in its way. */
export type Failure = "refuse" | "conflict";

/** What a client sends as a unit. */
export interface Part {
  /** The bytes as received. */
  bytes: Buffer[];
  /** The SQL that the part executes, as the client wrote it; undefined if it executes nothing. */
  sql: string | undefined;
  /** Reads the values that the SQL is given. */
  values: () => readonly Parameter[];
  /** Whether the database answers this part. */
  isAnswered: boolean;
  /** Whether the part belongs to one already at the database: rows to copy in, or messages after a cursor's flush. */
  isMore: boolean;
  /** Whether it may run in a transaction of the proxy; by default, if it is answered. */
  canBeEnclosed?: boolean;
  /** Reads what depends on earlier answers. It is called when the part is the next for the database: a statement may be prepared only then. */
  complete?: (() => void) | undefined;
}

/** A stretch of the database's bytes, which ends with an answer at the latest. Only then are `ready` and `result` set. */
export interface Stretch {
  bytes: Buffer;
  /** The connection's state after an answer. */
  ready?: Ready;
  /** In the words of Postgres: the command and its number of rows, such as `INSERT 0 1`, or the code of an error. */
  result?: string | undefined;
  /** Whether the database waits for the client's next bytes before it goes on. */
  isRequest?: boolean;
}

export interface Ready {
  /** Whether a transaction is open. */
  inTransaction: boolean;
  /** Whether the next statement begins one by itself, which stays open after it. */
  begins: boolean;
}

/** Reads one connection. */
export interface Reader<P extends Part = Part> {
  /** Splits a client's bytes into parts. */
  readParts(chunk: Buffer): P[];
  /** Splits the database's bytes at the ends of its answers. */
  readAnswer(chunk: Buffer): Stretch[];
  /** Notes which part the database answers next. @param isEnclosed whether it runs in a transaction of the proxy */
  expect?(part: P, isEnclosed: boolean): void;
}

/** A client whose login the database has accepted. Both sockets are paused, and have no listeners for data. */
export interface Entrance<P extends Part = Part> {
  database: Socket;
  /** The process or thread of the database that serves the connection. */
  pid: number;
  reader: Reader<P>;
  ready: Ready;
}

/** What a login needs from the proxy. */
export interface Door {
  /** Whether a client may connect, as it names the database that only the server under test knows. */
  admits(database: string): boolean;
  /** Notes a request for TLS, which the proxy does not have. */
  noteTls(): void;
  /** Notes that a client left as soon as it heard that there is no TLS. */
  noteLeft(): void;
  /** Notes that something was sent. */
  touch(): void;
  /** Whether a connection of the proxy has this process or thread. */
  isOwn(pid: number): boolean;
}

/** Shows which statements wait for the locks of which connections. */
export interface Locks {
  /** Whether a statement waits for a lock that one of the connections holds. */
  waitsFor(unit: Unit, pids: readonly number[]): Promise<boolean>;
  /** Whether one of these processes, or threads, still runs. */
  isLeft(pids: readonly number[]): Promise<boolean>;
}
