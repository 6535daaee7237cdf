import { readFileSync, type Stats, statSync } from "node:fs";
import { type ErrorCode, SandboxError } from "../errors/errors.ts";

/**
 * Reads a file that may have come with a repository. Endless files, such as a FIFO or a device, are never opened.
 * @param shown the path as the user wrote it
 * @param most bytes
 * @throws SandboxError with the code, if it is not a regular file, or too large
 */
export function readRegularFile(path: string, shown: string, most: number, code: ErrorCode): Buffer {
  const stats = statSync(path);
  if (!stats.isFile())
    throw new SandboxError(
      code,
      `${shown} is ${kindOf(stats)}, not a regular file.`,
      "Put a file in its place.",
    );
  if (stats.size > most)
    throw new SandboxError(
      code,
      `${shown} has ${mebibytes(stats.size)}; it can have at most ${mebibytes(most)}.`,
      "Use a smaller file.",
    );
  return readFileSync(path);
}

/** A size in an error, such as 64 MiB. */
export const mebibytes = (bytes: number): string => `${Number((bytes / 1024 ** 2).toFixed(1))} MiB`;

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a FIFO";
  return stats.isSocket() ? "a socket" : "a device";
}
