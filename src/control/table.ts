import type { FastifyReply } from "fastify";
import type { TSchema } from "typebox";
import {
  type RequestOf,
  type Route,
  type RouteDescription,
  type RouteName,
  schemaOf,
} from "../http/route-table.ts";
import { bodyErrors, controlErrors } from "./schemas.ts";

interface Call<Params extends TSchema, Query extends TSchema, Body extends TSchema>
  extends RouteDescription<Params, Query, Body> {
  /** Answers of this call alone, by status. */
  otherAnswers?: Record<number, TSchema>;
  /** Makes the call on the sandbox of its request. `reply` is for files, streams and headers. */
  run: (request: RequestOf<Params, Query, Body>, reply: FastifyReply) => unknown;
}

/** A call of the control API. */
export function call<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: RouteName,
  entry: Call<P, Q, B>,
): Route {
  return {
    name,
    schema: schemaOf(entry, {
      ...entry.otherAnswers,
      ...controlErrors,
      ...(!name.startsWith("GET ") && bodyErrors),
    }),
    handle: async (request, reply) => {
      if (entry.status !== undefined) reply.code(entry.status);
      return entry.run(request as RequestOf<P, Q, B>, reply);
    },
  };
}
