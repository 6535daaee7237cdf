import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Issued } from "../certificates/authority.ts";
import { createUpstream } from "../chain-data/providers/upstream.ts";
import type { Settings } from "../config/config.ts";
import { createGuard } from "../control/guard.ts";
import { readLiveQuery } from "../control/live.ts";
import { createLiveSockets } from "../control/live-sockets.ts";
import { CONTROL_PATH } from "../control/name.ts";
import type { Share } from "../control/share.ts";
import { splitWorld } from "../http/address.ts";
import { serveWithoutUpgrade } from "../http/connections.ts";
import { createFront } from "../http/front.ts";
import { type ObservedCall, observeCalls } from "../http/observe.ts";
import { answerSocket, sandboxErrorBody } from "../http/refusals.ts";
import { loadOnce } from "../runtime/load-once.ts";
import { type LocalSocket, makeLocalSocket } from "../runtime/local-socket.ts";
import { shareLink, TOKEN_VARIABLE } from "../runtime/share-link.ts";
import { type AnyArea, AREAS } from "../sandbox/areas.ts";
import type { Beginnings } from "../sandbox/beginnings.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { openWorlds, type Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { wallNow } from "../world/clock.ts";
import {
  closeServer,
  linkHost,
  listen,
  listenAt,
  ownHost,
  serveArea,
  serveOtherAddresses,
} from "./listen.ts";

/** A running sandbox: one process's server with its worlds. */
export interface Served {
  /** Where it answers this machine, without a trailing slash. */
  url: string;
  /** The link that opens it from other machines, with its token; null for a sandbox that is not shared. */
  shareLink: string | null;
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

export type { ObservedCall };

/** Follows what a server does. Without one, serving costs nothing more. */
export interface Observer {
  call(call: ObservedCall): void;
  /** Follows a world from when it is opened. */
  world(sandbox: Sandbox): void;
}

export interface ServeOptions {
  /** Listens on a socket of this machine instead of a port; port, host and ports do not count then. */
  socket?: boolean;
  /** The areas of every world; the shipped ones by default. */
  areas?: readonly AnyArea[];
  /** Is called for each answered request and each world, for a log on the console. */
  observer?: Observer | undefined;
  /** What the default world begins with, in place of what the settings say. */
  base?: Buffer | undefined;
}

/**
 * Opens the worlds and serves them: the areas, the control API, the page and the references.
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

/** Reads the senders that the settings name; their code is loaded only then. */
async function loadSenders({ senders, payments: { webhooks } }: Settings): Promise<void> {
  if (senders.length === 0) return;
  const { readSenders } = await import("../senders/files.ts");
  webhooks.senders = await readSenders(senders);
}

/** The token of a shared sandbox; loaded only for one. */
async function makeShare(): Promise<Share> {
  const { createShare } = await import("../control/share.ts");
  return createShare(process.env[TOKEN_VARIABLE] || undefined);
}

/** A certificate of this user's authority for the names by which the sandbox is reached; loaded only for HTTPS. */
async function makeCertificate({ host, share, publicUrl }: Settings): Promise<Issued> {
  const { openAuthority } = await import("../certificates/authority.ts");
  const { isVouchedFor } = await import("../certificates/names.ts");
  const bare = (name: string) => name.replace(/[[\]]/g, "");
  const names = publicUrl ? [bare(new URL(publicUrl).hostname)] : [];
  const own = bare(linkHost(host, share));
  // An address that was not named may be a public one: the local names are still worth a certificate.
  if (own === host || isVouchedFor(own)) names.push(own);
  return (await openAuthority(wallNow())).issue(names);
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
  { areas = AREAS, observer, base }: ServeOptions,
): Promise<Served> {
  const { allowedOrigins, host, port, publicUrl } = settings;
  const ports: Readonly<Record<string, number | undefined>> = settings.ports;
  let boundPort = port;
  const tls = settings.https && !local ? await makeCertificate(settings) : undefined;
  const scheme = tls ? "https" : "http";
  const share = settings.share && !local ? await makeShare() : undefined;
  const guard = createGuard({ ...settings, publicUrl, share });
  const ownOrigin = () => (local ? SOCKET_ORIGIN : `${scheme}://${ownHost(host)}:${boundPort}`);
  // Other machines cannot use a link to loopback.
  const origin = () =>
    publicUrl ?? (local ? SOCKET_ORIGIN : `${scheme}://${linkHost(host, share !== undefined)}:${boundPort}`);
  const upstream = createUpstream();
  const cwd = process.cwd();
  const found = loadOnce(async () =>
    (await import("./beginnings.ts")).createBeginnings({ settings, areas, cwd, serve }),
  );
  const beginnings: Beginnings = {
    find: async (from, reach, names) => (await found.get()).find(from, reach, names),
  };
  const worlds = await openWorlds({
    settings,
    place: {
      url: origin,
      ownUrl: ownOrigin,
      sharing: () => (share ? { wrong_tokens: share.wrongTokens() } : null),
    },
    upstream,
    areas,
    beginnings,
    base,
    onOpen: observer && ((sandbox) => observer.world(sandbox)),
  });
  const scenarios = loadOnce(async () =>
    (await import("../scenarios/scenarios.ts")).createScenarios({ worlds, settings, cwd }),
  );
  const explorations = loadOnce(async () =>
    (await import("../explore/explorations.ts")).createExplorations(settings),
  );
  const apps = loadOnce(async () =>
    (await import("./apps.ts")).createApps(
      {
        worlds,
        scenarios: scenarios.get,
        explorations: explorations.get,
        guard,
        allowedOrigins,
        share,
      },
      areas,
    ),
  );
  const front = createFront(
    new Map([
      ...areas.map((area) => [area.name, async () => (await apps.get()).area(area)] as const),
      [CONTROL_PATH, async () => (await apps.get()).control()],
    ]),
    async () => (await apps.get()).page(),
    areas,
    guard.refusalOf,
    tls,
  );
  if (observer) observeCalls(front, (call) => observer.call(call));
  // Before anything else sees a request, the observer included.
  front.prependListener("request", guard.meet);
  const servers: Server[] = [front];
  try {
    if (local) await listenAt(front, { path: local.path });
    else {
      await listen(front, port, host);
      const bound = front.address() as AddressInfo;
      boundPort = bound.port;
      servers.push(...(await serveOtherAddresses(front, host, bound, { areas, tls })));
      for (const area of areas) {
        const own = ports[area.name];
        if (own !== undefined) servers.push(await serveArea(front, area, { port: own, host, tls }));
      }
    }
  } catch (error) {
    for (const server of servers) server.close();
    worlds.close();
    throw error;
  }
  const sockets = createLiveSockets();
  front.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    guard.meet(request);
    const { world, rest } = splitWorld(request.url ?? "/");
    const url = URL.canParse(rest, ownOrigin()) ? new URL(rest, ownOrigin()) : undefined;
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
      await guard.check(request);
      const sandbox = worlds.find(world);
      await sockets.accept(sandbox, readLiveQuery(sandbox, query), request, socket, head);
    } catch (error) {
      const { asSandboxError } = await import("../operations/errors.ts");
      const refusal = asSandboxError(error);
      answerSocket(socket, refusal.status, sandboxErrorBody(refusal));
    }
  }

  worlds.start();
  // While the first call is on its way. If it cannot be loaded, the call says so.
  setImmediate(() => apps.get().catch(() => undefined));
  return {
    url: ownOrigin(),
    shareLink: share ? shareLink(origin(), share.token) : null,
    socketPath: local?.path ?? null,
    sandbox: worlds.main,
    worlds,
    scenarios: scenarios.get,
    async close() {
      await (await scenarios.started)?.close();
      (await explorations.started)?.close();
      sockets.close();
      await Promise.all(servers.map(closeServer));
      local?.remove();
      worlds.close();
      await upstream.close();
    },
  };
}
