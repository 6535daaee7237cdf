import type { Settings } from "../config/config.ts";
import { misuse } from "../errors/errors.ts";

const LAST_PORT = 65_535;

/**
 * Parses a port from the command line.
 * @param what describes the port, as the start of a sentence
 * @param least 0 if any free port may be used
 * @throws SandboxError `bad_request`
 */
export function readPort(what: string, text = "", example: string, least = 1): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= least && port <= LAST_PORT) return port;
  throw misuse(`${what} must be a port from ${least} to ${LAST_PORT}, not '${text}'.`, example);
}

/** The URL at which this machine reaches a server with this port and host. */
export function urlAt({ port, host, https }: Pick<Settings, "port" | "host" | "https">): string {
  const name = host.includes(":") ? `[${host}]` : host;
  // A sandbox is also reachable on loopback, whatever address it is bound to.
  return `${https ? "https" : "http"}://${/^(?:localhost|127[.].*|\[::1\])$/.test(name) ? name : "127.0.0.1"}:${port}`;
}
