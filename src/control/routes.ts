import type { FastifyRequest } from "fastify";
import { addRoutes } from "../http/route-table.ts";
import { refuseUnknownPaths } from "../http/server.ts";
import { type App, registerScope } from "../http/types.ts";
import { OPERATIONS } from "../operations/index.ts";
import type { Operation } from "../operations/operation.ts";
import { scenarioOperations } from "../operations/scenarios.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { BOUND } from "./bound.ts";
import { answerOrigin } from "./cors.ts";
import { fileRoutes, snapshotUploadRoute } from "./files.ts";
import { callOf, type Does } from "./http.ts";
import { inboxDeliveryRoute, refuseBelowInbox } from "./inbox.ts";
import { type Share, shareRoutes } from "./share.ts";
import { streamRoutes } from "./streams.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sandbox of the world that is controlled. */
    sandbox: Sandbox;
    /** The server that got the request. */
    serving: Serving;
  }
}

/** The parts that all worlds of a server share. */
export interface Serving {
  /** The worlds and snapshots. */
  worlds: Worlds;
  /** Scenarios, loaded on first use. */
  scenarios: () => Promise<Scenarios>;
  /** The folder in which Sandglass was started. */
  folder: string;
  /** Origins of pages, other than Sandglass's own, that may call the control API. */
  allowedOrigins: readonly string[];
  /** The token of a shared sandbox; undefined for any other. */
  share: Share | undefined;
}

export interface ControlOptions {
  /** Refuses a request that may not control the sandbox. */
  guard: (request: FastifyRequest) => void | Promise<void>;
  /** Finds the sandbox of a request's world. */
  open: (request: FastifyRequest) => Sandbox;
  /** Finds the server of a request. */
  serving: (request: FastifyRequest) => Serving;
  /** Operations of the API; all of them by default. */
  operations?: readonly Operation[];
  does?: Does;
}

const ALL: readonly Operation[] = [...OPERATIONS, ...scenarioOperations];

/** The control API, below `/_sandbox`. The app that it is registered on handles its errors. */
export async function controlRoutes(
  app: App,
  { guard, open, serving, operations = ALL, does = BOUND }: ControlOptions,
): Promise<void> {
  app.decorateRequest("sandbox");
  app.decorateRequest("serving");
  app.addHook("onRequest", async (request, reply) => {
    request.serving = serving(request);
    if (answerOrigin(request, reply, request.serving.allowedOrigins)) return reply;
    await guard(request);
    request.sandbox = open(request);
  });
  refuseUnknownPaths(app, "no control call", "GET /_sandbox/openapi.json lists the calls.");
  addRoutes(app, [
    ...operations.map((one) => callOf(one, does)),
    ...streamRoutes,
    ...fileRoutes,
    ...shareRoutes,
  ]);
  await registerScope(app, snapshotUploadRoute);
  await registerScope(app, inboxDeliveryRoute);
  app.all("/inbox/:name/*", refuseBelowInbox);
}
