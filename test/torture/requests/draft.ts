import type { Area } from "./documents.ts";

/** A request before it is converted to bytes. */
export interface Draft {
  operation: string;
  area: Area;
  /** The path as written in the document. */
  template: string;
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  chunked: boolean;
}

/** A request as it is sent. */
export interface RawRequest {
  operation: string;
  area: Area;
  template: string;
  bytes: Buffer;
  /** Whether the response will have no body. */
  bodiless: boolean;
  /**
   * Whether it cannot be read as one HTTP request, or is the last one on its connection. If so, it gets its own
   * connection.
   */
  broken: boolean;
  /** Whether it still uses the path in the document, so an error must be in the format of that path's area. */
  plain: boolean;
}

/** Ways to damage the bytes so that they are no longer a complete HTTP request. */
export const DAMAGES = [
  "cut",
  "flip",
  "insert",
  "length-low",
  "length-high",
  "both-lengths",
  "bad-chunk",
] as const;
export type Damage = (typeof DAMAGES)[number];

export function toBytes(draft: Draft, damage?: { kind: Damage; at: number; byte: number }): Buffer {
  const headers = [...draft.headers];
  let body = draft.body ?? Buffer.alloc(0);
  const kind = damage?.kind;
  if (draft.chunked || kind === "bad-chunk") {
    headers.push(["Transfer-Encoding", "chunked"]);
    body = Buffer.from(chunksOf(body, kind === "bad-chunk" ? "zz" : body.length.toString(16)), "latin1");
  }
  if (kind === "length-low") headers.push(["Content-Length", String(Math.floor(body.length / 2))]);
  else if (kind === "length-high") headers.push(["Content-Length", String(body.length + 10)]);
  else if (kind === "both-lengths" || (!draft.chunked && kind !== "bad-chunk" && draft.body !== undefined))
    headers.push(["Content-Length", String(body.length)]);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = Buffer.from(`${draft.method} ${draft.target} HTTP/1.1\r\n${lines}\r\n`, "latin1");
  const bytes = Buffer.concat([head, body]);
  if (!damage) return bytes;
  const place = Math.floor(damage.at * bytes.length);
  if (kind === "cut") return bytes.subarray(0, place);
  if (kind === "flip") bytes[place] = damage.byte;
  if (kind === "insert")
    return Buffer.concat([bytes.subarray(0, place), Buffer.from([damage.byte]), bytes.subarray(place)]);
  return bytes;
}

function chunksOf(body: Buffer, firstSize: string): string {
  const text = body.toString("latin1");
  return `${text === "" ? "" : `${firstSize}\r\n${text}\r\n`}0\r\n\r\n`;
}
