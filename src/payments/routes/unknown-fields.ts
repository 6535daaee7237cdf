import type { FastifyReply, FastifyRequest } from "fastify";
import { closest } from "../../errors/closest.ts";

const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;
const HINT = "x-sandbox-hint";

/**
 * Names the query parameters that the endpoint does not know in `X-Sandbox-Hint`, whatever the answer will be. They are
 * ignored, as clients add some of their own; but a misspelt one should not go unnoticed.
 */
export function hintAtUnknownParameters(request: FastifyRequest, reply: FastifyReply): void {
  if (request.url.includes("?")) addHint(reply, "query parameters", request.query, request, "querystring");
}

/** As `hintAtUnknownParameters`, for the fields of a body. What is within a field, such as `metadata`, is the caller's own. */
export function hintAtUnknownFields(request: FastifyRequest, reply: FastifyReply): void {
  addHint(reply, "body fields", request.body, request, "body");
}

function addHint(
  reply: FastifyReply,
  what: string,
  sent: unknown,
  { routeOptions }: FastifyRequest,
  part: "querystring" | "body",
): void {
  if (typeof sent !== "object" || sent === null) return;
  const schemas = (routeOptions.schema ?? {}) as { [part: string]: { properties?: object } | undefined };
  const accepted = Object.keys(schemas[part]?.properties ?? {});
  const unknown = Object.keys(sent).filter((name) => !accepted.includes(name));
  if (unknown.length === 0) return;
  const named = unknown.slice(0, MAX_NAMES);
  const more = unknown.length > MAX_NAMES ? ` and ${unknown.length - MAX_NAMES} more` : "";
  const earlier = reply.getHeader(HINT);
  const hint = [
    ...(earlier === undefined ? [] : [earlier]),
    `Ignored unknown ${what}: ${named.map(printable).join(", ")}${more}.`,
    accepted.length > 0 ? `Known here: ${accepted.join(", ")}.` : "This endpoint takes none.",
    ...named.flatMap((name) => {
      const meant = closest(name, accepted);
      return meant === undefined ? [] : `Did you mean ${meant} instead of ${printable(name)}?`;
    }),
  ];
  reply.header(HINT, hint.join(" "));
}

/** Headers take neither line ends nor characters beyond Latin-1. */
const printable = (name: string): string =>
  name.slice(0, MAX_NAME_LENGTH).replace(/[^\x20-\x7e]/g, "?") + (name.length > MAX_NAME_LENGTH ? "..." : "");
