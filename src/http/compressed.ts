import { promisify } from "node:util";
import type { FastifyReply } from "fastify";
import type { App } from "./types.ts";

type Encoding = (typeof ENCODINGS)[number];

/** In order of preference. */
const ENCODINGS = ["br", "gzip"] as const;
/** Brotli's default quality takes a hundred times as long for a tenth less. */
const BROTLI_QUALITY = 5;
/** Smaller texts are sent uncompressed: they fit into one packet anyway. */
const LEAST_BYTES = 1_400;
/** A smaller answer takes longer to compress than to send to this machine. */
const LEAST_ANSWER_BYTES = 4 * 1_024;

/** Sends a text compressed, if the client accepts that. @param reply its content type is set already */
export async function sendCompressed(reply: FastifyReply, text: string | Buffer): Promise<FastifyReply> {
  if (Buffer.byteLength(text) < LEAST_BYTES) return reply.send(text);
  const encoding = chooseEncoding(reply);
  if (encoding === undefined) return reply.send(text);
  return reply.header("content-encoding", encoding).send(await compress(text, encoding));
}

/** Compresses large answers of an app for browsers, which may be on another machine. */
export function compressAnswers(app: App): void {
  app.addHook("onSend", async ({ headers }, reply, payload) => {
    const isLarge = typeof payload === "string" && payload.length >= LEAST_ANSWER_BYTES;
    if (!isLarge || headers["sec-fetch-mode"] === undefined) return payload;
    if (chooseEncoding(reply, ["gzip"]) === undefined) return payload;
    reply.header("content-encoding", "gzip");
    return compress(payload, "gzip", 1);
  });
}

/** The compressors are loaded on first use. */
async function compress(bytes: string | Buffer, encoding: Encoding, level?: number): Promise<Buffer> {
  const { brotliCompress, constants, gzip } = await import("node:zlib");
  if (encoding === "br")
    return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  return promisify(gzip)(bytes, level === undefined ? {} : { level });
}

/** The first of these encodings that the client accepts (RFC 9110, 12.5.3); the answer's Vary names the header. */
function chooseEncoding(
  reply: FastifyReply,
  encodings: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  const varies = reply.getHeader("vary");
  reply.header("vary", varies === undefined ? "accept-encoding" : `${varies}, accept-encoding`);
  const accepted = String(reply.request.headers["accept-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((text) => text.trim()))
    .filter(([, weight = "q=1"]) => Number(weight.replace(/^q=/, "")) > 0)
    .map(([name]) => name);
  return encodings.find((name) => accepted.includes(name));
}
