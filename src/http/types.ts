import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from "fastify";
import type { Static, TSchema } from "typebox";

/** Gives handlers the types of their TypeBox schemas. */
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

/** Registers routes in a scope of their own, whose hooks and handlers apply to nothing else. */
export async function registerScope(app: App, routes: (scope: App) => unknown, prefix = ""): Promise<void> {
  await app.register(async (scope) => void (await routes(scope)), { prefix });
}
