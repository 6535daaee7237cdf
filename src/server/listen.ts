import { lookup } from "node:dns/promises";
import type { Server } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { hintOfOption, portTaken } from "../errors/errors.ts";
import type { AreaFace } from "../http/area.ts";
import { type ConnectionOptions, createConnectionServer } from "../http/connections.ts";
import { isLoopback } from "../http/loopback.ts";
import { nextFree } from "../runtime/free-port.ts";
import { listenAt } from "../runtime/listen.ts";

const LOOPBACK = "127.0.0.1";

/**
 * Listens on a port.
 * @param field the configuration field that sets the port
 * @throws SandboxError `port_taken`
 */
export async function listen(server: Server, port: number, host: string, field?: string): Promise<void> {
  try {
    await listenAt(server, { port, host });
  } catch (error) {
    throw await portError(error as NodeJS.ErrnoException, { port, host, field });
  }
}

async function portError(
  error: NodeJS.ErrnoException,
  { port, host, field = "port" }: { port: number; host: string; field?: string | undefined },
): Promise<Error> {
  if (error.code === "EADDRINUSE") {
    const free = await nextFree(port, host);
    const flag = field === "port" ? "--port" : `${field}:`;
    return portTaken(
      `Port ${port} is taken by another program.`,
      hintOfOption(flag, `${field}:`, (option) =>
        free === undefined
          ? `Use ${option} 0 to pick any free port.`
          : `Use ${option} ${free}, which is free, or ${option} 0 to pick any free port.`,
      ),
    );
  }
  if (error.code === "EACCES")
    return portTaken(
      `You do not have permission to use port ${port}.`,
      hintOfOption("--port", "port:", (option) => `Use a port above 1023, for example ${option} 4400.`),
    );
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return portTaken(
      `This machine does not have the address to listen on: ${error.message}.`,
      hintOfOption("--host 127.0.0.1", 'host: "127.0.0.1"', (option) => `Use ${option}.`),
    );
  return error;
}

/**
 * Serves an area at the root of its own port.
 * @param base the area's path
 * @param field the configuration field that sets the port
 */
export async function serveArea(
  front: Server,
  area: AreaFace,
  {
    port,
    host,
    tls,
    base = `/${area.name}`,
    field = `ports.${area.name}`,
  }: { port: number; host: string; tls: ConnectionOptions["tls"]; base?: string; field?: string },
): Promise<Server> {
  const server = createConnectionServer(
    (request, response) => {
      const { url = "/" } = request;
      // Links in responses already contain the base path.
      request.url = url.startsWith(`${base}/`) ? url : base + url;
      front.emit("request", request, response);
    },
    { base, areas: [area], tls },
  );
  await listen(server, port, host, field);
  return server;
}

/**
 * Also listens on the host's other addresses, because a name such as localhost may have several. A host outside
 * loopback is also served on loopback, which is the only address that is certain to belong to this machine.
 */
export async function serveOtherAddresses(
  front: Server,
  host: string,
  bound: AddressInfo,
  options: Pick<ConnectionOptions, "areas" | "tls">,
): Promise<Server[]> {
  const servers: Server[] = [];
  const named = isIP(host) === 0 ? await lookup(host, { all: true }) : [];
  const addresses = named.map(({ address }) => address);
  if (isOutside(host) && !addresses.includes(LOOPBACK)) addresses.push(LOOPBACK);
  for (const address of addresses) {
    if (address === bound.address) continue;
    const server = createConnectionServer(
      (request, response) => front.emit("request", request, response),
      options,
    );
    server.on("upgrade", (...upgrade) => front.emit("upgrade", ...upgrade));
    try {
      await listenAt(server, { port: bound.port, host: address });
      servers.push(server);
    } catch (error) {
      // A name may resolve to an address that this machine does not have.
      if (address !== LOOPBACK || !isOutside(host)) continue;
      for (const open of servers) open.close();
      throw await portError(error as NodeJS.ErrnoException, { port: bound.port, host: address });
    }
  }
  return servers;
}

export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);
const isEveryAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** Whether a server bound to this host cannot be reached on any loopback address. */
const isOutside = (host: string): boolean => !isEveryAddress(host) && !isLoopback(inUrl(host));

/** The host to use for URLs on this machine if a server is bound to this host. It is always a loopback address. */
export const ownHost = (host: string): string =>
  isEveryAddress(host) || isOutside(host) ? LOOPBACK : inUrl(host);

/**
 * The host for links in responses.
 * @param shared whether other machines open the links. If so, and the server is bound to all addresses, this is the
 * address of the first network
 */
export function linkHost(host: string, shared: boolean): string {
  if (!isEveryAddress(host)) return inUrl(host);
  if (!shared) return LOOPBACK;
  // A static import would load this module at every start.
  const { networkInterfaces } = process.getBuiltinModule("node:os");
  const addresses = Object.entries(networkInterfaces())
    .filter(([name]) => !VIRTUAL_NETWORK.test(name))
    .flatMap(([, list = []]) => list)
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
  return addresses.find((address) => PRIVATE_ADDRESS.test(address)) ?? addresses[0] ?? LOOPBACK;
}

/** The networks of containers and virtual machines, which other machines cannot reach. */
const VIRTUAL_NETWORK = /^(?:docker|br-|veth|virbr|vboxnet|vmnet|podman|cni|vEthernet)/;
const PRIVATE_ADDRESS = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/;
