import type { FastifyReply, FastifyRequest } from "fastify";
import { closest } from "../errors/closest.ts";

const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;
const HEADER = "x-sandbox-hint";

/** The description of the header in the areas' OpenAPI documents. */
export const HINT_DESCRIPTION =
  "A hint from the sandbox: which unknown query parameters and body fields the endpoint ignored, with the closest valid names";

/** The part of a route's schema that describes its parameters. */
type Described = { properties?: object } | undefined;

/**
 * Reports unknown query parameters in `X-Sandbox-Hint`, whatever the response. They are otherwise ignored, because
 * clients add parameters of their own, but a misspelled one should not go unnoticed.
 */
export function hintAtUnknownParameters(request: FastifyRequest, reply: FastifyReply): void {
  const { schema } = request.routeOptions;
  if (schema && request.url.includes("?"))
    hintAtUnknown(reply, "query parameters", request.query, schema.querystring as Described);
}

/**
 * Like `hintAtUnknownParameters`, but for body fields. Fields nested inside objects such as `metadata` belong to the
 * caller.
 */
export function hintAtUnknownFields(
  request: FastifyRequest,
  reply: FastifyReply,
  schema = request.routeOptions.schema?.body as Described,
): void {
  hintAtUnknown(reply, "body fields", request.body, schema);
}

export function addHint(reply: FastifyReply, hint: string): void {
  const earlier = reply.getHeader(HEADER);
  reply.header(HEADER, earlier === undefined ? hint : `${earlier} ${hint}`);
}

function hintAtUnknown(reply: FastifyReply, what: string, sent: unknown, schema: Described): void {
  if (typeof sent !== "object" || sent === null) return;
  const known = schema?.properties ?? {};
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return;
  const accepted = Object.keys(known);
  const named = unknown.slice(0, MAX_NAMES);
  const more = unknown.length > MAX_NAMES ? ` and ${unknown.length - MAX_NAMES} more` : "";
  const hint = [
    `Ignored unknown ${what}: ${named.map(printable).join(", ")}${more}.`,
    accepted.length > 0 ? `Valid names: ${accepted.join(", ")}.` : "This endpoint accepts none.",
    ...named.flatMap((name) => {
      const meant = closest(name, accepted);
      return meant === undefined ? [] : `Did you mean ${meant} instead of ${printable(name)}?`;
    }),
  ];
  addHint(reply, hint.join(" "));
}

/** Replaces characters that headers may not contain: line breaks, and characters outside Latin-1. */
const printable = (name: string): string =>
  name.slice(0, MAX_NAME_LENGTH).replace(/[^\x20-\x7e]/g, "?") + (name.length > MAX_NAME_LENGTH ? "..." : "");
