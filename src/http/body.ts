import type { FastifyRequest, onSendHookHandler as OnSend } from "fastify";
import type { App } from "./types.ts";

const MIB = 1024 * 1024;

/** The size limit for bodies, unless a route sets its own. See docs/fidelity.md, "API". */
const MAX_BODY_BYTES = MIB;

/** How many bytes of a body are still read after the response has been sent. */
const MOST_DISCARDED = 32 * MIB;

export const bodyTooLarge = (limit = MAX_BODY_BYTES): string =>
  `The request body is larger than the limit of ${limit} bytes (${limit / MIB} MiB).`;

/**
 * Reads bodies of one content type. If the limit differs from the default, the error handler uses it in its message,
 * too.
 */
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
 * Reads and discards a rejected body before the connection closes. Most clients write the whole body before they read
 * the response; if the connection closed earlier, they would never see it.
 */
export const discardBody: OnSend = ({ raw }, reply, payload, done) => {
  if (raw.complete || raw.destroyed) return done(null, payload);
  // Undefined for HTTP/2, which the routes that emulate senders' APIs support.
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
