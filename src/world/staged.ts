import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import { MOST_PAGES, PAGE_BYTES } from "./database.ts";
import { PART, removePart } from "./files.ts";

/** A database's bytes, and a file with these bytes if the new database should live in a file. */
export interface Staged {
  bytes: Buffer;
  path?: string;
}

/**
 * The size from which a database moves from memory to a file (128 MiB), where copying it does not block other work.
 */
export const LARGE_PAGES = MOST_PAGES / 8;
export const LARGE_BYTES = LARGE_PAGES * PAGE_BYTES;

/**
 * Writes a new database's bytes to a file in another thread, if the database should live in a file.
 * @param file the world's file in a data folder
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

export const temporaryPath = (): string => join(mkdtempSync(join(tmpdir(), "sandglass-")), "world.db");
export const removeTemporary = (path: string): void =>
  rmSync(dirname(path), { recursive: true, force: true });
