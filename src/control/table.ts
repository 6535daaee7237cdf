import type { FastifyContextConfig, FastifyReply } from "fastify";
import type { TSchema } from "typebox";
import {
  type RequestOf,
  type Route,
  type RouteDescription,
  type RouteName,
  schemaOf,
} from "../http/route-table.ts";
import { controlErrors } from "./schemas.ts";

interface Call<Params extends TSchema, Query extends TSchema, Body extends TSchema>
  extends RouteDescription<Params, Query, Body> {
  config?: FastifyContextConfig;
  /** Answers beside those that every call shares. */
  otherAnswers?: Record<number, TSchema>;
  /** What the call does with the sandbox of its request. `reply` is for what is more than an answer, such as a file. */
  run: (request: RequestOf<Params, Query, Body>, reply: FastifyReply) => unknown;
}

/** A call of the control API. */
export function call<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: RouteName,
  entry: Call<P, Q, B>,
): Route {
  return {
    name,
    ...(entry.config && { config: entry.config }),
    schema: schemaOf(entry, { ...entry.otherAnswers, ...controlErrors }),
    handle: async (request, reply) => {
      if (entry.status !== undefined) reply.code(entry.status);
      return entry.run(request as RequestOf<P, Q, B>, reply);
    },
  };
}
