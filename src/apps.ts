import type { RequestListener } from "node:http";
import type { FastifyRequest } from "fastify";
import { DATA } from "./chain-data/name.ts";
import type { ContractName } from "./contracts.ts";
import { asSandboxError } from "./control/errors.ts";
import { guardControl } from "./control/guard.ts";
import { CONTROL } from "./control/name.ts";
import { SandboxError } from "./errors.ts";
import { GAME } from "./game/name.ts";
import { cameInside, requestedWorld } from "./http/address.ts";
import { createApp, sendSandboxError } from "./http/server.ts";
import type { App } from "./http/types.ts";
import { contractRoutes, pageRoutes } from "./pages.ts";
import { PLATFORM } from "./payments/name.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Scenarios } from "./scenarios/scenarios.ts";
import type { Worlds } from "./worlds.ts";

export interface AppsOptions {
  worlds: Worlds;
  scenarios: () => Promise<Scenarios>;
  /** Host names beside loopback by which the control API may be called. */
  allowedHosts: readonly string[];
}

/** The areas, the control API and the page, each as an app of its own. What one needs is loaded when it is made. */
export function createApps({ worlds, scenarios, allowedHosts }: AppsOptions) {
  const open = (request: FastifyRequest): Sandbox => worlds.find(requestedWorld(request));
  const pages = { open, worlds: worlds.names, allowedHosts };

  /** Makes an app of routes below a path, with their document and reference page. */
  async function below(
    path: string,
    contract: ContractName,
    register: (app: App) => Promise<void>,
  ): Promise<RequestListener> {
    const app = withoutRoutes();
    await app.register(async (scope) => register(scope as unknown as App), { prefix: `/${path}` });
    contractRoutes(app, contract, `/${path}`, pages);
    return listenerOf(app);
  }

  const area = (name: typeof PLATFORM | typeof DATA | typeof GAME, register: (app: App) => Promise<void>) =>
    below(name, name, async (app) => {
      recordCalls(app, name, worlds.known);
      await register(app);
    });

  return {
    [PLATFORM]: () =>
      area(PLATFORM, async (app) => {
        const { platformRoutes } = await import("./payments/index.ts");
        await platformRoutes(app, {
          open: (request) => open(request).payments,
          guardDashboard: ({ raw }) => guardControl(raw, allowedHosts),
        });
      }),
    [DATA]: () =>
      area(DATA, async (app) => {
        const { dataRoutes } = await import("./chain-data/index.ts");
        await dataRoutes(app, { open: (request) => open(request).chainData });
      }),
    [GAME]: () =>
      area(GAME, async (app) => {
        const { gameRoutes } = await import("./game/index.ts");
        await gameRoutes(app, { open: (request) => open(request).launcher });
      }),
    [CONTROL]: () =>
      below(CONTROL, "control", async (app) => {
        const { controlRoutes } = await import("./control/routes.ts");
        await controlRoutes(app, { open, worlds: () => worlds, scenarios, allowedHosts });
      }),
    async page(): Promise<RequestListener> {
      const app = withoutRoutes();
      pageRoutes(app, pages);
      return listenerOf(app);
    },
  };
}

async function listenerOf(app: App): Promise<RequestListener> {
  await app.ready();
  return app.routing;
}

/** An app that states errors in Sandglass's own form, unless an area states its own. */
function withoutRoutes(): App {
  const app = createApp();
  app.setErrorHandler((error, _request, reply) => sendSandboxError(reply, asSandboxError(error)));
  app.setNotFoundHandler((request, reply) =>
    sendSandboxError(
      reply,
      new SandboxError(
        "not_found",
        `There is nothing at ${request.method} ${request.url.split("?")[0]!.slice(0, 120)}.`,
        `The areas are below /${PLATFORM}, /${DATA} and /${GAME}, the control API below /${CONTROL}.`,
      ),
    ),
  );
  return app;
}

/** Keeps each call of an area in its world's request log. */
function recordCalls(app: App, area: string, known: (world: string) => Sandbox | undefined): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (cameInside(request)) return done(null, payload);
    const answer = typeof payload === "string" || Buffer.isBuffer(payload) ? payload : null;
    known(requestedWorld(request))?.requests.add(area, request, reply, answer);
    done(null, payload);
  });
  // Fastify takes the time of a call only where something waits for its end.
  app.addHook("onResponse", (_request, _reply, done) => done());
}
