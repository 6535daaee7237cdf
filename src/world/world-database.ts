import { closeSync, fstatSync, openSync, read, readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import type Database from "better-sqlite3";
import { formTables, isEmpty, openDatabase } from "./database.ts";
import { LARGE_PAGES, removeTemporary, type Staged, temporaryPath } from "./staged.ts";

/** SQLite's default log size in pages for an automatic checkpoint. */
const LOG_PAGES = 1_000;

/** Bytes per read from a file. */
const READ_BYTES = 8 * 1024 * 1024;
const readFrom = promisify(read);

/**
 * One database: in a file in a data folder, in memory, in a temporary file, or written to a temporary file and at rest
 * until its next use.
 */
export interface WorldDatabase {
  /** A database at rest is read back into memory first. */
  db(): Database.Database;
  /** Whether the database is in memory, or at rest. */
  readonly inMemory: boolean;
  readonly resting: boolean;
  serialize(): Buffer;
  /** The current bytes. Large files are read asynchronously while the database stays in use. */
  copy(): Promise<Buffer>;
  /** Moves the database from memory to a temporary file, between two transactions, if there is room for one. */
  leaveMemory(): void;
  /** Releases the database's memory, if there is room for a temporary file. */
  rest(): void;
  close(): void;
}

interface Opened {
  db: Database.Database;
  /** The path of the database's file; undefined if it is in memory. */
  path?: string;
  /** Whether the database's file is removed when the database closes. */
  temporary?: true;
  /** A descriptor for reading the database's file without SQLite. */
  descriptor?: number;
  /** The ongoing read of the file. */
  reading?: Promise<unknown>;
}

/** Opens a database file in a data folder. @throws SandboxError `invalid_state`; DamagedData */
export function openDurable(path: string, tables: readonly string[]): WorldDatabase {
  return manage({ db: openDatabase(path, "durable", tables), path }, tables);
}

/** Opens a database that does not outlive the process. @param staged its content; by default, it is empty */
export function openFleeting(staged: Staged | undefined, tables: readonly string[]): WorldDatabase {
  if (staged?.path !== undefined) return manage(openTemporary(staged.path, tables), tables);
  const db = openDatabase(staged?.bytes ?? ":memory:", "fleeting", tables);
  if (isEmpty(db)) formTables(db, tables);
  return manage({ db }, tables);
}

function manage(first: Opened, tables: readonly string[]): WorldDatabase {
  let opened: Opened | undefined = first;
  /** The descriptor of the file in which the database is at rest. */
  let resting: number | undefined;
  /** Whether the database stays in memory because there is no room for temporary files. */
  let staysInMemory = false;

  function current(): Opened {
    if (opened) return opened;
    opened = { db: openDatabase(readFileSync(resting!), "fleeting", tables) };
    closeSync(resting!);
    return opened;
  }

  function serialize(): Buffer {
    const { db, path } = current();
    const bytes = db.serialize();
    return path === undefined ? bytes : withoutLog(bytes);
  }

  /** Writes a database from memory into a temporary file, if there is room for one, and closes it. */
  function moveToFile<T>(open: (path: string) => T): T | undefined {
    if (staysInMemory || !opened || opened.path !== undefined) return undefined;
    let path: string | undefined;
    try {
      path = temporaryPath();
      writeFileSync(path, opened.db.serialize(), { mode: 0o600 });
      const moved = open(path);
      opened.db.close();
      return moved;
    } catch {
      staysInMemory = true;
      if (path !== undefined) removeTemporary(path);
      return undefined;
    }
  }

  return {
    db: () => current().db,
    get inMemory() {
      return opened?.path === undefined;
    },
    get resting() {
      return opened === undefined;
    },
    serialize,

    async copy() {
      const from = current();
      const { db, path } = from;
      if (path === undefined || db.inTransaction || pagesOf(db).count < LARGE_PAGES) return serialize();
      db.pragma("wal_checkpoint(TRUNCATE)");
      // Writes during the read must stay in the log.
      db.pragma("wal_autocheckpoint = 0");
      from.descriptor ??= openSync(path, "r");
      try {
        const reading = readWhole(from.descriptor);
        from.reading = reading;
        return withoutLog(await reading);
      } finally {
        if (db.open) db.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
      }
    },

    leaveMemory() {
      opened = moveToFile((path) => openTemporary(path, tables)) ?? opened;
    },

    rest() {
      const moved = moveToFile(openResting);
      if (moved === undefined) return;
      resting = moved;
      opened = undefined;
    },

    close() {
      if (opened) closeOpened(opened);
      else closeSync(resting!);
    },
  };
}

/** Unlinks the file immediately if the system allows it, so that a kill leaves nothing behind. */
function openTemporary(path: string, tables: readonly string[]): Opened {
  const db = openDatabase(path, "fleeting", tables);
  // SQLite opens the log by name, so make it do that before unlinking.
  db.exec("begin immediate; commit");
  const descriptor = openSync(path, "r");
  if (process.platform !== "win32") removeTemporary(path);
  return { db, path, temporary: true, descriptor };
}

/** Unlinks the file immediately, so that a kill leaves nothing behind. */
function openResting(path: string): number {
  const descriptor = openSync(path, "r");
  removeTemporary(path);
  return descriptor;
}

function closeOpened({ db, path, temporary, descriptor, reading }: Opened): void {
  db.close();
  // Close the descriptor after the database: closing any descriptor of a file releases the process's locks on it.
  if (descriptor !== undefined) Promise.resolve(reading).finally(() => closeSync(descriptor));
  if (temporary) removeTemporary(path!);
}

/** Returns how many pages a database has, and how many it can have. */
export function pagesOf(db: Database.Database) {
  const read = (name: string) => db.pragma(name, { simple: true }) as number;
  return { count: read("page_count"), most: read("max_page_count") };
}

/** Reads a whole file that no process writes to. */
async function readWhole(descriptor: number): Promise<Buffer> {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await readFrom(descriptor, bytes, at, Math.min(READ_BYTES, size - at), at);
    at += bytesRead;
  }
  return bytes;
}

/**
 * Converts the bytes of a WAL-mode database with an empty log to rollback mode, the only mode that SQLite opens in
 * memory.
 */
function withoutLog(bytes: Buffer): Buffer {
  // The file format versions for writing and reading; see https://sqlite.org/fileformat.html.
  bytes[18] = 1;
  bytes[19] = 1;
  return bytes;
}
