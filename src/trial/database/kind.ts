import type { DatabaseStatements } from "../statements/statements.ts";
import type { AbandonedCopy, MadeCopy } from "./copies.ts";
import type { Credentials } from "./database-variable.ts";
import type { Dialect } from "./dialect.ts";

export interface DatabaseSize {
  isLocal: boolean;
  rows: number;
  bytes: number;
  /** Phrases that describe what a trial cannot restore. */
  unrestored: readonly string[];
}

export interface ConnectOptions {
  /** The name by which the user knows the database, if the source is a copy. */
  shown?: string | undefined;
  /** Whether to open the database read-only, without a shelf. */
  readonly?: boolean | undefined;
}

/** A kind of database. `kinds.ts` lists all of them. Only a kind's own folder contains code specific to it. */
export interface DatabaseKind {
  /** Whether a state source is a database of this kind. */
  isAt(source: string): boolean;
  /**
   * Converts an address in another format of this kind's clients to a state source.
   * @returns undefined for any other text, and for a plain URL
   */
  sourceOf(address: string, credentials: Credentials): string | undefined;
  /**
   * Whether the database exists. A server may create a missing SQLite file itself; other kinds reject the connection
   * instead.
   */
  exists(source: string): boolean;
  /** Identifies the database independently of user and password. */
  identityOf(source: string): string;
  /** Connects to a database with its shelf. @throws SandboxError `not_found`, `bad_request`, `unreachable` */
  connect(source: string, options: ConnectOptions): Promise<Dialect>;
  /** Measures a database; undefined if that is not possible. @throws SandboxError like `connect` */
  sizeOf(source: string): Promise<DatabaseSize | undefined>;
  /** Copies a database for a server that a trial starts. */
  copy(source: string): Promise<MadeCopy>;
  /** The copies of killed trials, earliest first. */
  abandoned(dialect: Dialect): Promise<readonly AbandonedCopy[]>;
  /**
   * Starts a proxy in front of a database. Undefined for a kind that servers open in their own process.
   * @param address the URL of the copy that the server uses
   * @throws SandboxError `unreachable`
   */
  openStatements?(address: string): Promise<DatabaseStatements>;
  /** Groups of variables that clients of this kind read together, keyed by the variable that identifies each group. */
  companions: Readonly<Record<string, readonly string[]>>;
  /** Where else a server may write, apart from the compared tables; completes "to this database …". */
  elsewhere: string;
}
