import type { DatabaseVariable, Place } from "./database-variable.ts";
import type { Fingerprints } from "./dialect.ts";

/** A copy of a database for a server that a trial starts. The user's database is only read. */
export interface WorkCopy {
  /** The copy as a source for `openTables`, with `copyOf`. */
  source: string;
  /**
   * The address of the copy, or its part, for a variable of the server's environment; undefined for one that keeps its value.
   * @param place the proxy, which every Postgres database has in front of it
   */
  valueFor(variable: DatabaseVariable, place?: Place): string | undefined;
  /** Whether the user's database was changed, but not the copy. */
  isBypassed(): Promise<boolean>;
  /**
   * Whether the server is connected to the user's database: with a connection that began after the copy was made, and ends with
   * the server. Where connections cannot be seen, as with SQLite, it is not.
   */
  isConnectedTo(restart: () => Promise<void>): Promise<boolean>;
  /** Records that the server uses the copy. */
  confirm(): Promise<void>;
  /** Restores the user's database. @throws SandboxError `invalid_state` */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** A copy that a kind of database has made. It has a lock, which the system releases if this process is killed. */
export interface MadeCopy extends Pick<WorkCopy, "source" | "valueFor"> {
  /** The user's database: its source, and its name for messages; and where the copy is. */
  original: string;
  shown: string;
  place: string;
  /** Other programs' connections to the user's database, as far as they can be seen. */
  connections(): Promise<readonly number[]>;
  /** The user's database when it was copied; undefined if it did not exist. */
  began(): Promise<Fingerprints | undefined>;
  /** Records that the server uses the copy. */
  markUsed(): Promise<void>;
  restore(): Promise<void>;
  /** Releases the lock. @param isKept whether the copy stays, for the user */
  end(isKept: boolean): Promise<void>;
}

/** A copy whose trial was killed. */
export interface AbandonedCopy {
  place: string;
  /** The tables of the user's database that have changed since, unless the server was seen to use the copy. */
  changed(): Promise<readonly string[]>;
  restore(): Promise<void>;
  remove(): Promise<void>;
}
