import { lookup } from "node:dns/promises";
import type { IncomingMessage, Server } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyRequest } from "fastify";
import { createUpstream } from "../chain-data/providers/upstream.ts";
import type { Settings } from "../config/config.ts";
import { guardControl } from "../control/guard.ts";
import { readLiveQuery } from "../control/live.ts";
import { createLiveSockets } from "../control/live-sockets.ts";
import { asSandboxError, controlRoutes } from "../control/routes.ts";
import { hintOfOption, SandboxError } from "../errors/errors.ts";
import { createConnectionServer, serveWithoutUpgrade } from "../http/connections.ts";
import { answerSocket } from "../http/refusals.ts";
import {
  cameInside,
  createHttpServer,
  requestedWorld,
  sandboxErrorBody,
  sendSandboxError,
  splitWorld,
} from "../http/server.ts";
import { type App, registerScope } from "../http/types.ts";
import { type LocalSocket, makeLocalSocket } from "../runtime/local-socket.ts";
import { type AnyArea, AREAS } from "../sandbox/areas.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { openWorlds, type Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { pageRoutes } from "./pages.ts";

/** A running sandbox: one process's server with its worlds. */
export interface Served {
  /** Where it answers, without a trailing slash. */
  url: string;
  /** The socket behind that address, where there is no port. */
  socketPath: string | null;
  /** The default world. */
  sandbox: Sandbox;
  worlds: Worlds;
  /** The scenarios, loaded when first asked for. */
  scenarios: () => Promise<Scenarios>;
  /** Stops serving and closes the worlds; what a data folder keeps is kept. */
  close(): Promise<void>;
}

const LIVE_PATH = "/_sandbox/live";

/** The address of a sandbox without a port: the same for all, as each has a socket of its own behind it. */
const SOCKET_ORIGIN = "http://sandglass.localhost";

export interface ServeOptions {
  /** Listens on a socket of this machine instead of a port; port, host and ports do not count then. */
  socket?: boolean;
  /** The areas of every world; the shipped ones by default. */
  areas?: readonly AnyArea[];
}

/**
 * Opens the worlds and serves them: the areas, the control API, the page and the references.
 * @throws SandboxError `port_taken`, `invalid_state`
 */
export async function serve(
  settings: Settings,
  { socket = false, areas = AREAS }: ServeOptions = {},
): Promise<Served> {
  const local = socket ? makeLocalSocket() : undefined;
  try {
    return await serveAt(local ? through(settings, local.path) : settings, local, areas);
  } catch (error) {
    local?.remove();
    throw error;
  }
}

/** Settings of a sandbox whose own inboxes are behind a socket. */
function through(settings: Settings, socketPath: string): Settings {
  const { payments } = settings;
  const inside = { origin: SOCKET_ORIGIN, socketPath };
  return { ...settings, payments: { ...payments, webhooks: { ...payments.webhooks, inside } } };
}

async function serveAt(
  settings: Settings,
  local: LocalSocket | undefined,
  areas: readonly AnyArea[],
): Promise<Served> {
  const app = createHttpServer(areas);
  const sockets = createLiveSockets();
  let origin = local ? SOCKET_ORIGIN : `http://${shownHost(settings.host)}:${settings.port}`;
  const upstream = createUpstream();
  const worlds = await openWorlds({ settings, origin: () => origin, upstream, areas });
  const cwd = process.cwd();
  let loaded: Promise<Scenarios> | undefined;
  const scenarios = (): Promise<Scenarios> => {
    loaded ??= import("../scenarios/scenarios.ts").then(({ createScenarios }) =>
      createScenarios({ worlds, settings, cwd }),
    );
    return loaded;
  };
  const { known, find } = worlds;
  const open = (request: FastifyRequest): Sandbox => find(requestedWorld(request));

  app.setErrorHandler((error, _request, reply) => sendSandboxError(reply, asSandboxError(error)));
  app.setNotFoundHandler((request, reply) =>
    sendSandboxError(
      reply,
      new SandboxError(
        "not_found",
        `There is nothing at ${request.method} ${request.url.split("?")[0]!.slice(0, 120)}.`,
        `The areas are below ${listed(areas.map(({ name }) => `/${name}`))}, the control API below /_sandbox.`,
      ),
    ),
  );
  const guardInside = ({ raw }: FastifyRequest) => guardControl(raw, settings.allowedHosts);
  for (const area of areas)
    await registerScope(
      app,
      (scope) => {
        recordCalls(scope, area.name, known);
        return area.routes(scope, { open: (request) => open(request).part(area), guardInside });
      },
      `/${area.name}`,
    );
  await registerScope(
    app,
    (scope) =>
      controlRoutes(scope, {
        open,
        worlds: () => worlds,
        scenarios,
        allowedHosts: settings.allowedHosts,
      }),
    "/_sandbox",
  );
  pageRoutes(app, { open, areas, worlds: worlds.names, allowedHosts: settings.allowedHosts });

  const extra: Server[] = [];
  try {
    if (local) await app.listen({ path: local.path });
    else {
      await listen(() => app.listen({ port: settings.port, host: settings.host }), settings.port);
      const bound = app.server.address() as AddressInfo;
      origin = `http://${shownHost(settings.host)}:${bound.port}`;
      extra.push(...(await serveOtherAddresses(app, settings.host, bound, areas)));
      const ports: Readonly<Record<string, number | undefined>> = settings.ports;
      for (const area of areas) {
        const port = ports[area.name];
        if (port !== undefined) extra.push(await serveArea(app, area, port, settings.host));
      }
    }
  } catch (error) {
    for (const server of extra) server.close();
    await app.close();
    worlds.close();
    throw error;
  }
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { world, rest } = splitWorld(request.url ?? "/");
    const url = URL.canParse(rest, origin) ? new URL(rest, origin) : undefined;
    if (url?.pathname === LIVE_PATH && request.headers.upgrade?.toLowerCase() === "websocket")
      void openLive({ world, query: url.searchParams }, request, socket, head);
    else serveWithoutUpgrade(app.server, request, socket, head);
  });

  async function openLive(
    { world, query }: { world: string; query: URLSearchParams },
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    try {
      guardControl(request, settings.allowedHosts);
      await sockets.accept(find(world), readLiveQuery(query), request, socket, head);
    } catch (error) {
      const refusal = asSandboxError(error);
      answerSocket(socket, refusal.status, sandboxErrorBody(refusal));
    }
  }

  worlds.start();
  return {
    url: origin,
    socketPath: local?.path ?? null,
    sandbox: worlds.main,
    worlds,
    scenarios,
    async close() {
      await (await loaded)?.close();
      sockets.close();
      for (const server of extra) {
        server.closeAllConnections();
        server.close();
      }
      await app.close();
      local?.remove();
      worlds.close();
      await upstream.close();
    },
  };
}

const listed = (texts: string[]): string => new Intl.ListFormat("en-GB").format(texts);

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

async function listen(start: () => Promise<unknown>, port: number): Promise<void> {
  try {
    await start();
  } catch (error) {
    throw portError(error as NodeJS.ErrnoException, port);
  }
}

function portError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new SandboxError(
      "port_taken",
      `Port ${port} is taken by another program.`,
      hintOfOption(
        "--port",
        "port:",
        (option) => `Try ${option} ${port + 1}, or ${option} 0 for any free one.`,
      ),
    );
  }
  if (error.code === "EACCES")
    return new SandboxError(
      "port_taken",
      `Port ${port} may not be used by you.`,
      hintOfOption("--port", "port:", (option) => `Use a port above 1023, for example ${option} 4400.`),
    );
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return new SandboxError(
      "port_taken",
      `This machine has no such address to bind: ${error.message}.`,
      hintOfOption("--host 127.0.0.1", 'host: "127.0.0.1"', (option) => `Use ${option}.`),
    );
  return error;
}

/** Serves an area at the root of a port of its own. */
async function serveArea(app: App, area: AnyArea, port: number, host: string): Promise<Server> {
  const base = `/${area.name}`;
  const server = createConnectionServer(
    (request, response) => {
      request.url = base + (request.url ?? "/");
      app.server.emit("request", request, response);
    },
    { base, areas: [area] },
  );
  await listen(() => listenAt(server, port, host), port);
  return server;
}

/** A name such as localhost may have more than one address: serves at those beside the one that is bound. */
async function serveOtherAddresses(
  app: App,
  host: string,
  bound: AddressInfo,
  areas: readonly AnyArea[],
): Promise<Server[]> {
  const servers: Server[] = [];
  for (const { address } of isIP(host) === 0 ? await lookup(host, { all: true }) : []) {
    if (address === bound.address) continue;
    const server = createConnectionServer(
      (request, response) => app.server.emit("request", request, response),
      { areas },
    );
    server.on("upgrade", (...upgrade) => app.server.emit("upgrade", ...upgrade));
    try {
      await listenAt(server, bound.port, address);
      servers.push(server);
    } catch {
      // The machine may know an address that it does not have.
    }
  }
  return servers;
}

const listenAt = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => void server.once("error", reject).listen(port, host, resolve));

function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
