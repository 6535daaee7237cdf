import type { IncomingMessage } from "node:http";

/**
 * The size limit for bodies. It is far above any sender's own limit: GitHub, which sends the largest webhooks, stops at
 * 25 MiB.
 */
export const MAX_BODY_MIB = 64;

const MAX_BODY = MAX_BODY_MIB * 1024 ** 2;

/**
 * Reads the whole body, unless the other side aborts. If the body exceeds the limit, as many bytes again are read and
 * discarded, because most senders read the response only after they have written everything.
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

/** Groups Node's alternating header names and values into pairs. */
export function headerPairs(raw: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!]);
}
