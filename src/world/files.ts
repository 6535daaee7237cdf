import { closeSync, copyFileSync, existsSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import { hintOfOption, invalidState } from "../errors/errors.ts";
import { reasonOf } from "../errors/file-error.ts";
import { makePrivateFolder, narrow } from "../runtime/private-files.ts";

/** The databases of worlds in a data folder. */
const EXTENSION = ".db";
/** The file that SQLite keeps beside a database while it is open, or after a kill. */
const WAL = "-wal";
const BESIDE = [WAL, "-shm", "-journal"];
/** The file into which a database is written that is to replace another. */
export const PART = ".part";

export const worldFile = (folder: string, world: string): string => join(folder, world + EXTENSION);

/** The file of the world that the one in `file` replaced. */
export const replacedFile = (file: string): string => `${file}.replaced`;

/** What Sandglass writes into a data folder. */
const OWN_NAME = /^snapshots$|\.db(?:$|[-.])/;

/**
 * Makes a data folder, and the file of a world in it, for this user alone.
 * @returns the file; SQLite gives those beside it the same permissions
 * @throws SandboxError `invalid_state` when the folder cannot be used, `disk_full`
 */
export function prepareWorldFile(folder: string, world: string): string {
  const file = worldFile(folder, world);
  try {
    makePrivateFolder(folder, OWN_NAME);
    closeSync(openSync(file, "a", 0o600));
    narrow(file);
    return file;
  } catch (error) {
    if (meansDiskFull(error)) throw diskFull(folder);
    throw invalidState(
      `Cannot use the data folder ${folder}: ${reasonOf(error)}.`,
      hintOfOption("--data-dir", "dataDir", (option) => `Name a folder that can be written with ${option}.`),
    );
  }
}

/**
 * Puts a closed database in the place of a world's database. After a kill in between, `finishReplacements` does the second
 * step.
 * @param retains whether the world's own database becomes its replaced one
 */
export function putInPlace(part: string, file: string, retains: boolean): void {
  if (retains) renameSync(file, replacedFile(file));
  try {
    renameSync(part, file);
  } catch (error) {
    if (retains) renameSync(replacedFile(file), file);
    throw error;
  }
}

/** Finishes replacements that a kill interrupted after the old database had been moved away. */
export function finishReplacements(folder: string): void {
  if (!existsSync(folder)) return;
  const parts = readdirSync(folder).filter((name) => name.endsWith(EXTENSION + PART));
  for (const part of parts.map((name) => join(folder, name))) {
    const file = part.slice(0, -PART.length);
    if (!existsSync(file)) renameSync(part, file);
  }
}

/** The worlds that have a database in a data folder. */
export function worldsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length));
}

/** Removes a closed world. After a kill in between, either the world is whole or its name is free again. */
export function removeWorld(folder: string, world: string): void {
  const file = worldFile(folder, world);
  removePart(file + PART);
  rmSync(replacedFile(file), { force: true });
  rmSync(file, { force: true });
  removeBeside(file);
}

/** Renames the file of a closed world so that no world is opened from it. @returns the name */
export function setAside(folder: string, world: string): string {
  const file = worldFile(folder, world);
  let aside = `${file}.set-aside`;
  for (let number = 2; existsSync(aside); number += 1) aside = `${file}.set-aside-${number}`;
  // The log is copied first: a kill never leaves the database without its log, under either name.
  if (existsSync(file + WAL)) copyFileSync(file + WAL, aside + WAL);
  if (existsSync(replacedFile(file))) renameSync(replacedFile(file), replacedFile(aside));
  removePart(file + PART);
  renameSync(file, aside);
  removeBeside(file);
  return aside;
}

/** SQLite ignores these files when their database is gone. */
function removeBeside(file: string): void {
  for (const suffix of BESIDE) rmSync(file + suffix, { force: true });
}

/** Removes a database that a kill left before it could replace another. */
export function removePart(part: string): void {
  for (const suffix of ["", ...BESIDE]) rmSync(part + suffix, { force: true });
}
