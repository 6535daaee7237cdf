import type { IncomingMessage, RequestListener } from "node:http";
import type { FastifyRequest } from "fastify";
import { asSandboxError } from "../control/errors.ts";
import type { Guard } from "../control/guard.ts";
import { CONTROL, CONTROL_PATH } from "../control/name.ts";
import type { Serving } from "../control/routes.ts";
import { cameInside, requestedWorld } from "../http/address.ts";
import { createApp, refuseUnknownPaths, sendSandboxError } from "../http/server.ts";
import { type App, registerScope } from "../http/types.ts";
import { type LoadedOnce, loadOnce } from "../runtime/load-once.ts";
import type { AnyArea } from "../sandbox/areas.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { SENDERS } from "../senders/api/name.ts";
import { listed } from "../timeline/text.ts";
import { contractRoutes, pageRoutes } from "./pages.ts";

export interface Host extends Serving {
  /** Rejects a request that may not control the sandbox. */
  guard: Guard;
}

const host = Symbol("host");
type Hosted = IncomingMessage & { [host]?: Host };

const hostOf = ({ raw }: FastifyRequest): Host => (raw as Hosted)[host]!;

/** The apps of this process, by the list of areas that their servers have. */
const shared = new WeakMap<readonly AnyArea[], (part: string) => Promise<App>>();

/**
 * Creates a server's apps by the first path segment: one for each area, the control API and the senders, and one for
 * the page.
 */
export function createApps(own: Host, areas: readonly AnyArea[]): (part: string) => Promise<RequestListener> {
  const appOf = shared.get(areas) ?? makeApps(areas);
  shared.set(areas, appOf);
  return async (part) => {
    const { routing } = await appOf(part);
    return (request: Hosted, response) => {
      request[host] = own;
      routing(request, response);
    };
  };
}

/**
 * The apps shared by all servers with these areas. Creating an app takes 10 to 35 ms, which would otherwise slow down
 * every sandbox.
 */
function makeApps(areas: readonly AnyArea[]): (part: string) => Promise<App> {
  const open = (request: FastifyRequest): Sandbox => hostOf(request).worlds.find(requestedWorld(request));
  const guard = (request: FastifyRequest) => hostOf(request).guard.check(request.raw);
  const pages = { guard, open, areas, worlds: (request: FastifyRequest) => hostOf(request).worlds.names() };
  const paths = listed(areas.map(({ name }) => `/${name}`));
  const made = new Map<string, LoadedOnce<App>>();

  async function make(part: string): Promise<App> {
    const app = createApp(areas);
    app.setErrorHandler((error, _request, reply) => sendSandboxError(reply, asSandboxError(error)));
    refuseUnknownPaths(
      app,
      "nothing at",
      `The areas are under ${paths}, the control API is under /${CONTROL_PATH}.`,
    );
    const area = areas.find(({ name }) => name === part);
    if (part === SENDERS) recordCalls(app, part);
    const register = part === "" ? undefined : await routesOf(part, area);
    if (register) await registerScope(app, register, `/${part}`);
    else pageRoutes(app, pages);
    if (part === CONTROL_PATH) contractRoutes(app, CONTROL, `/${part}`, pages);
    else if (area) contractRoutes(app, part, `/${part}`, pages);
    await app.ready();
    return app;
  }

  async function routesOf(part: string, area: AnyArea | undefined): Promise<(scope: App) => unknown> {
    if (area)
      return (scope) => {
        recordCalls(scope, part);
        return area.routes(scope, { open: (request) => open(request).part(area), guardInside: guard });
      };
    if (part === SENDERS) {
      const { senderRoutes } = await import("../senders/api/http.ts");
      return (scope) => senderRoutes(scope, (request) => open(request).senders);
    }
    const { controlRoutes } = await import("../control/routes.ts");
    return (scope) => controlRoutes(scope, { guard, open, serving: hostOf });
  }

  return (part) => {
    const app = made.get(part) ?? loadOnce(() => make(part));
    made.set(part, app);
    return app.get();
  };
}

/** Adds each call to an area to the request log of its world. */
function recordCalls(app: App, area: string): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (cameInside(request)) return done(null, payload);
    const answer = typeof payload === "string" || Buffer.isBuffer(payload) ? payload : null;
    hostOf(request).worlds.use(requestedWorld(request))?.requests.add(area, request, reply, answer);
    done(null, payload);
  });
  // Fastify measures a call's duration only if a hook waits for its end.
  app.addHook("onResponse", (_request, _reply, done) => done());
}
