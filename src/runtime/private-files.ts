import { chmodSync, lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { makeFolder } from "./make-folder.ts";

/** Writes files with tokens, secrets and customers so that only this process's user can read them. */

/** Removes the permissions of other users from a file or folder. */
export function narrow(path: string): void {
  const { mode } = lstatSync(path);
  // Windows has no such permissions, and reports all of them as set.
  if ((mode & 0o077) !== 0 && process.platform !== "win32") chmodSync(path, mode & 0o700);
}

/**
 * Makes a folder for this user alone. In an existing one, Sandglass's own files are narrowed, and the folder, too, if it has no
 * others, which may belong to other users.
 * @param own matches the names of files that Sandglass writes into it
 */
export function makePrivateFolder(folder: string, own: RegExp): void {
  makeFolder(folder, 0o700);
  const { mode, uid } = lstatSync(folder);
  if ((mode & 0o077) === 0 || process.platform === "win32") return;
  const names = readdirSync(folder);
  for (const name of names) if (own.test(name)) narrow(join(folder, name));
  if (uid === process.getuid!() && names.every((name) => own.test(name))) narrow(folder);
}

/** Writes a file for this user alone, in place of an existing one. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  // Create a new file: an existing one may be open in another program, or be a link.
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode: 0o600, flag: "wx" });
}

/**
 * Refuses symbolic links below a folder, which may be a repository with links of others. The user named any path outside.
 * @throws Error for use in a sentence after a colon
 */
export function refuseLinks(path: string, folder = process.cwd()): void {
  const names = relative(folder, path).split(sep);
  if (names[0] === "..") return;
  for (let [index, at] = [0, folder]; index < names.length; index += 1) {
    at = join(at, names[index]!);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink())
      throw new Error(`${relative(folder, at)} is a symbolic link, which could lead anywhere`);
    if (!stats?.isDirectory()) return;
  }
}
