import { closeSync, existsSync, fstatSync, openSync, read, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import type Database from "better-sqlite3";
import { diskFull } from "../errors/disk-full.ts";
import type { SandboxError } from "../errors/errors.ts";
import { closedError, formTables, isEmpty, openDatabase, worldFull } from "./database.ts";
import { PART, putInPlace, removePart, replacedFile } from "./files.ts";
import { LARGE_PAGES, removeTemporary, type Staged, stage, temporaryPath } from "./staged.ts";

/** SQLite's default for the pages of a log at which it writes them into the database. */
const LOG_PAGES = 1_000;

/** How many bytes are read from a file at a time. */
const READ_BYTES = 8 * 1024 * 1024;
const readFrom = promisify(read);

interface Opened {
  db: Database.Database;
  /** The path of its file; undefined in memory. */
  path?: string;
  /** A descriptor for reading its file without SQLite. */
  descriptor?: number;
  /** The read of the file in progress. */
  reading?: Promise<unknown>;
}

/** A database of a world without a data folder: open, or at rest in a temporary file. */
interface Held {
  opened?: Opened;
  /** The descriptor of the file of a database at rest. */
  resting?: number;
}

/** What can replace a database: bytes, or the database that was replaced before. */
export type Replacement = Staged | Held;

export type Home = ReturnType<typeof createHome>;

/**
 * The location of a world's rows: the file of a data folder, memory, or a temporary file if they are too large to be copied in
 * one go, or idle. Another database can replace the present one, which is retained until the next replacement.
 * @param file of a data folder
 * @param begins the content of a new database; by default, it is empty
 */
export function createHome(file: string | undefined, begins: Staged | undefined, tables: readonly string[]) {
  if (file !== undefined && !begins) removePart(file + PART);
  let present: Held = {
    opened: file === undefined ? openFleeting(begins) : { db: openFile(file), path: file },
  };
  /** The database that the present one replaced; in a data folder it is a file. */
  let replaced: Held | undefined;
  let generation = 0;
  let closed = false;
  /** Whether it stays in memory because there is no room for temporary files. */
  let staysInMemory = false;

  function openFile(path: string): Database.Database {
    return openDatabase(path, file === undefined ? "fleeting" : "durable", tables);
  }

  function openFleeting(staged: Staged | undefined): Opened {
    if (staged?.path !== undefined) return openTemporary(staged.path);
    const db = openDatabase(staged?.bytes ?? ":memory:", "fleeting", tables);
    if (isEmpty(db)) formTables(db, tables);
    return { db };
  }

  /** If the system allows it, the file loses its name here, so that a kill leaves nothing behind. */
  function openTemporary(path: string): Opened {
    const db = openFile(path);
    // SQLite also opens the log by its name, so it must do that first.
    db.exec("begin immediate; commit");
    const descriptor = openSync(path, "r");
    if (process.platform !== "win32") removeTemporary(path);
    return { db, path, descriptor };
  }

  /** Writes a database from memory into a temporary file, if there is room for one. */
  function moveToFile<T>(db: Database.Database, open: (path: string) => T): T | undefined {
    if (staysInMemory) return undefined;
    let path: string | undefined;
    try {
      path = temporaryPath();
      writeFileSync(path, db.serialize(), { mode: 0o600 });
      return open(path);
    } catch {
      staysInMemory = true;
      if (path !== undefined) removeTemporary(path);
      return undefined;
    }
  }

  /** The file loses its name here, so that a kill leaves nothing behind. */
  function openResting(path: string): number {
    const descriptor = openSync(path, "r");
    removeTemporary(path);
    return descriptor;
  }

  function use(next: Held): void {
    present = next;
    generation += 1;
  }

  function close({ db, path, descriptor, reading }: Opened): void {
    db.close();
    // The descriptor is closed after the database: closing any descriptor of a file ends the locks that the process has on it.
    if (descriptor !== undefined) Promise.resolve(reading).finally(() => closeSync(descriptor));
    if (file === undefined && path !== undefined) removeTemporary(path);
  }

  function discard({ opened, resting }: Held = {}): void {
    if (opened) close(opened);
    if (resting !== undefined) closeSync(resting);
  }

  function current(): Opened {
    // A request in progress when the sandbox ended may still call this.
    if (closed) throw closedError();
    const { opened, resting } = present;
    if (opened) return opened;
    const woken = { db: openDatabase(readFileSync(resting!), "fleeting", tables) };
    closeSync(resting!);
    use({ opened: woken });
    return woken;
  }

  function serialize(): Buffer {
    const { db, path } = current();
    const bytes = db.serialize();
    return path === undefined ? bytes : withoutLog(bytes);
  }

  /** Releases the memory of a database, which stays in a temporary file until it is used. */
  function putToRest({ opened }: Held): Held | undefined {
    if (!opened || opened.path !== undefined) return undefined;
    const resting = moveToFile(opened.db, openResting);
    if (resting === undefined) return undefined;
    opened.db.close();
    return { resting };
  }

  return {
    db: (): Database.Database => current().db,
    get generation(): number {
      return generation;
    },
    durable: file !== undefined,
    get inMemory(): boolean {
      return present.opened?.path === undefined;
    },
    serialize,

    /** The present bytes. A large file is read in another thread while the database stays in use. */
    async copy(): Promise<Buffer> {
      const from = current();
      const { db, path } = from;
      const isSmall = pagesOf(db).count < LARGE_PAGES;
      if (path === undefined || db.inTransaction || isSmall) return serialize();
      db.pragma("wal_checkpoint(TRUNCATE)");
      // Writes during the read stay in the log.
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

    /** Moves a large database out of memory, between two transactions. */
    leaveMemory(): void {
      const { db } = current();
      const opened = moveToFile(db, openTemporary);
      if (!opened) return;
      use({ opened });
      db.close();
    },

    /**
     * The database that the present one replaced, for `replace`; undefined if it replaced none.
     * @throws SandboxError `disk_full`
     */
    async replaced(): Promise<Replacement | undefined> {
      if (file === undefined) return replaced;
      const path = replacedFile(file);
      return existsSync(path) ? stage(await readFile(path), file) : undefined;
    },

    /**
     * Replaces this database by another once `change` is done in the other; if it throws, this one stays.
     * @param next the result of `stage` for this file, or of `replaced`
     */
    replace(next: Replacement, change: () => void): void {
      const { db } = current();
      const old = present;
      const retains = !isEmpty(db);
      const path = "bytes" in next ? next.path : undefined;
      try {
        if (!("bytes" in next)) use(next);
        else if (file === undefined) use({ opened: openFleeting(next) });
        else use({ opened: { db: openFile(path!), path: path! } });
        change();
        // Without this, SQLite would write the log of the old database into the new one.
        if (file !== undefined) db.pragma("wal_checkpoint(TRUNCATE)");
      } catch (error) {
        if (present !== old) {
          if (next === replaced) replaced = present;
          else close(present.opened!);
          use(old);
        }
        if (path !== undefined && file !== undefined) removePart(path);
        throw error;
      }
      if (file === undefined) {
        if (next !== replaced) discard(replaced);
        replaced = old;
        return;
      }
      close(old.opened!);
      present.opened!.db.close();
      try {
        putInPlace(path!, file, retains);
      } finally {
        use({ opened: { db: openFile(file), path: file } });
      }
    },

    /** Releases the memory of an idle world until it is used. */
    rest(): void {
      present = putToRest(present) ?? present;
      replaced &&= putToRest(replaced) ?? replaced;
    },
    get resting(): boolean {
      return present.opened === undefined;
    },

    /** Returns the error for a database without room. */
    withoutRoom(): SandboxError {
      if (file !== undefined) return diskFull(file);
      const { count, most } = pagesOf(current().db);
      return present.opened!.path === undefined || count === most ? worldFull() : diskFull(tmpdir());
    },

    close(): void {
      closed = true;
      for (const held of [present, replaced]) discard(held);
    },
  };
}

/** Returns how many pages a database has, and how many it can have. */
function pagesOf(db: Database.Database) {
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
 * Converts the bytes of a database in WAL mode, with an empty log, to those of one without a log: SQLite opens only such bytes in
 * memory.
 */
function withoutLog(bytes: Buffer): Buffer {
  // The file format versions for writing and reading; see https://sqlite.org/fileformat.html.
  bytes[18] = 1;
  bytes[19] = 1;
  return bytes;
}
