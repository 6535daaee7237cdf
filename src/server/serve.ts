import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { Duplex } from "node:stream";
import { createUpstream } from "../chain-data/providers/upstream.ts";
import type { Settings } from "../config/config.ts";
import { asSandboxError } from "../control/errors.ts";
import { readLiveQuery } from "../control/live.ts";
import { createLiveSockets } from "../control/live-sockets.ts";
import { CONTROL_PATH } from "../control/name.ts";
import { splitWorld } from "../http/address.ts";
import { serveWithoutUpgrade } from "../http/connections.ts";
import { createFront, type ObservedCall, observeCalls } from "../http/front.ts";
import { answerSocket, sandboxErrorBody } from "../http/refusals.ts";
import { loadOnce } from "../runtime/load-once.ts";
import { type LocalSocket, makeLocalSocket } from "../runtime/local-socket.ts";
import { type AnyArea, AREAS } from "../sandbox/areas.ts";
import type { Beginnings } from "../sandbox/beginnings.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { openWorlds, type Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { SENDERS, SENDERS_FACE } from "../senders/api/name.ts";
import { type Door, openDoor, SOCKET_HOST, SOCKET_ORIGIN } from "./door.ts";
import { closeServer } from "./listen.ts";

export interface Served {
  /** The URL on this machine, without a trailing slash. */
  url: string;
  /** The link that opens the sandbox from other machines, including the token; null if it is not shared. */
  shareLink: string | null;
  /** The socket behind the URL, if there is no port. */
  socketPath: string | null;
  sandbox: Sandbox;
  worlds: Worlds;
  /** The scenarios, loaded on first use. */
  scenarios: () => Promise<Scenarios>;
  /**
   * Handles a request that arrived elsewhere, such as at a sender's own host.
   * @param path maps the request's path to a path on this server
   */
  handle(path: (path: string) => string): RequestListener;
  /** Stops the server and closes the worlds. Files in a data folder are kept. */
  close(): Promise<void>;
}

export type { ObservedCall };

/** Observes a server. A server without an observer has no extra cost. */
export interface Observer {
  call(call: ObservedCall): void;
  world(sandbox: Sandbox): void;
}

export interface ServeOptions {
  /** Listens on a socket on this machine instead of on a port. `port`, `host` and `ports` are then ignored. */
  socket?: boolean;
  /** The areas that every world has; by default, the shipped ones. */
  areas?: readonly AnyArea[];
  /** Called for each world and for each request that was handled, for the console log. */
  observer?: Observer | undefined;
  /** The state that the default world starts from, instead of the one in the settings. */
  base?: Buffer | undefined;
}

/**
 * Opens and serves the worlds: the areas, the control API, the page and the API references.
 * @throws SandboxError `port_taken`, `invalid_state`
 */
export async function serve(settings: Settings, options: ServeOptions = {}): Promise<Served> {
  await loadSenders(settings);
  const local = options.socket ? makeLocalSocket() : undefined;
  try {
    return await serveAt(local ? through(settings, local.path) : settings, local, options);
  } catch (error) {
    local?.remove();
    throw error;
  }
}

/** Loads the configured senders. The code for senders is loaded only if there are any. */
async function loadSenders({ senders, subject, webhooks }: Settings): Promise<void> {
  if (senders.length === 0) return;
  const { readSenders } = await import("../senders/files.ts");
  webhooks.senders = await readSenders(senders, undefined, subject);
}

/** The settings for a sandbox whose own inboxes are reached through a socket. */
function through(settings: Settings, socketPath: string): Settings {
  const inside = { origin: SOCKET_ORIGIN, socketPath };
  return { ...settings, webhooks: { ...settings.webhooks, inside } };
}

async function serveAt(
  settings: Settings,
  local: LocalSocket | undefined,
  { areas = AREAS, observer, base }: ServeOptions,
): Promise<Served> {
  const door = await openDoor(settings, local);
  const { guard, place, share } = door;
  const cwd = process.cwd();
  const found = loadOnce(async () =>
    (await import("./beginnings.ts")).createBeginnings({ settings, areas, cwd, serve }),
  );
  const beginnings: Beginnings = {
    find: async (from, reach, names) => (await found.get()).find(from, reach, names),
  };
  const upstream = createUpstream();
  const onOpen = observer && ((sandbox: Sandbox) => observer.world(sandbox));
  const worlds = await openWorlds({ settings, place, upstream, areas, beginnings, base, onOpen });
  const scenarios = loadOnce(async () =>
    (await import("../scenarios/scenarios.ts")).createScenarios({ worlds, settings, cwd }),
  );
  const rehearsals = loadOnce(async () =>
    (await import("../trial/rehearsals/rehearsals.ts")).createRehearsals({ worlds, settings, folder: cwd }),
  );
  const { allowedOrigins } = settings;
  const host = {
    worlds,
    scenarios: scenarios.get,
    rehearsals: rehearsals.get,
    folder: cwd,
    guard,
    allowedOrigins,
    share,
  };
  const appOf = loadOnce(async () => (await import("./apps.ts")).createApps(host, areas));
  const front = createFront(
    [...areas.map(({ name }) => name), CONTROL_PATH, SENDERS],
    async (part) => (await appOf.get())(part),
    [...areas, SENDERS_FACE],
    guard.refusalOf,
    door.tls,
  );
  if (observer) observeCalls(front, (call) => observer.call(call));
  // The guard must run before anything else reads a request, including the observer.
  front.prependListener("request", guard.meet);
  const servers = [front];
  try {
    servers.push(...(await door.listen(front, areas)));
  } catch (error) {
    front.close();
    worlds.close();
    throw error;
  }
  const endUpgrades = serveUpgrades(front, worlds, door);
  worlds.start();
  // Load the app while the first call is on its way. If loading fails, the call reports it.
  setImmediate(() => appOf.get().catch(() => undefined));
  return {
    url: door.ownOrigin(),
    shareLink: door.shareLink(),
    socketPath: local?.path ?? null,
    sandbox: worlds.main,
    worlds,
    scenarios: scenarios.get,
    handle: (path) => (request, response) => {
      const { headers, url = "/" } = request;
      Object.assign(headers, { "x-forwarded-host": headers.host, host: SOCKET_HOST });
      request.url = path(url);
      front.emit("request", request, response);
    },
    async close() {
      await (await scenarios.started)?.close();
      endUpgrades();
      await Promise.all(servers.map(closeServer));
      local?.remove();
      worlds.close();
      await upstream.close();
    },
  };
}

const LIVE_PATH = `/${CONTROL_PATH}/live`;

/**
 * Serves a world's live stream to WebSockets. Any other upgrade is handled as a plain request.
 * @returns a function that closes the streams
 */
function serveUpgrades(front: Server, worlds: Worlds, { guard, ownOrigin }: Door): () => void {
  const sockets = createLiveSockets();

  async function openLive(
    world: string,
    query: URLSearchParams,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    try {
      await guard.check(request);
      const sandbox = worlds.find(world);
      await sockets.accept(sandbox, readLiveQuery(sandbox, Object.fromEntries(query)), request, socket, head);
    } catch (error) {
      const refusal = asSandboxError(error);
      answerSocket(socket, refusal.status, sandboxErrorBody(refusal));
    }
  }

  front.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    guard.meet(request);
    const { world, rest } = splitWorld(request.url ?? "/");
    const url = URL.canParse(rest, ownOrigin()) ? new URL(rest, ownOrigin()) : undefined;
    if (url?.pathname === LIVE_PATH && request.headers.upgrade?.toLowerCase() === "websocket")
      void openLive(world, url.searchParams, request, socket, head);
    else serveWithoutUpgrade(front, request, socket, head);
  });
  return sockets.close;
}
