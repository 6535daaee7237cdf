import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import type Database from "better-sqlite3";
import { diskFull } from "../errors/disk-full.ts";
import type { SandboxError } from "../errors/errors.ts";
import { closedError, isEmpty, worldFull } from "./database.ts";
import { PART, putAsReplaced, putInPlace, removePart, replacedFile } from "./files.ts";
import { type Staged, stage } from "./staged.ts";
import { openDurable, openFleeting, pagesOf, type WorldDatabase } from "./world-database.ts";

/** A replacement for a database: bytes, or the previously replaced database. */
export type Replacement = Staged | WorldDatabase;

export type Home = ReturnType<typeof createHome>;

/**
 * Where a world's rows are stored: a file in a data folder, or memory and temporary files. Another database can replace
 * the current one, which is retained until the next replacement.
 * @param file the path in a data folder
 * @param begins the content of a new database; by default, it is empty
 */
export function createHome(file: string | undefined, begins: Staged | undefined, tables: readonly string[]) {
  if (file !== undefined && !begins) removePart(file + PART);
  let present = file === undefined ? openFleeting(begins, tables) : openDurable(file, tables);
  /** The database that the current one replaced; in a data folder, that is a file instead. */
  let replaced: WorldDatabase | undefined;
  let closed = false;

  /** A request in progress may still call this after the sandbox was closed. */
  function current(): WorldDatabase {
    if (closed) throw closedError();
    return present;
  }

  function openNext(next: Replacement): WorldDatabase {
    if (!("bytes" in next)) return next;
    return file === undefined ? openFleeting(next, tables) : openDurable(next.path!, tables);
  }

  return {
    db: (): Database.Database => current().db(),
    durable: file !== undefined,
    get inMemory(): boolean {
      return present.inMemory;
    },
    get resting(): boolean {
      return present.resting;
    },
    serialize: () => current().serialize(),
    copy: () => current().copy(),
    leaveMemory: () => present.leaveMemory(),

    /**
     * The database that the current one replaced, to pass to `replace`; undefined if there isn't one.
     * @throws SandboxError `disk_full`
     */
    async replaced(): Promise<Replacement | undefined> {
      if (file === undefined) return replaced;
      const path = replacedFile(file);
      return existsSync(path) ? stage(await readFile(path), file) : undefined;
    },

    /**
     * Replaces this database with another after running `change` in the other. If that throws, this one stays.
     * @param next the result of `stage` for this file, or of `replaced`
     */
    replace(next: Replacement, change: () => void): void {
      const old = current();
      const retains = !isEmpty(old.db());
      const part = file !== undefined && "bytes" in next ? next.path : undefined;
      try {
        present = openNext(next);
        change();
        // Without this, SQLite would write the log of the old database into the new one.
        if (file !== undefined) old.db().pragma("wal_checkpoint(TRUNCATE)");
      } catch (error) {
        if (present !== old && present !== replaced) present.close();
        present = old;
        if (part !== undefined) removePart(part);
        throw error;
      }
      if (file === undefined) {
        if (next !== replaced) replaced?.close();
        replaced = old;
        return;
      }
      old.close();
      present.close();
      try {
        putInPlace(part!, file, retains);
      } finally {
        present = openDurable(file, tables);
      }
    },

    /** Stores a copy of this database as the replaced one. @param copy the result of `stage` for this file */
    keep(copy: Staged): void {
      if (file !== undefined) putAsReplaced(copy.path!, file);
      else {
        replaced?.close();
        replaced = openFleeting(copy, tables);
      }
    },

    rest(): void {
      present.rest();
      replaced?.rest();
    },

    /** Returns the error for a full database or disk. */
    withoutRoom(): SandboxError {
      if (file !== undefined) return diskFull(file);
      const { count, most } = pagesOf(current().db());
      return present.inMemory || count === most ? worldFull() : diskFull(tmpdir());
    },

    close(): void {
      closed = true;
      present.close();
      replaced?.close();
    },
  };
}
