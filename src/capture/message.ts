import type { IncomingMessage } from "node:http";

/** Far above what any sender sends: GitHub, whose webhooks are the largest, stops at 25 MiB. */
export const MAX_BODY_MIB = 64;

const MAX_BODY = MAX_BODY_MIB * 1024 ** 2;

/**
 * Reads the whole body, unless the other side aborts. Past the limit, as much again is read and discarded: most
 * senders read an answer only once they have written everything.
 */
export async function readBody(message: IncomingMessage): Promise<Buffer | "broken" | "too large"> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message) {
      size += chunk.length;
      if (size <= MAX_BODY) chunks.push(chunk);
      else if (size > 2 * MAX_BODY) break;
    }
  } catch {
    return "broken";
  }
  return size > MAX_BODY ? "too large" : Buffer.concat(chunks);
}

/** Pairs of the alternating names and values that Node returns. */
export function headerPairs(raw: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!]);
}
