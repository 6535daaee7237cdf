import type { DatabaseStatements } from "../statements/statements.ts";
import type { AbandonedCopy, MadeCopy } from "./copies.ts";
import type { Dialect } from "./dialect.ts";

export interface DatabaseSize {
  isLocal: boolean;
  rows: number;
  bytes: number;
  /** What a trial cannot restore, as phrases. */
  unrestored: readonly string[];
}

export interface ConnectOptions {
  /** The user's name for the database, if the source is a copy of it. */
  shown?: string | undefined;
  /** Whether it is only read. Then it has no shelf. */
  readonly?: boolean | undefined;
}

/** A kind of database. `kinds.ts` lists all of them; only a kind's own folder knows which one it is. */
export interface DatabaseKind {
  /** Whether a state source names a database of this kind. */
  isAt(source: string): boolean;
  /** Whether the database is there. A server may create a SQLite file itself; others refuse connections otherwise. */
  exists(source: string): boolean;
  /** A name of the database that is the same for all its users and passwords. */
  identityOf(source: string): string;
  /** Connects to a database with its shelf. @throws SandboxError `not_found`, `bad_request`, `unreachable` */
  connect(source: string, options: ConnectOptions): Promise<Dialect>;
  /** Measures a database; undefined if that is not possible. @throws SandboxError as `connect` */
  sizeOf(source: string): Promise<DatabaseSize | undefined>;
  /** Copies a database for a server that a trial starts. */
  copy(source: string): Promise<MadeCopy>;
  /** The copies of killed trials, earliest first. */
  abandoned(dialect: Dialect): Promise<readonly AbandonedCopy[]>;
  /**
   * Puts a proxy in front of a database; undefined for one that a server opens inside its own process.
   * @param address of the copy that the server works on
   * @throws SandboxError `unreachable`
   */
  openStatements?(address: string): Promise<DatabaseStatements>;
  /** Variables that clients of this kind read beside another one, which names them all. */
  companions: Readonly<Record<string, readonly string[]>>;
  /** What a server may write to instead of the tables that are read, as the end of "to this database". */
  elsewhere: string;
}
