import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onRequestHookHandler,
} from "fastify";
import type { Static, TSchema } from "typebox";
import type { App } from "./types.ts";

/** A method and path, such as `GET /webhooks/:id`. */
export type RouteName = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

/** A route's request schemas, and its description in the OpenAPI document. */
export interface RouteDescription<Params extends TSchema, Query extends TSchema, Body extends TSchema> {
  /** The route's name in the OpenAPI document, and the name of the client function. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  headers?: TSchema;
  body?: Body;
  /** The response schema; omitted for a file or a stream. */
  answer?: TSchema;
  /** Content types other than JSON that it can respond with. */
  produces?: readonly string[];
  /** A JSON field of the body whose numbers are passed on exactly as they were written. */
  exactField?: string;
  /** Set if the route needs no API key. */
  keyOptional?: boolean;
  /** The response status; 200 by default. */
  status?: 200 | 201;
}

export type RequestOf<Params extends TSchema, Query extends TSchema, Body extends TSchema> = Omit<
  FastifyRequest,
  "params" | "query" | "body"
> & { params: Static<Params>; query: Static<Query>; body: Static<Body> };

declare module "fastify" {
  interface FastifyContextConfig {
    /** A JSON field of the body whose numbers are passed on exactly as they were written. */
    exactField?: string;
  }
}

export interface Route {
  name: RouteName;
  schema?: object;
  config?: FastifyContextConfig;
  onRequest?: onRequestHookHandler;
  handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/**
 * A route's description for Fastify and the OpenAPI document, including the responses that all routes of the API share.
 */
export function schemaOf(
  route: RouteDescription<TSchema, TSchema, TSchema>,
  sharedAnswers: Record<number, TSchema>,
): object {
  const { id, tag, query, answer = {}, status = 200 } = route;
  const { summary, description, params, headers, body, produces, keyOptional } = route;
  return {
    ...{ operationId: id, summary, description, tags: [tag], produces, keyOptional },
    // Fastify warns about undefined parts.
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(headers && { headers }),
    ...(body && { body }),
    response: { [status]: answer, ...sharedAnswers },
  };
}

export function addRoutes(app: App, routes: readonly Route[]): void {
  for (const { name, handle, ...options } of routes) {
    const [method, url] = name.split(" ") as [HTTPMethods, string];
    app.route({ ...options, method, url, handler: (request, reply) => handle(request, reply) });
  }
}
