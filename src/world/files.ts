import { closeSync, copyFileSync, existsSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import { hintOfOption, SandboxError } from "../errors/errors.ts";
import { reasonOf } from "../errors/file-error.ts";
import { makePrivateFolder, narrow } from "../runtime/private-files.ts";

/** The databases of worlds in a data folder. */
const EXTENSION = ".db";
/** What SQLite has beside a database while it is open, or after a kill. */
const WAL = "-wal";
const BESIDE = [WAL, "-shm", "-journal"];
/** What a database is written to that takes the place of another. */
export const PART = ".part";

export const worldFile = (folder: string, world: string): string => join(folder, world + EXTENSION);

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
    throw new SandboxError(
      "invalid_state",
      `Cannot use the data folder ${folder}: ${reasonOf(error)}.`,
      hintOfOption("--data-dir", "dataDir", (option) => `Name a folder that can be written with ${option}.`),
    );
  }
}

/** The worlds whose databases a data folder has. */
export function worldsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length));
}

/** Removes a world that is closed: after a kill in between, its name is as good as free. */
export function removeWorld(folder: string, world: string): void {
  const file = worldFile(folder, world);
  rmSync(file, { force: true });
  removeBeside(file);
}

/**
 * Gives the file of a world that is closed a name under which no world is opened.
 * @returns the name
 */
export function setAside(folder: string, world: string): string {
  const file = worldFile(folder, world);
  let aside = `${file}.set-aside`;
  for (let number = 2; existsSync(aside); number += 1) aside = `${file}.set-aside-${number}`;
  // The log first, and as a copy: a kill never leaves the one without the other, under either name.
  if (existsSync(file + WAL)) copyFileSync(file + WAL, aside + WAL);
  renameSync(file, aside);
  removeBeside(file);
  return aside;
}

/** Without its database SQLite itself takes no notice of them. */
function removeBeside(file: string): void {
  for (const suffix of BESIDE) rmSync(file + suffix, { force: true });
  removePart(file + PART);
}

/** Removes what a kill left of a database that was to take the place of another. */
export function removePart(part: string): void {
  for (const suffix of ["", ...BESIDE]) rmSync(part + suffix, { force: true });
}
