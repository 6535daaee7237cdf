/** Compresses and decompresses bodies according to `Content-Encoding`. */

/** Functions of node:zlib, loaded on first use because few senders compress their bodies. */
const CODECS = {
  gzip: ["gzipSync", "gunzipSync"],
  deflate: ["deflateSync", "inflateSync"],
  br: ["brotliCompressSync", "brotliDecompressSync"],
  zstd: ["zstdCompressSync", "zstdDecompressSync"],
} as const;
export type ContentEncoding = keyof typeof CODECS;

export const CONTENT_ENCODINGS = Object.keys(CODECS) as ContentEncoding[];

/** The content encoding in the headers, in lower case; empty if the headers name no encoding. */
export function contentEncoding(headers: Readonly<Record<string, string>>): string {
  const [, text = ""] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === "content-encoding") ?? [];
  const encoding = text.trim().toLowerCase();
  return encoding === "identity" ? "" : encoding.replace(/^x-(?=gzip$)/, "");
}

const zlib = () => process.getBuiltinModule("node:zlib");

export const isContentEncoding = (encoding: string): encoding is ContentEncoding =>
  Object.hasOwn(CODECS, encoding);

/** Encodes a body as its headers declare. Without a supported encoding, it stays a string. */
export function encodeBody<Body extends string | null>(
  body: Body,
  headers: Readonly<Record<string, string>>,
): Body | Buffer<ArrayBuffer> {
  if (body === null) return body;
  const encoding = contentEncoding(headers);
  return isContentEncoding(encoding) ? zlib()[CODECS[encoding][0]](body) : body;
}

/**
 * @param most the maximum size of the result in bytes
 * @throws Error if the bytes are invalid or the result is too large
 */
export const decodeBody = (bytes: Buffer, encoding: ContentEncoding, most: number): Buffer =>
  zlib()[CODECS[encoding][1]](bytes, { maxOutputLength: most });
