import type { Part } from "../wire.ts";

/** How the database responds to a command. */
export type Answer =
  | "packet"
  /** One or more results. */
  | "results"
  /** The rows of a cursor, or columns. */
  | "rows"
  | "prepared"
  /** The packets of a login. */
  | "login"
  /** An endless stream of packets, as sent to a replica. */
  | "endless";

export interface MysqlPart extends Part {
  answer: Answer;
  /** The number of the packet that responds to the command. */
  number: number;
  /** The SQL that the command executes or prepares. */
  of?: string | undefined;
  /** Whether the command opens a cursor. If so, its response has no rows. */
  opensCursor?: boolean;
}

export interface Prepared {
  sql: string;
  /** The number of the statement's parameters. */
  count: number;
  /** The types of the statement's parameters, which a client sends only once. */
  types?: Buffer | undefined;
  /** Values for the next execution that were sent in pieces, keyed by parameter number. */
  long?: Map<number, Buffer[]> | undefined;
}

/** What the bytes of both sides have revealed about a connection. */
export interface Session {
  /** Whether results end with OK packets instead of EOF packets. */
  readonly deprecatesEof: boolean;
  /** Error codes after which the transaction has been rolled back. */
  readonly rollbackErrors: ReadonlySet<number>;
  statements: Map<number, Prepared>;
  /** The latest prepared statement, which clients may refer to before they know its number. */
  latest?: Prepared;
  /** Whether the client is sending a file. */
  isCopying: boolean;
  /** Whether tables are locked. A transaction would release them. */
  areTablesLocked: boolean;
  status: number;
}
