import { lookup } from "node:dns/promises";
import type { Server } from "node:http";
import { type AddressInfo, isIP, type ListenOptions } from "node:net";
import { hintOfOption, SandboxError } from "../errors/errors.ts";
import { createConnectionServer } from "../http/connections.ts";
import type { AnyArea } from "../sandbox/areas.ts";

/**
 * Listens on a port.
 * @throws SandboxError `port_taken`
 */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  try {
    await listenAt(server, { port, host });
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
export async function serveArea(front: Server, area: AnyArea, port: number, host: string): Promise<Server> {
  const base = `/${area.name}`;
  const server = createConnectionServer(
    (request, response) => {
      request.url = base + (request.url ?? "/");
      front.emit("request", request, response);
    },
    { base, areas: [area] },
  );
  await listen(server, port, host);
  return server;
}

/** A name such as localhost may have more than one address: serves at those beside the one that is bound. */
export async function serveOtherAddresses(
  front: Server,
  host: string,
  bound: AddressInfo,
  areas: readonly AnyArea[],
): Promise<Server[]> {
  const servers: Server[] = [];
  for (const { address } of isIP(host) === 0 ? await lookup(host, { all: true }) : []) {
    if (address === bound.address) continue;
    const server = createConnectionServer((request, response) => front.emit("request", request, response), {
      areas,
    });
    server.on("upgrade", (...upgrade) => front.emit("upgrade", ...upgrade));
    try {
      await listenAt(server, { port: bound.port, host: address });
      servers.push(server);
    } catch {
      // The machine may know an address that it does not have.
    }
  }
  return servers;
}

export const listenAt = (server: Server, where: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => void server.once("error", reject).listen(where, resolve));

export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** A host as a URL names it: one that clients can reach, and IPv6 in brackets. */
export function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
