import type { FastifyRequest } from "fastify";
import { SandboxError } from "../errors/errors.ts";
import { addRoutes } from "../http/route-table.ts";
import { sendSandboxError } from "../http/server.ts";
import { type App, registerScope } from "../http/types.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { dataControlRoutes } from "./data-routes.ts";
import { asSandboxError } from "./errors.ts";
import { faultRoutes } from "./fault-routes.ts";
import { gameControlRoutes } from "./game-routes.ts";
import { guardControl } from "./guard.ts";
import { inboxRoutes } from "./inbox.ts";
import { paymentRoutes, webhookRoutes } from "./payment-routes.ts";
import { recordRoutes } from "./record-routes.ts";
import { scenarioRoutes } from "./scenario-routes.ts";
import { clockRoutes, worldRoutes } from "./world-routes.ts";
import { snapshotRoutes, snapshotUploadRoute, worldsRoutes } from "./worlds-routes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sandbox of the world that is controlled. */
    sandbox: Sandbox;
  }
}

export interface ControlOptions {
  /** Finds the sandbox of the world a request is for. */
  open: (request: FastifyRequest) => Sandbox;
  /** The worlds and snapshots of the server. */
  worlds: () => Worlds;
  /** The scenarios of the server, loaded when first asked for. */
  scenarios: () => Promise<Scenarios>;
  /** Host names beside loopback by which it may be called. */
  allowedHosts: readonly string[];
}

/** The control API, below `/_sandbox`. */
export async function controlRoutes(
  app: App,
  { open, worlds, scenarios, allowedHosts }: ControlOptions,
): Promise<void> {
  app.decorateRequest("sandbox", null as never);
  app.addHook("onRequest", async (request) => {
    guardControl(request.raw, allowedHosts);
    request.sandbox = open(request);
  });
  app.setErrorHandler((error, _request, reply) => sendSandboxError(reply, asSandboxError(error)));
  app.setNotFoundHandler((request, reply) =>
    sendSandboxError(
      reply,
      new SandboxError(
        "not_found",
        `There is no control call ${request.method} ${request.url.split("?")[0]}.`,
        "GET /_sandbox/openapi.json lists the calls.",
      ),
    ),
  );
  worldRoutes(app);
  clockRoutes(app);
  addRoutes(app, [...paymentRoutes, ...webhookRoutes]);
  faultRoutes(app);
  dataControlRoutes(app);
  gameControlRoutes(app);
  recordRoutes(app);
  worldsRoutes(app, worlds);
  snapshotRoutes(app, worlds);
  scenarioRoutes(app, scenarios);
  await registerScope(app, (scope) => snapshotUploadRoute(scope, worlds));
  await registerScope(app, inboxRoutes);
}
