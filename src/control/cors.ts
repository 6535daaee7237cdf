import type { FastifyReply, FastifyRequest } from "fastify";
import { isPreflight } from "../http/cors.ts";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** How long a browser may cache the answer to a preflight, so that a removed origin is soon refused. */
const REMEMBERED_SECONDS = "600";

/**
 * Lets pages of the allowed origins read the control API's answers. Browsers send no cookies with their calls, as the header
 * for that is missing: a page has to know the token of a shared sandbox itself.
 * @returns whether it was a preflight, which this answers
 */
export function answerOrigin(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  allowedOrigins: readonly string[],
): boolean {
  if (allowedOrigins.length === 0) return false;
  reply.header("vary", "Origin");
  const { origin } = headers;
  if (origin === undefined || !allowedOrigins.includes(origin)) return false;
  reply.header("access-control-allow-origin", origin);
  if (!isPreflight(method, headers)) return false;
  reply
    .code(204)
    .headers({
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": headers["access-control-request-headers"] ?? "content-type",
      "access-control-max-age": REMEMBERED_SECONDS,
    })
    .send();
  return true;
}
