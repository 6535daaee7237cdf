import type { Settings } from "../config/config.ts";
import { misuse } from "../errors/errors.ts";

const LAST_PORT = 65_535;

/**
 * A port of the command line.
 * @param what names it, as the beginning of a sentence
 * @param least 0 where any free port can be meant
 * @throws SandboxError `bad_request`
 */
export function readPort(what: string, text = "", example: string, least = 1): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= least && port <= LAST_PORT) return port;
  throw misuse(`${what} must be a port from ${least} to ${LAST_PORT}, not '${text}'.`, example);
}

/** The address of a server bound there, as this machine reaches it. */
export function urlAt({ port, host, https }: Pick<Settings, "port" | "host" | "https">): string {
  const name = host.includes(":") ? `[${host}]` : host;
  // A sandbox also answers at loopback, whatever address it is bound to.
  return `${https ? "https" : "http"}://${/^(?:localhost|127[.].*|\[::1\])$/.test(name) ? name : "127.0.0.1"}:${port}`;
}
