import type { Part } from "../wire.ts";

/** How the database answers a command. */
export type Answer =
  /** One packet. */
  | "packet"
  /** One or more results. */
  | "results"
  /** The rows of a cursor, or columns. */
  | "rows"
  | "prepared"
  /** The packets of a login. */
  | "login"
  /** Packets that never end, as to a replica. */
  | "endless";

export interface MysqlPart extends Part {
  answer: Answer;
  /** The number of the packet that answers it. */
  number: number;
  /** What it executes or prepares. */
  of?: string | undefined;
  /** Whether it opens a cursor, so that its answer has no rows. */
  opensCursor?: boolean;
}

export interface Prepared {
  sql: string;
  /** The number of its parameters. */
  count: number;
  /** The types of its parameters, which a client sends only once. */
  types?: Buffer | undefined;
  /** Values that were sent in pieces for the next execution, by the number of the parameter. */
  long?: Map<number, Buffer[]> | undefined;
}

/** What the bytes of both sides have revealed about a connection. */
export interface Session {
  /** Whether results end with OK packets instead of EOF packets. */
  readonly deprecatesEof: boolean;
  /** Error codes after which the transaction has been rolled back. */
  readonly rollbackErrors: ReadonlySet<number>;
  statements: Map<number, Prepared>;
  /** The latest one, which clients may refer to before they know its number. */
  latest?: Prepared;
  /** Whether the client is sending a file. */
  isCopying: boolean;
  /** Whether tables are locked. A transaction would release them. */
  areTablesLocked: boolean;
  status: number;
}
