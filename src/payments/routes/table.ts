import type { FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { closest } from "../../errors/closest.ts";
import {
  type RequestOf,
  type Route,
  type RouteDescription,
  type RouteName,
  schemaOf,
} from "../../http/route-table.ts";
import { listEnvelope, type PageQuery } from "../listing.ts";
import { errorResponses, NoQuery } from "../schemas/common.ts";
import { apiPath, change, changeLater } from "./support.ts";

interface Entry<Params extends TSchema, Query extends TSchema, Body extends TSchema, Answer>
  extends RouteDescription<Params, Query, Body> {
  answer: TSchema;
  /** What the route does. `reply` is for what is more than an answer, such as a file. */
  run: (request: RequestOf<Params, Query, Body>, reply: FastifyReply) => Answer;
}

/** A route that changes nothing. */
export function reads<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: `GET /${string}`,
  entry: Entry<P, Q, B, unknown>,
): Route {
  return routeOf(name, entry, (request, reply) => entry.run(request as RequestOf<P, Q, B>, reply));
}

/** A route that answers with a page of a list, in the list envelope. */
export function lists<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: `GET /${string}`,
  entry: Entry<P, Q, B, { data: unknown[]; total: number }>,
): Route {
  return routeOf(name, entry, (request, reply) => {
    const { data, total } = entry.run(request as RequestOf<P, Q, B>, reply);
    return listEnvelope(data, total, request.query as PageQuery, apiPath(request));
  });
}

/** A route that changes something: the change and the answer stored for its idempotency key are one transaction. */
export function changes<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: RouteName,
  entry: Entry<P, Q, B, unknown>,
): Route {
  return routeOf(name, entry, (request, reply) =>
    change(request, reply, entry.status ?? 200, () => entry.run(request as RequestOf<P, Q, B>, reply)),
  );
}

/** As `changes`, for a change that waits for a subscriber. */
export function changesLater<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: RouteName,
  entry: Entry<P, Q, B, Promise<unknown>>,
): Route {
  return routeOf(name, entry, (request, reply) =>
    changeLater(request, reply, () => entry.run(request as RequestOf<P, Q, B>, reply)),
  );
}

function routeOf<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: RouteName,
  entry: Entry<P, Q, B, unknown>,
  handle: Route["handle"],
): Route {
  return {
    name,
    ...(entry.keyOptional && { config: { keyOptional: true } }),
    schema: schemaOf({ query: NoQuery, ...entry }, errorResponses),
    handle,
  };
}

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
