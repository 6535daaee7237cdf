import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Settings } from "../config/config.ts";
import { readCertificate } from "../config/https.ts";
import { createGuard } from "../control/guard.ts";
import type { Share } from "../control/share.ts";
import { hintOfOption, invalidConfig } from "../errors/errors.ts";
import { listenAt } from "../runtime/listen.ts";
import type { LocalSocket } from "../runtime/local-socket.ts";
import { shareLink, TOKEN_VARIABLE } from "../runtime/share-link.ts";
import type { AnyArea } from "../sandbox/areas.ts";
import type { Place } from "../sandbox/sandbox.ts";
import { SENDERS, SENDERS_FACE } from "../senders/api/name.ts";
import { linkHost, listen, ownHost, serveArea, serveOtherAddresses } from "./listen.ts";

/** The URL of every sandbox without a port. Each of these sandboxes has its own socket. */
export const SOCKET_HOST = "sandglass.localhost";
export const SOCKET_ORIGIN = `http://${SOCKET_HOST}`;

export type Door = Awaited<ReturnType<typeof openDoor>>;

/**
 * A server's URLs, and who may use them.
 * @param local the socket to listen on instead of a port
 */
export async function openDoor(settings: Settings, local: LocalSocket | undefined) {
  const { host, port, publicUrl } = settings;
  const tls = settings.https && !local ? readCertificate(settings.https) : undefined;
  const share = settings.share && !local ? await makeShare() : undefined;
  let boundPort = port;
  const at = (name: string) => (local ? SOCKET_ORIGIN : `${tls ? "https" : "http"}://${name}:${boundPort}`);
  const ownOrigin = () => at(ownHost(host));
  // A loopback URL would not work on other machines.
  const origin = () => publicUrl ?? at(linkHost(host, share !== undefined));

  /** Listens on the main port, the areas' ports, and the host's other addresses. @throws SandboxError `port_taken` */
  async function listenOnPorts(front: Server, areas: readonly AnyArea[]): Promise<Server[]> {
    await listen(front, port, host);
    const bound = front.address() as AddressInfo;
    boundPort = bound.port;
    const servers = await serveOtherAddresses(front, host, bound, { areas, tls });
    const ports: Readonly<Record<string, number | undefined>> = settings.ports;
    try {
      for (const area of areas) {
        const own = ports[area.name];
        if (own !== undefined) servers.push(await serveArea(front, area, { port: own, host, tls }));
      }
      const api = senderPort(settings);
      if (api) servers.push(await serveArea(front, SENDERS_FACE, { ...api, host, tls }));
    } catch (error) {
      for (const server of servers) server.close();
      throw error;
    }
    return servers;
  }

  return {
    tls,
    share,
    guard: createGuard({ ...settings, publicUrl, share }),
    ownOrigin,
    place: {
      url: origin,
      ownUrl: ownOrigin,
      sharing: () => (share ? { wrong_tokens: share.wrongTokens() } : null),
    } satisfies Place,
    shareLink: () => (share ? shareLink(origin(), share.token) : null),

    /** @returns the additional servers that listen */
    async listen(front: Server, areas: readonly AnyArea[]): Promise<Server[]> {
      if (!local) return listenOnPorts(front, areas);
      await listenAt(front, { path: local.path });
      return [];
    },
  };
}

/** Creates the token of a shared sandbox. Its code is loaded only when needed. */
async function makeShare(): Promise<Share> {
  const { createShare } = await import("../control/share.ts");
  return createShare(process.env[TOKEN_VARIABLE] || undefined);
}

/** The port configured for a sender's API, if any. @throws SandboxError `invalid_config` if there is no such sender */
function senderPort({ ports: { api: port }, webhooks }: Settings) {
  if (port === undefined) return undefined;
  const sender = webhooks.senders?.find(({ facts }) => facts.api);
  if (sender) return { port, base: `/${SENDERS}/${sender.name}`, field: "ports.api" };
  throw invalidConfig(
    `ports.api sets the port for a sender's API, but no sender in use has an API.`,
    hintOfOption(
      "--sender stripe",
      'senders: ["stripe"]',
      (option) => `Specify a sender with an API, for example ${option}.`,
    ),
  );
}
