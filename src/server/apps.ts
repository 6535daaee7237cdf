import type { IncomingMessage, RequestListener } from "node:http";
import type { FastifyRequest } from "fastify";
import { asSandboxError } from "../control/errors.ts";
import type { Guard } from "../control/guard.ts";
import { CONTROL, CONTROL_PATH } from "../control/name.ts";
import type { Serving } from "../control/routes.ts";
import { cameInside, requestedWorld } from "../http/address.ts";
import { createApp, refuseUnknownPaths, sendSandboxError } from "../http/server.ts";
import { type App, registerScope } from "../http/types.ts";
import type { AnyArea } from "../sandbox/areas.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { SENDERS } from "../senders/api/name.ts";
import { listed } from "../timeline/text.ts";
import { contractRoutes, pageRoutes } from "./pages.ts";

/** What the requests to a server are answered from. */
export interface Host extends Serving {
  /** Refuses a request that may not control the sandbox. */
  guard: Guard;
}

const host = Symbol("host");
type Hosted = IncomingMessage & { [host]?: Host };

/** The server that a request came to. */
const hostOf = ({ raw }: FastifyRequest): Host => (raw as Hosted)[host]!;

/** The apps of a process, by the list of areas that their servers have. */
const shared = new WeakMap<readonly AnyArea[], ReturnType<typeof makeApps>>();

/** The areas, the control API and the page, each an app of its own, which loads what it needs when it is created. */
export function createApps(own: Host, areas: readonly AnyArea[]) {
  const apps = shared.get(areas) ?? makeApps(areas);
  shared.set(areas, apps);
  const served = async (app: Promise<RequestListener>): Promise<RequestListener> => {
    const answer = await app;
    return (request: Hosted, response) => {
      request[host] = own;
      answer(request, response);
    };
  };
  return {
    area: (area: AnyArea) => served(apps.area(area)),
    control: () => served(apps.control()),
    senders: () => served(apps.senders()),
    page: () => served(apps.page()),
  };
}

/** Apps for all servers of a process that have these areas: making one takes as long as a hundred calls. */
function makeApps(areas: readonly AnyArea[]) {
  const open = (request: FastifyRequest): Sandbox => hostOf(request).worlds.find(requestedWorld(request));
  const guard = (request: FastifyRequest) => hostOf(request).guard.check(request.raw);
  const pages = { guard, open, areas, worlds: (request: FastifyRequest) => hostOf(request).worlds.names() };
  const made = new Map<string, Promise<RequestListener>>();

  function once(name: string, make: () => Promise<RequestListener>): Promise<RequestListener> {
    const app = made.get(name) ?? make();
    made.set(name, app);
    // What could not be loaded may be there at the next call.
    app.catch(() => made.delete(name));
    return app;
  }

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
    const paths = listed(areas.map(({ name }) => `/${name}`));
    refuseUnknownPaths(
      app,
      "nothing at",
      `The areas are below ${paths}, the control API below /${CONTROL_PATH}.`,
    );
    return app;
  }

  return {
    area: (area: AnyArea) =>
      once(area.name, () =>
        below(area.name, area.name, (app) => {
          recordCalls(app, area.name);
          return area.routes(app, { open: (request) => open(request).part(area), guardInside: guard });
        }),
      ),

    control: () =>
      once(CONTROL_PATH, () =>
        below(CONTROL_PATH, CONTROL, async (app) => {
          const { controlRoutes } = await import("../control/routes.ts");
          await controlRoutes(app, { guard, open, serving: hostOf });
        }),
      ),

    senders: () =>
      once(SENDERS, async () => {
        const { senderRoutes } = await import("../senders/api/http.ts");
        const app = withoutRoutes();
        recordCalls(app, SENDERS);
        await registerScope(
          app,
          (scope) => senderRoutes(scope, (request) => open(request).senders),
          `/${SENDERS}`,
        );
        return listenerOf(app);
      }),

    page: () =>
      once("", () => {
        const app = withoutRoutes();
        pageRoutes(app, pages);
        return listenerOf(app);
      }),
  };
}

async function listenerOf(app: App): Promise<RequestListener> {
  await app.ready();
  return app.routing;
}

/** Adds each call of an area to the request log of its world. */
function recordCalls(app: App, area: string): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (cameInside(request)) return done(null, payload);
    const answer = typeof payload === "string" || Buffer.isBuffer(payload) ? payload : null;
    hostOf(request).worlds.openWorld(requestedWorld(request))?.requests.add(area, request, reply, answer);
    done(null, payload);
  });
  // Fastify takes the time of a call only where something waits for its end.
  app.addHook("onResponse", (_request, _reply, done) => done());
}
