import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createUpstream } from "../chain-data/providers/upstream.ts";
import type { Settings } from "../config/config.ts";
import { guardControl } from "../control/guard.ts";
import { readLiveQuery } from "../control/live.ts";
import { createLiveSockets } from "../control/live-sockets.ts";
import { CONTROL_PATH } from "../control/name.ts";
import { splitWorld } from "../http/address.ts";
import { serveWithoutUpgrade } from "../http/connections.ts";
import { createFront } from "../http/front.ts";
import { answerSocket, sandboxErrorBody } from "../http/refusals.ts";
import { type LocalSocket, makeLocalSocket } from "../runtime/local-socket.ts";
import { type AnyArea, AREAS } from "../sandbox/areas.ts";
import type { Beginnings } from "../sandbox/beginnings.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { openWorlds, type Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { closeServer, listen, listenAt, serveArea, serveOtherAddresses, shownHost } from "./listen.ts";

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
  /** Stops serving and closes the worlds; the files of a data folder stay. */
  close(): Promise<void>;
}

const LIVE_PATH = `/${CONTROL_PATH}/live`;

/** The address of a sandbox without a port: the same for all, as each has a socket of its own behind it. */
const SOCKET_ORIGIN = "http://sandglass.localhost";

export interface ServeOptions {
  /** Listens on a socket of this machine instead of a port; port, host and ports do not count then. */
  socket?: boolean;
  /** The areas of every world; the shipped ones by default. */
  areas?: readonly AnyArea[];
  /** What the default world begins with, in place of what the settings say. */
  base?: Buffer | undefined;
}

/**
 * Opens the worlds and serves them: the areas, the control API, the page and the references.
 * @throws SandboxError `port_taken`, `invalid_state`
 */
export async function serve(
  settings: Settings,
  { socket = false, areas = AREAS, base }: ServeOptions = {},
): Promise<Served> {
  const local = socket ? makeLocalSocket() : undefined;
  try {
    return await serveAt(local ? through(settings, local.path) : settings, local, areas, base);
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
  base: Buffer | undefined,
): Promise<Served> {
  const { allowedHosts, host, port } = settings;
  const ports: Readonly<Record<string, number | undefined>> = settings.ports;
  let origin = local ? SOCKET_ORIGIN : `http://${shownHost(host)}:${port}`;
  const upstream = createUpstream();
  const cwd = process.cwd();
  const beginnings: Beginnings = {
    async find(from, reach, names) {
      const { createBeginnings } = await import("./beginnings.ts");
      found ??= createBeginnings({ settings, areas, cwd, serve });
      return found.find(from, reach, names);
    },
  };
  let found: Beginnings | undefined;
  const worlds = await openWorlds({ settings, origin: () => origin, upstream, areas, beginnings, base });
  let loaded: Promise<Scenarios> | undefined;
  const scenarios = (): Promise<Scenarios> => {
    loaded ??= import("../scenarios/scenarios.ts").then(({ createScenarios }) =>
      createScenarios({ worlds, settings, cwd }),
    );
    return loaded;
  };
  const loadApps = async () =>
    (await import("./apps.ts")).createApps({ worlds, scenarios, allowedHosts, areas });
  let made: ReturnType<typeof loadApps> | undefined;
  const apps = () => {
    made ??= loadApps();
    return made;
  };
  const front = createFront(
    new Map([
      ...areas.map((area) => [area.name, async () => (await apps()).area(area)] as const),
      [CONTROL_PATH, async () => (await apps()).control()],
    ]),
    async () => (await apps()).page(),
    areas,
  );
  const servers: Server[] = [front];
  try {
    if (local) await listenAt(front, { path: local.path });
    else {
      await listen(front, port, host);
      const bound = front.address() as AddressInfo;
      origin = `http://${shownHost(host)}:${bound.port}`;
      servers.push(...(await serveOtherAddresses(front, host, bound, areas)));
      for (const area of areas) {
        const own = ports[area.name];
        if (own !== undefined) servers.push(await serveArea(front, area, own, host));
      }
    }
  } catch (error) {
    for (const server of servers) server.close();
    worlds.close();
    throw error;
  }
  const sockets = createLiveSockets();
  front.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { world, rest } = splitWorld(request.url ?? "/");
    const url = URL.canParse(rest, origin) ? new URL(rest, origin) : undefined;
    if (url?.pathname === LIVE_PATH && request.headers.upgrade?.toLowerCase() === "websocket")
      void openLive({ world, query: url.searchParams }, request, socket, head);
    else serveWithoutUpgrade(front, request, socket, head);
  });

  async function openLive(
    { world, query }: { world: string; query: URLSearchParams },
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    try {
      guardControl(request, allowedHosts);
      await sockets.accept(worlds.find(world), readLiveQuery(query), request, socket, head);
    } catch (error) {
      const { asSandboxError } = await import("../control/errors.ts");
      const refusal = asSandboxError(error);
      answerSocket(socket, refusal.status, sandboxErrorBody(refusal));
    }
  }

  worlds.start();
  // While the first call is on its way. If it cannot be loaded, the call says so.
  setImmediate(() => apps().catch(() => undefined));
  return {
    url: origin,
    socketPath: local?.path ?? null,
    sandbox: worlds.main,
    worlds,
    scenarios,
    async close() {
      await (await loaded)?.close();
      sockets.close();
      await Promise.all(servers.map(closeServer));
      local?.remove();
      worlds.close();
      await upstream.close();
    },
  };
}
