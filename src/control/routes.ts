import type { FastifyRequest } from "fastify";
import type { Explorations } from "../explore/explorations.ts";
import { addRoutes } from "../http/route-table.ts";
import { refuseUnknownPaths } from "../http/server.ts";
import { type App, registerScope } from "../http/types.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { clockRoutes } from "./clock-routes.ts";
import { answerOrigin } from "./cors.ts";
import { dataControlRoutes } from "./data-routes.ts";
import { explorationRoutes } from "./exploration-routes.ts";
import { faultRoutes } from "./fault-routes.ts";
import { gameControlRoutes } from "./game-routes.ts";
import { inboxDeliveryRoute, inboxRoutes, refuseBelowInbox } from "./inbox-routes.ts";
import { paymentRoutes, webhookRoutes } from "./payment-routes.ts";
import { recordRoutes } from "./record-routes.ts";
import { scenarioRoutes } from "./scenario-routes.ts";
import type { Share } from "./share.ts";
import { shareRoutes } from "./share-routes.ts";
import { snapshotRoutes, snapshotUploadRoute } from "./snapshot-routes.ts";
import { exportRoutes, worldRoutes, worldsRoutes } from "./world-routes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sandbox of the world that is controlled. */
    sandbox: Sandbox;
  }
}

export interface ControlOptions {
  /** Refuses a request that may not control the sandbox. */
  guard: (request: FastifyRequest) => void | Promise<void>;
  /** Origins of pages, besides Sandglass's own, that may read the answers. */
  allowedOrigins: readonly string[];
  /** The token of a sandbox that is open to other machines; undefined for one that is not. */
  share: () => Share | undefined;
  /** Finds the sandbox of the world a request is for. */
  open: (request: FastifyRequest) => Sandbox;
  /** The worlds and snapshots of the server. */
  worlds: () => Worlds;
  /** The scenarios of the server, loaded when first asked for. */
  scenarios: () => Promise<Scenarios>;
  /** The explorations of the server, loaded when first asked for. */
  explorations: () => Promise<Explorations>;
}

/** The control API, below `/_sandbox`. The app that it is registered on handles its errors. */
export async function controlRoutes(
  app: App,
  { guard, allowedOrigins, share, open, worlds, scenarios, explorations }: ControlOptions,
): Promise<void> {
  app.decorateRequest("sandbox");
  app.addHook("onRequest", async (request, reply) => {
    if (answerOrigin(request, reply, allowedOrigins)) return;
    await guard(request);
    request.sandbox = open(request);
  });
  refuseUnknownPaths(app, "no control call", "GET /_sandbox/openapi.json lists the calls.");
  addRoutes(app, [
    ...worldRoutes,
    ...exportRoutes,
    ...clockRoutes,
    ...paymentRoutes,
    ...webhookRoutes,
    ...faultRoutes,
    ...dataControlRoutes,
    ...gameControlRoutes,
    ...recordRoutes,
    ...worldsRoutes(worlds),
    ...snapshotRoutes(worlds),
    ...scenarioRoutes(scenarios),
    ...explorationRoutes(explorations),
    ...shareRoutes(share),
  ]);
  await registerScope(app, (scope) => snapshotUploadRoute(scope, worlds));
  addRoutes(app, inboxRoutes);
  await registerScope(app, inboxDeliveryRoute);
  app.all("/inbox/:name/*", refuseBelowInbox);
}
