import type { FastifyRequest, onSendHookHandler as OnSend } from "fastify";
import type { App } from "./types.ts";

const MIB = 1024 * 1024;

/** Bodies may not be larger, unless a route says so. See docs/fidelity.md, "API". */
const MAX_BODY_BYTES = MIB;

/** The most bytes that are read of a body whose request is already answered. */
const MOST_DISCARDED = 32 * MIB;

/** A body above its limit; the areas translate it into a refusal of their own. */
export class BodyTooLarge extends Error {
  readonly statusCode = 413;
  constructor(limit: number) {
    super(`The request body is larger than the limit of ${limit} bytes (${limit / MIB} MiB).`);
  }
}

/** Reads bodies of a content type. */
export function acceptBodies(
  app: App,
  contentType: string,
  parse: (bytes: Buffer, request: FastifyRequest) => unknown,
  limit = MAX_BODY_BYTES,
): void {
  app.addContentTypeParser(contentType, (request, payload, done) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let ended = false;
    const end = (broken?: Error) => {
      if (ended) return;
      ended = true;
      let body: unknown;
      try {
        if (broken) throw Object.assign(broken, { statusCode: 400 });
        if (size > limit) throw new BodyTooLarge(limit);
        body = parse(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), request);
      } catch (error) {
        return done(error as Error);
      }
      done(null, body);
    };
    payload.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else end();
    });
    payload.on("end", () => end());
    payload.on("error", end);
  });
}

/**
 * Reads on and discards a refused body before the answer closes the connection: most clients write the whole body before they
 * read the answer, which is lost if the connection is closed meanwhile.
 */
export const discardBody: OnSend = ({ raw }, reply, payload, done) => {
  if (raw.complete || raw.destroyed) return done(null, payload);
  const closes = !reply.raw.shouldKeepAlive || reply.getHeader("connection") === "close";
  if (!closes) return done(null, payload);
  let size = 0;
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size > MOST_DISCARDED) end();
  };
  const end = () => {
    raw.off("data", count).off("close", end);
    done(null, payload);
  };
  raw.on("data", count).on("close", end);
};
