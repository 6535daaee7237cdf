import { readFileSync, type Stats, statSync } from "node:fs";
import { type ErrorCode, misuse, SandboxError } from "../errors/errors.ts";
import { refuseLinks } from "./private-files.ts";

/**
 * Reads a file that may have come with a repository. Endless files, such as FIFOs and devices, are never opened.
 * @param shown the path as the user wrote it
 * @param most the maximum size in bytes
 * @throws SandboxError with the given code if it is not a regular file or is too large
 */
export function readRegularFile(path: string, shown: string, most: number, code: ErrorCode): Buffer {
  const stats = statSync(path);
  if (!stats.isFile())
    throw new SandboxError(
      code,
      `${shown} is ${kindOf(stats)}, not a regular file.`,
      "Replace it with a regular file.",
    );
  if (stats.size > most)
    throw new SandboxError(
      code,
      `${shown} is ${mebibytes(stats.size)}; the limit is ${mebibytes(most)}.`,
      "Use a smaller file.",
    );
  return readFileSync(path);
}

/**
 * Reads a file in a folder that may have come with a repository, without following links below the folder.
 * @throws SandboxError `bad_request` for a link; otherwise like `readRegularFile`
 */
export function readFileOf(folder: string, path: string, shown: string, most: number): Buffer {
  try {
    refuseLinks(path, folder);
  } catch (error) {
    throw misuse(`Cannot read ${shown}: ${(error as Error).message}.`, "Put a regular file there.");
  }
  return readRegularFile(path, shown, most, "bad_request");
}

/** Formats a size for error messages, such as 64 MiB. */
export const mebibytes = (bytes: number): string => `${Number((bytes / 1024 ** 2).toFixed(1))} MiB`;

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a FIFO";
  return stats.isSocket() ? "a socket" : "a device";
}
