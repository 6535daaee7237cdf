import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { Hint } from "../errors/errors.ts";
import { isPreflight } from "../http/cors.ts";
import { isLoopback } from "../http/loopback.ts";
import { TOKEN_HEADER } from "../runtime/share-link.ts";
import { RefusedCaller } from "./refused-caller.ts";
import type { Share } from "./share.ts";

const LOOPBACK_ADDRESS = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

export interface GuardOptions {
  /** Host names besides loopback by which this machine may call. */
  allowedHosts: readonly string[];
  /** Origins of pages that may call. */
  allowedOrigins: readonly string[];
  /** The address under which others reach the sandbox; a page that is served there is Sandglass's own. */
  publicUrl: string | undefined;
  /** Lets other machines in that have its token; without it they are refused. */
  share: Share | undefined;
}

/** Throws RefusedCaller for a request that may not control a world; waits first where its token is wrong. */
export type Guard = (request: IncomingMessage) => void | Promise<void>;

const SHARE_HINT: Hint = {
  command: "Call it from where it runs, or start it there with: npx sandglass --share",
  library: "Call it from where it runs, or start it there with share: true.",
  http: "Call it from where it runs, or start it there with --share.",
};

/**
 * Lets this machine's own programs and pages control a world and, in a shared sandbox, other machines with the token. No
 * page of another site gets through, and no name that was rebound to this machine. See SECURITY.md.
 */
export function createGuard({ allowedHosts, allowedOrigins, publicUrl, share }: GuardOptions): Guard {
  /** Whether only this machine can have sent it: a page could reach loopback under a name of its own. */
  function isLocal({ headers, socket }: IncomingMessage): boolean {
    const name = hostName(headers.host ?? "");
    return isThisMachine(socket.remoteAddress) && (isLoopback(name) || allowedHosts.includes(name));
  }

  /** Whether Sandglass's own page sends it, or no page does. */
  function isSameOrigin({ headers, socket }: IncomingMessage): boolean {
    const { origin, host = "" } = headers;
    const site = headers["sec-fetch-site"];
    const scheme = (socket as TLSSocket).encrypted ? "https" : "http";
    const foreignOrigin = origin !== undefined && origin !== `${scheme}://${host}` && origin !== publicUrl;
    const foreignSite = site !== undefined && site !== "same-origin" && site !== "none";
    return !foreignOrigin && !foreignSite;
  }

  return (request) => {
    const local = isLocal(request);
    if (!local && !share) throw otherMachine(request);
    const sameOrigin = isSameOrigin(request);
    const { origin } = request.headers;
    const allowed = origin !== undefined && allowedOrigins.includes(origin);
    if (!sameOrigin && !allowed) throw otherSite(origin);
    // It carries no token, and reads and changes nothing.
    if (allowed && isPreflight(request.method, request.headers)) return;
    if (!local) return share!.check(request, sameOrigin);
    // A client may send the token of a sandbox that it used before: nothing may store it.
    delete request.headers[TOKEN_HEADER];
  };
}

const hostName = (host: string): string => host.replace(/:\d+$/, "").toLowerCase();

/** Whether a peer is a program of this machine. A socket that a sandbox without a port listens on has no address. */
export const isThisMachine = (address = "127.0.0.1"): boolean => LOOPBACK_ADDRESS.test(address);

function otherMachine({ headers, socket }: IncomingMessage): RefusedCaller {
  if (!isThisMachine(socket.remoteAddress))
    return new RefusedCaller(
      "machine",
      `The control API answers this machine only, not ${socket.remoteAddress}.`,
      SHARE_HINT,
    );
  return new RefusedCaller(
    "machine",
    `The Host header names '${(headers.host ?? "").slice(0, 100)}', which is not this machine.`,
    "Use 127.0.0.1 or localhost, list the name in allowedHosts, or start Sandglass with --share.",
  );
}

const otherSite = (origin: string | undefined): RefusedCaller =>
  new RefusedCaller(
    "site",
    `A page of ${origin?.slice(0, 200) ?? "another site"} may not control the sandbox.`,
    "Call the control API from a server, a script or Sandglass's own page, or list the page's origin in allowedOrigins.",
  );
