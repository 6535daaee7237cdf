import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "./types.ts";

/** What is smaller fits into one packet or two, and is sent as it is. */
const LEAST_FILE_BYTES = 1_024;
/** An answer that is smaller takes longer to compress than to send to this machine. */
const LEAST_ANSWER_BYTES = 4 * 1_024;
/** Answers are compressed for each call, so quickly; files are read rarely. */
const ANSWER_LEVEL = 1;
const FILE_QUALITY = 5;

const accepts = (request: FastifyRequest, encoding: string): boolean =>
  String(request.headers["accept-encoding"] ?? "").includes(encoding);

/** The compressors are loaded when something is first compressed. */
const zlib = () => import("node:zlib");

/** A file as the client accepts it. */
export async function compressFile(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer,
): Promise<Buffer> {
  reply.header("vary", "accept-encoding");
  const encoding = accepts(request, "br") ? "br" : accepts(request, "gzip") ? "gzip" : undefined;
  if (encoding === undefined || body.length < LEAST_FILE_BYTES) return body;
  const { brotliCompress, constants, gzip } = await zlib();
  reply.header("content-encoding", encoding);
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result: Buffer) => (error ? reject(error) : resolve(result));
    if (encoding === "gzip") gzip(body, done);
    else brotliCompress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: FILE_QUALITY } }, done);
  });
}

/** Compresses large answers of an app for browsers, which may be on another machine. */
export function compressAnswers(app: App): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const large = typeof payload === "string" && payload.length >= LEAST_ANSWER_BYTES;
    if (!large || request.headers["sec-fetch-mode"] === undefined || !accepts(request, "gzip"))
      return done(null, payload);
    void zlib().then(({ gzip }) =>
      gzip(payload, { level: ANSWER_LEVEL }, (error, result) => {
        if (error) return done(error);
        reply.header("content-encoding", "gzip").header("vary", "accept-encoding");
        done(null, result);
      }),
    );
  });
}
