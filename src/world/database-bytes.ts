import { fstatSync, read } from "node:fs";
import { promisify } from "node:util";

/** Read at once from a file. */
const READ_BYTES = 8 * 1024 * 1024;
const readFrom = promisify(read);

/** Reads a file that nothing writes to. */
export async function readWhole(descriptor: number): Promise<Buffer> {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await readFrom(descriptor, bytes, at, Math.min(READ_BYTES, size - at), at);
    at += bytesRead;
  }
  return bytes;
}

/** The bytes of a database whose log is empty, as those of one without: SQLite opens no other in memory. */
export function withoutLog(bytes: Buffer): Buffer {
  // https://sqlite.org/fileformat.html: the versions for writing and reading.
  bytes[18] = 1;
  bytes[19] = 1;
  return bytes;
}
