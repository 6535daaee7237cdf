import type { FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import {
  type RequestOf,
  type Route,
  type RouteDescription,
  type RouteName,
  schemaOf,
} from "../http/route-table.ts";
import { bodyErrors, controlErrors } from "../operations/common.ts";
import type { Operation } from "../operations/operation.ts";

/** A control API call that is not an operation: its response is a file, a stream or headers. */
export function call<P extends TSchema, Q extends TSchema, B extends TSchema>(
  name: RouteName,
  entry: RouteDescription<P, Q, B> &
    Pick<Operation, "otherAnswers"> & { run: (request: RequestOf<P, Q, B>, reply: FastifyReply) => unknown },
): Route {
  return {
    name,
    schema: schemaOf(entry, {
      ...entry.otherAnswers,
      ...controlErrors,
      ...(!name.startsWith("GET ") && bodyErrors),
    }),
    ...(entry.exactField !== undefined && { config: { exactField: entry.exactField } }),
    handle: async (request, reply) => {
      if (entry.status !== undefined) reply.code(entry.status);
      return entry.run(request as RequestOf<P, Q, B>, reply);
    },
  };
}

/** The implementations of operations, by name. */
export type Does = Readonly<Record<string, (input: never, request: FastifyRequest) => unknown>>;

/** Converts an operation to a call of the control API, including its part of the OpenAPI document. */
export const callOf = (operation: Operation, does: Does): Route =>
  call(operation.route, {
    ...operation,
    async run(request, reply) {
      const result = await does[operation.name]!(inputOf(operation, request), request as FastifyRequest);
      // The result is JSON that was created in another thread.
      if (Buffer.isBuffer(result)) reply.type("application/json; charset=utf-8");
      return result;
    },
  });

/**
 * Merges the declared fields of the path, query and body into one object. No two of them have the same name
 * (operations/operation.ts).
 */
const inputOf = (
  { params, query, body }: Operation,
  request: Pick<FastifyRequest, "params" | "query" | "body">,
): never =>
  Object.assign({}, body && request.body, query && request.query, params && request.params) as never;
