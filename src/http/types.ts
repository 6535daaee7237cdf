import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from "fastify";
import type { Static, TSchema } from "typebox";

/** Derives handler types from TypeBox schemas. */
export interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  serializer: unknown;
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxProvider
>;

/** Registers routes in a scope of their own, so their hooks and handlers do not apply to other routes. */
export async function registerScope(app: App, routes: (scope: App) => unknown, prefix = ""): Promise<void> {
  await app.register(async (scope) => void (await routes(scope)), { prefix });
}
