import { fstatSync, read } from "node:fs";
import { promisify } from "node:util";

/** How many bytes are read from a file at a time. */
const READ_BYTES = 8 * 1024 * 1024;
const readFrom = promisify(read);

/** Reads a whole file that no process writes to. */
export async function readWhole(descriptor: number): Promise<Buffer> {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await readFrom(descriptor, bytes, at, Math.min(READ_BYTES, size - at), at);
    at += bytesRead;
  }
  return bytes;
}

/**
 * Converts the bytes of a database in WAL mode, with an empty log, to those of one without a log: SQLite opens only such bytes in
 * memory.
 */
export function withoutLog(bytes: Buffer): Buffer {
  // The file format versions for writing and reading; see https://sqlite.org/fileformat.html.
  bytes[18] = 1;
  bytes[19] = 1;
  return bytes;
}
