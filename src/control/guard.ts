import type { IncomingMessage } from "node:http";
import { SandboxError } from "../errors/errors.ts";
import { isLoopback } from "../http/loopback.ts";

const LOOPBACK_ADDRESS = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/** Whether a peer is a program of this machine. */
export const isThisMachine = (peer = "127.0.0.1"): boolean => LOOPBACK_ADDRESS.test(peer);

/**
 * Lets only this machine's own programs and pages control a world: no other machine, no page of another
 * site, no name that was rebound to loopback. See SECURITY.md.
 * @throws SandboxError `forbidden`, `unsupported_media_type`
 */
export function guardControl(request: IncomingMessage, allowedHosts: readonly string[]): void {
  // A socket of this machine, which a sandbox without a port listens on, has no address.
  const peer = request.socket.remoteAddress;
  if (!isThisMachine(peer)) {
    throw new SandboxError(
      "forbidden",
      `The control API answers this machine only, not ${peer}.`,
      "Call it from where Sandglass runs.",
    );
  }
  const host = request.headers.host ?? "";
  const name = host.replace(/:\d+$/, "").toLowerCase();
  if (!isLoopback(name) && !allowedHosts.includes(name)) {
    throw new SandboxError(
      "forbidden",
      `The Host header names '${host.slice(0, 100)}', which is not this machine.`,
      "Use 127.0.0.1 or localhost, or list the name in allowedHosts.",
    );
  }
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  const foreignOrigin = origin !== undefined && origin !== `http://${host}`;
  const foreignSite = site !== undefined && site !== "same-origin" && site !== "none";
  if (foreignOrigin || foreignSite) {
    throw new SandboxError(
      "forbidden",
      `A page of ${origin ?? "another site"} may not control the sandbox.`,
      "Call the control API from a server, a script or Sandglass's own page.",
    );
  }
}
