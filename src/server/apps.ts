import type { RequestListener } from "node:http";
import type { FastifyRequest } from "fastify";
import { asSandboxError } from "../control/errors.ts";
import type { Guard } from "../control/guard.ts";
import { CONTROL, CONTROL_PATH } from "../control/name.ts";
import type { Share } from "../control/share.ts";
import type { Explorations } from "../explore/explorations.ts";
import { cameInside, requestedWorld } from "../http/address.ts";
import { createApp, refuseUnknownPaths, sendSandboxError } from "../http/server.ts";
import { type App, registerScope } from "../http/types.ts";
import type { AnyArea } from "../sandbox/areas.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { contractRoutes, pageRoutes } from "./pages.ts";

export interface AppsOptions {
  worlds: Worlds;
  scenarios: () => Promise<Scenarios>;
  explorations: () => Promise<Explorations>;
  /** Refuses a request that may not control the sandbox. */
  guard: Guard;
  /** Origins of pages, besides Sandglass's own, that may call the control API. */
  allowedOrigins: readonly string[];
  /** The token of a sandbox that is open to other machines. */
  share: Share | undefined;
  areas: readonly AnyArea[];
}

/** The areas, the control API and the page, each an app of its own, which loads what it needs when it is created. */
export function createApps({
  worlds,
  scenarios,
  explorations,
  guard: guardRequest,
  allowedOrigins,
  share,
  areas,
}: AppsOptions) {
  const open = (request: FastifyRequest): Sandbox => worlds.find(requestedWorld(request));
  const guard = ({ raw }: FastifyRequest) => guardRequest(raw);
  const pages = { guard, open, areas, worlds: worlds.names };

  /** Creates an app with the routes of a contract, their document and their reference page. */
  async function below(
    path: string,
    contract: string,
    register: (app: App) => unknown,
  ): Promise<RequestListener> {
    const app = withoutRoutes();
    await registerScope(app, register, `/${path}`);
    contractRoutes(app, contract, `/${path}`, pages);
    return listenerOf(app);
  }

  /** An app that states errors in Sandglass's own form, unless an area states its own. */
  function withoutRoutes(): App {
    const app = createApp(areas);
    app.setErrorHandler((error, _request, reply) => sendSandboxError(reply, asSandboxError(error)));
    const paths = new Intl.ListFormat("en-GB").format(areas.map(({ name }) => `/${name}`));
    refuseUnknownPaths(
      app,
      "nothing at",
      `The areas are below ${paths}, the control API below /${CONTROL_PATH}.`,
    );
    return app;
  }

  return {
    area: (area: AnyArea) =>
      below(area.name, area.name, (app) => {
        recordCalls(app, area.name, worlds);
        return area.routes(app, { open: (request) => open(request).part(area), guardInside: guard });
      }),

    control: () =>
      below(CONTROL_PATH, CONTROL, async (app) => {
        const { controlRoutes } = await import("../control/routes.ts");
        await controlRoutes(app, {
          guard,
          allowedOrigins,
          share: () => share,
          open,
          worlds: () => worlds,
          scenarios,
          explorations,
        });
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

/** Adds each call of an area to the request log of its world. */
function recordCalls(app: App, area: string, worlds: Worlds): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (cameInside(request)) return done(null, payload);
    const answer = typeof payload === "string" || Buffer.isBuffer(payload) ? payload : null;
    worlds.openWorld(requestedWorld(request))?.requests.add(area, request, reply, answer);
    done(null, payload);
  });
  // Fastify takes the time of a call only where something waits for its end.
  app.addHook("onResponse", (_request, _reply, done) => done());
}
