import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply } from "fastify";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

type Encoding = keyof typeof COMPRESS;

/** By preference. Brotli's default quality takes a hundred times as long as this one for a tenth less. */
const COMPRESS = {
  br: (bytes: Buffer) => brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => gzipAsync(bytes),
};

/** Bytes below which an answer is sent as it is: it fits into one packet anyway. */
const LEAST_BYTES = 1_400;

const compressed = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();

/**
 * Sends a text compressed, if the client accepts that. A buffer that is sent again is compressed once.
 * @param reply its content type is set already
 */
export async function sendCompressed(reply: FastifyReply, text: string | Buffer): Promise<FastifyReply> {
  if (Buffer.byteLength(text) < LEAST_BYTES) return reply.send(text);
  const varies = reply.getHeader("vary");
  reply.header("vary", varies === undefined ? "accept-encoding" : `${varies}, accept-encoding`);
  const encoding = acceptedEncoding(reply.request.headers["accept-encoding"]);
  if (encoding === undefined) return reply.send(text);
  return reply.header("content-encoding", encoding).send(await compressOnce(text, encoding));
}

function compressOnce(text: string | Buffer, encoding: Encoding): Promise<Buffer> {
  if (typeof text === "string") return COMPRESS[encoding](Buffer.from(text));
  const results = compressed.get(text) ?? new Map<Encoding, Promise<Buffer>>();
  compressed.set(text, results);
  const result = results.get(encoding) ?? COMPRESS[encoding](text);
  results.set(encoding, result);
  return result;
}

/** The best encoding that an Accept-Encoding header names with a weight above 0 (RFC 9110, 12.5.3). */
function acceptedEncoding(header: string | string[] = ""): Encoding | undefined {
  const accepted = String(header)
    .split(",")
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/),
    )
    .filter(([, weight = "1"]) => Number(weight) > 0)
    .map(([name]) => name);
  return (Object.keys(COMPRESS) as Encoding[]).find((name) => accepted.includes(name));
}
