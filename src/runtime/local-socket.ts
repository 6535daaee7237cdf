import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { invalidState } from "../errors/errors.ts";

export interface LocalSocket {
  /** The path of a Unix domain socket, or of a named pipe on Windows. */
  path: string;
  remove(): void;
}

/**
 * The maximum length of a socket path in bytes that works on all systems: the limit is 104 on macOS and 108 on Linux,
 * including the terminator.
 */
const LONGEST_PATH = 103;
const NAME = "sandglass-";
/** The number of characters that the system appends to make the folder's name unique. */
const ADDED = 6;
const SOCKET = "s";

const open = new Set<string>();

/**
 * Chooses a socket path in a temporary folder that only this user can access. `remove` deletes the folder, and so does
 * the process when it exits, even after an exception. A killed process leaves it behind.
 * @throws SandboxError `invalid_state` if no temporary folder has room for it
 */
export function makeLocalSocket(): LocalSocket {
  const folder = makeFolder();
  if (open.size === 0) process.on("exit", removeAll);
  open.add(folder);
  return {
    path: process.platform === "win32" ? `\\\\.\\pipe\\${basename(folder)}` : join(folder, SOCKET),
    remove() {
      open.delete(folder);
      if (open.size === 0) process.off("exit", removeAll);
      removeFolder(folder);
    },
  };
}

function makeFolder(): string {
  const temporary = tmpdir();
  const roots = process.platform === "win32" ? [temporary] : [temporary, "/tmp"].filter(hasRoom);
  let reason = `the path of ${temporary} is too long: the path of a socket has at most ${LONGEST_PATH} bytes`;
  for (const root of roots) {
    try {
      return mkdtempSync(join(root, NAME));
    } catch (error) {
      reason = (error as Error).message;
    }
  }
  throw invalidState(
    `Cannot create a socket: ${reason}.`,
    "Set TMPDIR to a temporary folder with a short path, or leave out port: false.",
  );
}

const hasRoom = (root: string): boolean =>
  Buffer.byteLength(join(root, NAME, SOCKET)) + ADDED <= LONGEST_PATH;

function removeAll(): void {
  for (const folder of open) removeFolder(folder);
}

const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });
