import { closeSync, copyFileSync, existsSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import { hintOfOption, invalidState } from "../errors/errors.ts";
import { reasonOf } from "../errors/file-error.ts";
import { makePrivateFolder, narrow } from "../runtime/private-files.ts";

/** The extension of world databases in a data folder. */
const EXTENSION = ".db";
/** The suffix of SQLite's log file, which exists while a database is open or after a kill. */
const WAL = "-wal";
const BESIDE = [WAL, "-shm", "-journal"];
/** The suffix of a new database's file before it replaces another. */
export const PART = ".part";

export const worldFile = (folder: string, world: string): string => join(folder, world + EXTENSION);

/** The path of the database that `file` replaced. */
export const replacedFile = (file: string): string => `${file}.replaced`;

/** Names of files that Sandglass writes in a data folder. */
const OWN_NAME = /^snapshots$|\.db(?:$|[-.])/;

/**
 * Creates a data folder with a world's file, accessible only to this user.
 * @returns the file's path; SQLite creates its other files with the same permissions
 * @throws SandboxError `invalid_state` if the folder cannot be used, `disk_full`
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
      hintOfOption("--data-dir", "dataDir", (option) => `Choose a writable folder with ${option}.`),
    );
  }
}

/**
 * Replaces a world's database with a closed one. After a kill in between, `finishReplacements` completes the second step.
 * @param retains whether to keep the old database as the replaced one
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

/** Stores a staged database as the one that `file` replaced. */
export const putAsReplaced = (part: string, file: string): void => renameSync(part, replacedFile(file));

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

/** Removes a closed world. After a kill in between, the world is either complete or fully removed. */
export function removeWorld(folder: string, world: string): void {
  const file = worldFile(folder, world);
  removePart(file + PART);
  rmSync(replacedFile(file), { force: true });
  rmSync(file, { force: true });
  removeBeside(file);
}

/** Renames a closed world's file so that it is not opened as a world. @returns the new name */
export function setAside(folder: string, world: string): string {
  const file = worldFile(folder, world);
  let aside = `${file}.set-aside`;
  for (let number = 2; existsSync(aside); number += 1) aside = `${file}.set-aside-${number}`;
  // Copy the log first, so that a kill never leaves the database without its log, under either name.
  if (existsSync(file + WAL)) copyFileSync(file + WAL, aside + WAL);
  if (existsSync(replacedFile(file))) renameSync(replacedFile(file), replacedFile(aside));
  removePart(file + PART);
  renameSync(file, aside);
  removeBeside(file);
  return aside;
}

/** SQLite ignores these files without their database. */
function removeBeside(file: string): void {
  for (const suffix of BESIDE) rmSync(file + suffix, { force: true });
}

/** Removes a new database's file that a kill prevented from replacing another. */
export function removePart(part: string): void {
  for (const suffix of ["", ...BESIDE]) rmSync(part + suffix, { force: true });
}
