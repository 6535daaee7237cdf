import type { FastifyReply } from "fastify";
import type { TSchema } from "typebox";
import { listEnvelope, type Page, type PageQuery } from "../../http/listing.ts";
import {
  type RequestOf,
  type Route,
  type RouteDescription,
  type RouteName,
  schemaOf,
} from "../../http/route-table.ts";
import { errorResponses, NoQuery } from "../schemas/common.ts";
import { apiPath, change, changeLater } from "./support.ts";

interface Entry<Params extends TSchema, Query extends TSchema, Body extends TSchema, Answer>
  extends Omit<RouteDescription<Params, Query, Body>, "tag"> {
  answer: TSchema;
  /** Handles a request. Use `reply` to send anything other than JSON, such as a file. */
  run: (request: RequestOf<Params, Query, Body>, reply: FastifyReply) => Answer;
}

/** Groups routes under a tag of the OpenAPI document. */
export const tagged = (tag: string, routes: readonly Route[]): Route[] =>
  routes.map((route) => ({ ...route, schema: { ...route.schema, tags: [tag] } }));

export function reads<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: `GET /${string}`,
  entry: Entry<P, Q, B, unknown>,
): Route {
  return routeOf(name, entry, (request, reply) => entry.run(request as RequestOf<P, Q, B>, reply));
}

/** A route that returns one page of a list in the list envelope. */
export function lists<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: `GET /${string}`,
  entry: Entry<P, Q, B, Page<unknown>>,
): Route {
  return routeOf(name, entry, (request, reply) => {
    const { data, total } = entry.run(request as RequestOf<P, Q, B>, reply);
    return listEnvelope(data, total, request.query as PageQuery, apiPath(request));
  });
}

/** A route that changes something. The change and its stored response are one transaction. */
export function changes<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: RouteName,
  entry: Entry<P, Q, B, unknown>,
): Route {
  return routeOf(name, entry, (request, reply) =>
    change(request, reply, entry.status ?? 200, () => entry.run(request as RequestOf<P, Q, B>, reply)),
  );
}

/** Like `changes`, for changes that must wait for a subscriber. */
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
    schema: schemaOf({ query: NoQuery, tag: "", ...entry }, errorResponses),
    handle,
  };
}
