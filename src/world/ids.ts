import type { Random } from "./random.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Forms of identifiers, drawn from the world's seeded streams. */
export interface Ids {
  /** A resource id: the prefix, then 16 base62 characters (`pl_4fTzK0…`). */
  next(prefix: string): string;
  /** `length` base62 characters (at most 32) from a stream of its own. */
  code(stream: string, length: number): string;
  /** `0x` and `bytes` random bytes in hex: 20 for an address, 32 for a transaction hash. */
  hex(stream: string, bytes: number): string;
}

export function createIds(random: Random): Ids {
  function base62(stream: string, length: number): string {
    const bytes = random.bytes(stream);
    let text = "";
    for (let index = 0; index < length; index += 1) text += BASE62[bytes[index]! % 62];
    return text;
  }
  return {
    next: (prefix) => prefix + base62(prefix, 16),
    code: base62,
    hex: (stream, bytes) => `0x${random.bytes(stream).subarray(0, bytes).toString("hex")}`,
  };
}
