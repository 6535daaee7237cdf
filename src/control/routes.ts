import type { FastifyRequest } from "fastify";
import type { Explorations } from "../explore/explorations.ts";
import { compressAnswers } from "../http/compressed.ts";
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
    /** What the server has that the request came to. */
    serving: Serving;
  }
}

/** What all worlds of a server have in common. */
export interface Serving {
  /** The worlds and snapshots. */
  worlds: Worlds;
  /** Loaded when first asked for. */
  scenarios: () => Promise<Scenarios>;
  /** Loaded when first asked for. */
  explorations: () => Promise<Explorations>;
  /** Origins of pages, besides Sandglass's own, that may call the control API. */
  allowedOrigins: readonly string[];
  /** The token of a sandbox that is open to other machines; undefined for one that is not. */
  share: Share | undefined;
}

export interface ControlOptions {
  /** Refuses a request that may not control the sandbox. */
  guard: (request: FastifyRequest) => void | Promise<void>;
  /** Finds the sandbox of the world a request is for. */
  open: (request: FastifyRequest) => Sandbox;
  /** Finds what the server has that a request came to. */
  serving: (request: FastifyRequest) => Serving;
}

/** The control API, below `/_sandbox`. The app that it is registered on handles its errors. */
export async function controlRoutes(app: App, { guard, open, serving }: ControlOptions): Promise<void> {
  app.decorateRequest("sandbox");
  app.decorateRequest("serving");
  app.addHook("onRequest", async (request, reply) => {
    request.serving = serving(request);
    if (answerOrigin(request, reply, request.serving.allowedOrigins)) return;
    await guard(request);
    request.sandbox = open(request);
  });
  compressAnswers(app);
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
    ...worldsRoutes,
    ...snapshotRoutes,
    ...scenarioRoutes,
    ...explorationRoutes,
    ...shareRoutes,
  ]);
  await registerScope(app, snapshotUploadRoute);
  addRoutes(app, inboxRoutes);
  await registerScope(app, inboxDeliveryRoute);
  app.all("/inbox/:name/*", refuseBelowInbox);
}
