import { chmodSync, lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { makeFolder } from "./make-folder.ts";

/** Writes files with tokens, secrets or customer data so only the user who runs this process can read them. */

/** Denies other users access to a file or folder. */
export function narrow(path: string): void {
  const { mode } = lstatSync(path);
  // Windows has no such permissions, and reports all of them as set.
  if ((mode & 0o077) !== 0 && process.platform !== "win32") chmodSync(path, mode & 0o700);
}

/**
 * Creates a folder that only this user can access. If the folder exists, restricts access to Sandglass's own files. The
 * folder itself is restricted only if it contains no other files, because other users may need those.
 * @param own matches the names of Sandglass's own files
 */
export function makePrivateFolder(folder: string, own: RegExp): void {
  makeFolder(folder, 0o700);
  const { mode, uid } = lstatSync(folder);
  if ((mode & 0o077) === 0 || process.platform === "win32") return;
  const names = readdirSync(folder);
  for (const name of names) if (own.test(name)) narrow(join(folder, name));
  if (uid === process.getuid!() && names.every((name) => own.test(name))) narrow(folder);
}

/** Writes a file that only this user can access, replacing any existing file. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  // Create a new file instead of writing to an existing one, which may be open in another program or may be a link.
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode: 0o600, flag: "wx" });
}

/**
 * Rejects symbolic links below a folder, which may be a repository that contains other people's links. Paths outside
 * the folder are allowed, because the user chose them.
 * @throws Error with a message that can follow a colon
 */
export function refuseLinks(path: string, folder = process.cwd()): void {
  const names = relative(folder, path).split(sep);
  if (names[0] === "..") return;
  for (let [index, at] = [0, folder]; index < names.length; index += 1) {
    at = join(at, names[index]!);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink())
      throw new Error(`${relative(folder, at)} is a symbolic link, which could point anywhere`);
    if (!stats?.isDirectory()) return;
  }
}
