import type { FastifyReply, FastifyRequest } from "fastify";

const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;

/**
 * Names the query parameters that the endpoint does not know in `X-Sandbox-Hint`, whatever the answer will be. They are
 * ignored, as clients add some of their own; but a misspelt one should not go unnoticed.
 */
export function hintAtUnknownParameters(request: FastifyRequest, reply: FastifyReply): void {
  if (!request.url.includes("?")) return;
  const accepted = Object.keys(acceptedParameters(request));
  const unknown = Object.keys(request.query as object).filter((name) => !accepted.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.slice(0, MAX_NAMES).map(printable).join(", ");
  const more = unknown.length > MAX_NAMES ? ` and ${unknown.length - MAX_NAMES} more` : "";
  const rest = accepted.length > 0 ? `Known here: ${accepted.join(", ")}.` : "This endpoint takes none.";
  reply.header("x-sandbox-hint", `Ignored unknown query parameters: ${names}${more}. ${rest}`);
}

function acceptedParameters({ routeOptions }: FastifyRequest): object {
  const { querystring } = (routeOptions.schema ?? {}) as { querystring?: { properties?: object } };
  return querystring?.properties ?? {};
}

/** Headers take neither line ends nor characters beyond Latin-1. */
const printable = (name: string): string =>
  name.slice(0, MAX_NAME_LENGTH).replace(/[^\x20-\x7e]/g, "?") + (name.length > MAX_NAME_LENGTH ? "..." : "");
