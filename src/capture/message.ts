import type { IncomingMessage } from "node:http";

/** Far above what any sender sends: GitHub, whose webhooks are the largest, stops at 25 MiB. */
export const MAX_BODY_MIB = 64;

const MAX_BODY = MAX_BODY_MIB * 1024 ** 2;

/**
 * The whole body, unless the other side breaks it off. As much again as the limit is read and discarded: most senders read
 * an answer only once they have written everything.
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

/** Headers one by one, of the names and values in turn that Node has. */
export function headerPairs(raw: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!]);
}
