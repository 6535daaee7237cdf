import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  read,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type Database from "better-sqlite3";
import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import type { SandboxError } from "../errors/errors.ts";
import {
  closedError,
  formTables,
  isEmpty,
  MOST_PAGES,
  openDatabase,
  PAGE_BYTES,
  worldFull,
} from "./database.ts";
import { PART, removePart } from "./files.ts";

/** Bytes of a database, and a file with them where the database that begins with them is to be in one. */
export interface Staged {
  bytes: Buffer;
  path?: string;
}

/**
 * A database is in a file, from which it is copied without holding up anything else, once it has this part of the pages that
 * it can have in memory: 128 MiB.
 */
const LARGE_PART = 1 / 8;
const LARGE_BYTES = MOST_PAGES * LARGE_PART * PAGE_BYTES;
/** Read at once from a file. */
const READ_BYTES = 8 * 1024 * 1024;
/** SQLite's own limit for the pages of a log, from which on it writes them into the database. */
const LOG_PAGES = 1_000;
const readFrom = promisify(read);

/**
 * Writes the bytes that a database is to begin with into a file, in another thread, if the database is to be in one.
 * @param file of a world in a data folder
 * @throws SandboxError `disk_full`
 */
export async function stage(bytes: Buffer, file?: string): Promise<Staged> {
  if (file === undefined && bytes.length < LARGE_BYTES) return { bytes };
  let path: string | undefined;
  try {
    path = file === undefined ? temporaryPath() : file + PART;
    removePart(path);
    await writeFile(path, bytes, { mode: 0o600, flush: file !== undefined });
    return { bytes, path };
  } catch (error) {
    if (file !== undefined) throw meansDiskFull(error) ? diskFull(path) : error;
    if (path !== undefined) removeTemporary(path);
    return { bytes };
  }
}

const temporaryPath = (): string => join(mkdtempSync(join(tmpdir(), "sandglass-")), "world.db");
const removeTemporary = (path: string): void => rmSync(dirname(path), { recursive: true, force: true });

/** A database that is open. */
interface Opened {
  db: Database.Database;
  /** Where it is; undefined in memory. */
  path?: string;
  /** Reads its file beside SQLite. */
  descriptor?: number;
  /** What reads the file now. */
  reading?: Promise<unknown>;
}

export type Home = ReturnType<typeof createHome>;

/**
 * Where a world's rows are: in the file of a data folder, in memory, or in a temporary file once they are too large to be
 * copied in one go, and while they are at rest. Another database can take the place of the present one.
 * @param file of a data folder
 * @param begins what a new database begins with; without it, it is empty
 */
export function createHome(file: string | undefined, begins: Staged | undefined, tables: readonly string[]) {
  if (file !== undefined && !begins) removePart(file + PART);
  /** Undefined while it is at rest. */
  let opened: Opened | undefined =
    file === undefined ? openFleeting(begins) : { db: openFile(file), path: file };
  /** Reads the file of a database at rest. */
  let resting: number | undefined;
  let generation = 0;
  let closed = false;
  /** Whether there is no room for temporary files. */
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

  /** Where the system allows it, the file has no name from now on, so that a kill leaves nothing behind. */
  function openTemporary(path: string): Opened {
    const db = openFile(path);
    // SQLite opens the log by its name, too.
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

  /** The file has no name from now on, so that a kill leaves nothing behind. */
  function openResting(path: string): number {
    const descriptor = openSync(path, "r");
    removeTemporary(path);
    return descriptor;
  }

  function wake(descriptor: number): void {
    use({ db: openDatabase(readFileSync(descriptor), "fleeting", tables) });
    closeSync(descriptor);
    resting = undefined;
  }

  function use(next: Opened): void {
    opened = next;
    generation += 1;
  }

  function close({ db, path, descriptor, reading }: Opened): void {
    db.close();
    // Not before the database: closing any descriptor of a file ends the locks that the process has on it.
    if (descriptor !== undefined) Promise.resolve(reading).finally(() => closeSync(descriptor));
    if (file === undefined && path !== undefined) removeTemporary(path);
  }

  function current(): Opened {
    // A request that was under way when the sandbox ended may still ask.
    if (closed) throw closedError();
    if (resting !== undefined) wake(resting);
    return opened!;
  }

  function serialize(): Buffer {
    const bytes = current().db.serialize();
    if (opened!.path !== undefined) withoutLog(bytes);
    return bytes;
  }

  return {
    db: (): Database.Database => current().db,
    get generation(): number {
      return generation;
    },
    durable: file !== undefined,
    get inMemory(): boolean {
      return opened?.path === undefined;
    },
    serialize,

    /** The bytes, as they are now. A large file is read in another thread, while it goes on. */
    async copy(): Promise<Buffer> {
      const from = current();
      const { db, path } = from;
      const isSmall = pagesOf(db).count * PAGE_BYTES < LARGE_BYTES;
      if (path === undefined || db.inTransaction || isSmall) return serialize();
      db.pragma("wal_checkpoint(TRUNCATE)");
      // What is written meanwhile stays in the log.
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

    /** Moves a large database out of memory, between two transactions. @returns whether it was large */
    leaveMemory(): boolean {
      const { db } = current();
      const { count, most } = pagesOf(db);
      if (count < most * LARGE_PART) return false;
      const moved = moveToFile(db, openTemporary);
      if (moved) {
        use(moved);
        db.close();
      }
      return true;
    },

    /**
     * Puts another database in the place of this one once `change` is done in it; a throw leaves this one.
     * @param staged what `stage` returned for this file
     */
    replace(staged: Staged, change: () => void): void {
      const old = current();
      try {
        const path = staged.path ?? "";
        use(file === undefined ? openFleeting(staged) : { db: openFile(path), path });
        change();
        // SQLite would write the log of the old one into the new one.
        if (file !== undefined) old.db.pragma("wal_checkpoint(TRUNCATE)");
      } catch (error) {
        if (opened !== old) {
          close(opened!);
          use(old);
        }
        if (staged.path !== undefined && file !== undefined) removePart(staged.path);
        throw error;
      }
      close(old);
      if (file === undefined) return;
      opened!.db.close();
      try {
        renameSync(staged.path!, file);
      } finally {
        use({ db: openFile(file), path: file });
      }
    },

    /** Releases the memory of an idle database: it is in a temporary file until it is used. */
    rest(): void {
      if (!opened || opened.path !== undefined) return;
      resting = moveToFile(opened.db, openResting);
      if (resting === undefined) return;
      opened.db.close();
      opened = undefined;
    },
    get resting(): boolean {
      return resting !== undefined;
    },

    /** The error for a database without room. */
    withoutRoom(): SandboxError {
      if (file !== undefined) return diskFull(file);
      const { count, most } = pagesOf(current().db);
      return opened!.path === undefined || count === most ? worldFull() : diskFull(tmpdir());
    },

    close(): void {
      closed = true;
      if (opened) close(opened);
      if (resting !== undefined) closeSync(resting);
    },
  };
}

/** How many pages a database has, and can have. */
function pagesOf(db: Database.Database) {
  const read = (name: string) => db.pragma(name, { simple: true }) as number;
  return { count: read("page_count"), most: read("max_page_count") };
}

/** Reads a file that nothing writes to. */
async function readWhole(descriptor: number): Promise<Buffer> {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await readFrom(descriptor, bytes, at, Math.min(READ_BYTES, size - at), at);
    at += bytesRead;
  }
  return bytes;
}

/** The bytes of a database whose log is empty, as those of one without: SQLite opens no other in memory. */
function withoutLog(bytes: Buffer): Buffer {
  // https://sqlite.org/fileformat.html: the versions for writing and reading.
  bytes[18] = 1;
  bytes[19] = 1;
  return bytes;
}
