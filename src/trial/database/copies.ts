import type { DatabaseVariable, Place } from "./database-variable.ts";
import type { Fingerprints } from "./dialect.ts";

/** A database copy for a server that a trial starts. The user's database is only read. */
export interface WorkCopy {
  /** The copy as a source for `openTables`, with `copyOf`. */
  source: string;
  /**
   * The copy's URL, or a part of it, for one of the server's environment variables; undefined if the variable keeps its
   * value.
   * @param place the proxy in front of the database, which Postgres always has
   */
  valueFor(variable: DatabaseVariable, place?: Place): string | undefined;
  /**
   * The command, with its arguments, that wraps the server's own so that it finds the copy at the database's own
   * address; empty if no wrapper is needed, or if this system does not support it.
   */
  within: readonly string[];
  /** Runs work that fills the copy before the server starts. */
  fill(work: () => Promise<unknown>): Promise<void>;
  /** Whether the user's database was changed instead of the copy. */
  isBypassed(): Promise<boolean>;
  /**
   * Whether the server is connected to the user's database, through a connection that was opened after the copy was made
   * and that closes with the server. False if connections are not visible, as with SQLite.
   */
  isConnectedTo(restart: () => Promise<void>): Promise<boolean>;
  /** Records that the server uses the copy. */
  confirm(): Promise<void>;
  /** Restores the user's database. @throws SandboxError `invalid_state` */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** A copy as made by a kind of database. It holds a lock, which the system releases if this process is killed. */
export interface MadeCopy extends Pick<WorkCopy, "source" | "valueFor" | "within"> {
  /** The user's database: its source, its name for messages, and the copy's location. */
  original: string;
  shown: string;
  place: string;
  /** Other programs' visible connections to the user's database. */
  connections(): Promise<readonly number[]>;
  /** The user's database at the time of copying; undefined if it did not exist. */
  began(): Promise<Fingerprints | undefined>;
  /** Records that the server uses the copy. */
  markUsed(): Promise<void>;
  restore(): Promise<void>;
  /** Releases the lock. @param isKept whether to keep the copy for the user */
  end(isKept: boolean): Promise<void>;
}

/** A copy whose trial was killed. */
export interface AbandonedCopy {
  place: string;
  /** The user's tables that have changed since the copy was made, unless the server was observed to use the copy. */
  changed(): Promise<readonly string[]>;
  restore(): Promise<void>;
  remove(): Promise<void>;
}
