/** Bodies that a `Content-Encoding` compresses. */

/** The functions of node:zlib, which is loaded on use: few senders compress. */
const CODECS = {
  gzip: ["gzipSync", "gunzipSync"],
  deflate: ["deflateSync", "inflateSync"],
  br: ["brotliCompressSync", "brotliDecompressSync"],
  zstd: ["zstdCompressSync", "zstdDecompressSync"],
} as const;
export type ContentEncoding = keyof typeof CODECS;

export const CONTENT_ENCODINGS = Object.keys(CODECS) as ContentEncoding[];

/** The encoding that headers name, in lower case; empty for none. */
export function contentEncoding(headers: Readonly<Record<string, string>>): string {
  const [, text = ""] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === "content-encoding") ?? [];
  const encoding = text.trim().toLowerCase();
  return encoding === "identity" ? "" : encoding.replace(/^x-(?=gzip$)/, "");
}

const zlib = () => process.getBuiltinModule("node:zlib");

export const isContentEncoding = (encoding: string): encoding is ContentEncoding =>
  Object.hasOwn(CODECS, encoding);

/** A body as its headers promise it; a text without a known encoding. */
export function encodeBody<Body extends string | null>(
  body: Body,
  headers: Readonly<Record<string, string>>,
): Body | Buffer<ArrayBuffer> {
  if (body === null) return body;
  const encoding = contentEncoding(headers);
  return isContentEncoding(encoding) ? zlib()[CODECS[encoding][0]](body) : body;
}

/** @param most bytes of the result @throws Error for bytes that are not compressed so, or are too many */
export const decodeBody = (bytes: Buffer, encoding: ContentEncoding, most: number): Buffer =>
  zlib()[CODECS[encoding][1]](bytes, { maxOutputLength: most });
