import type { FastifyRequest, onSendHookHandler as OnSend } from "fastify";
import type { App } from "./types.ts";

const MIB = 1024 * 1024;

/** Bodies may not be larger, unless a route says so. See docs/fidelity.md, "API". */
const MAX_BODY_BYTES = MIB;

/** The most bytes that are read of a body whose request is already answered. */
const MOST_DISCARDED = 32 * MIB;

export const bodyTooLarge = (limit = MAX_BODY_BYTES): string =>
  `The request body is larger than the limit of ${limit} bytes (${limit / MIB} MiB).`;

/** Reads bodies of a content type. Where the limit is another one, the error handler names it, too. */
export function acceptBodies(
  app: App,
  contentType: string,
  parse: (bytes: Buffer, request: FastifyRequest) => unknown,
  bodyLimit = MAX_BODY_BYTES,
): void {
  app.addContentTypeParser(contentType, { parseAs: "buffer", bodyLimit }, (request, bytes, done) =>
    done(null, parse(bytes as Buffer, request)),
  );
}

/**
 * Reads on and discards a refused body before the answer closes the connection: most clients write the whole body before they
 * read the answer, which is lost if the connection is closed meanwhile.
 */
export const discardBody: OnSend = ({ raw }, reply, payload, done) => {
  if (raw.complete || raw.destroyed) return done(null, payload);
  // Undefined for HTTP/2, which a route of a sender's API takes.
  const closes = reply.raw.shouldKeepAlive === false || reply.getHeader("connection") === "close";
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
