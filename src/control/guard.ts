import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { Hint } from "../errors/errors.ts";
import type { AreaFace, Refusal } from "../http/area.ts";
import { isPreflight } from "../http/cors.ts";
import { hostName, isLocalName, isLoopback, isThisMachine } from "../http/loopback.ts";
import { guestAt, setStanding, standingOf } from "../http/standing.ts";
import { isOwnRequest } from "../runtime/own-requests.ts";
import { TOKEN_HEADER } from "../runtime/share-link.ts";
import { RefusedCaller } from "./refused-caller.ts";
import type { Share } from "./share.ts";

/** Browsers send the cookie of a shared sandbox to every port of its host, and so to every other sandbox there. */
const SHARE_COOKIE = /^sandglass_[0-9a-f]{8}=/;

export interface GuardOptions {
  /** Host names other than loopback by which this machine may call. */
  allowedHosts: readonly string[];
  /** Origins of pages that may call. */
  allowedOrigins: readonly string[];
  /** The address under which others reach the sandbox; a page from there is Sandglass's own. */
  publicUrl: string | undefined;
  /** Lets other machines with the token in; without it they are refused. */
  share: Share | undefined;
}

/** Decides who may do what. See SECURITY.md. */
export interface Guard {
  /** Finds out who sends a request, and takes the token out of it. Nothing else may see the request before. */
  meet(request: IncomingMessage): void;
  /**
   * Why a request gets no further, whatever its route; undefined where a route decides. A wrong token waits first.
   * @param area the area that it is for
   */
  refusalOf(request: IncomingMessage, area: AreaFace | undefined): Refusal | Promise<Refusal> | undefined;
  /**
   * Lets this machine's own programs and pages control a world and, in a shared sandbox, other machines with the token. No
   * page of another site gets through, and no name that was rebound to this machine.
   * @throws RefusedCaller after a wait where a token is wrong
   */
  check(request: IncomingMessage): void | Promise<void>;
}

const SHARE_HINT: Hint = {
  command: "Call it from the machine where it runs, or start it there with: npx sandglass --share",
  library: "Call it from the machine where it runs, or start it there with share: true.",
  http: "Call it from the machine where it runs, or start it there with --share.",
};

/** The only path that requests of Sandglass itself can reach, without the prefix of a world. */
const INBOX = /^\/_sandbox\/inbox\//;

export function createGuard({ allowedHosts, allowedOrigins, publicUrl, share }: GuardOptions): Guard {
  const ownHosts = new Set(publicUrl ? [...allowedHosts, new URL(publicUrl).hostname] : allowedHosts);

  /** Whether only this machine can have sent the request. A website's name could resolve to loopback. */
  function isLocal({ headers, socket }: IncomingMessage): boolean {
    const name = hostName(headers.host ?? "");
    return isThisMachine(socket.remoteAddress) && (isLoopback(name) || allowedHosts.includes(name));
  }

  /** Whether the requested host is the sandbox's, and cannot be a website's. The first label may choose a chain. */
  function isKnownHost({ headers }: IncomingMessage): boolean {
    const name = hostName(headers.host ?? "");
    return isLocalName(name) || ownHosts.has(name) || ownHosts.has(name.replace(/^\d+\./, ""));
  }

  /** Whether a page's origin is the address that the request was sent to. */
  function isOwnOrigin({ headers: { host = "" }, socket }: IncomingMessage, origin: string): boolean {
    const scheme = (socket as TLSSocket).encrypted ? "https" : "http";
    return origin === `${scheme}://${host}` || origin === publicUrl;
  }

  /** Whether Sandglass's own page sends it, or no page does. */
  function isSameOrigin(request: IncomingMessage): boolean {
    const { origin, "sec-fetch-site": site = "none" } = request.headers;
    return (
      (origin === undefined || isOwnOrigin(request, origin)) && (site === "same-origin" || site === "none")
    );
  }

  /** Whether a page may call an API whose keys belong to servers. Links and frames may lead there from anywhere. */
  function mayCallServers(request: IncomingMessage): boolean {
    const { origin, "sec-fetch-site": site } = request.headers;
    if (site === "same-origin" || origin === undefined) return true;
    if (isOwnOrigin(request, origin) || allowedOrigins.includes(origin)) return true;
    return /^https?:/.test(origin) && URL.canParse(origin) && isLoopback(new URL(origin).hostname);
  }

  function refuseArea(request: IncomingMessage, { forServers }: AreaFace): Refusal | undefined {
    const { host = "", origin = "" } = request.headers;
    if (!isKnownHost(request))
      return forbidden(
        notThisMachine(host),
        "Use an address, localhost or a name below .localhost, .test or .internal, or list the name in allowedHosts.",
      );
    if (forServers && !mayCallServers(request))
      return forbidden(
        `Pages from ${origin.slice(0, 200)} are not allowed to call this API, whose keys belong on a server.`,
        "Call it from a server, or list the page's origin in allowedOrigins.",
      );
    return undefined;
  }

  return {
    meet(request) {
      const local = isLocal(request);
      const isOwner = share?.take(request).header || local;
      removeTokens(request.headers);
      if (share && isOwner && isSameOrigin(request)) share.redact(request);
      const guest = isOwner ? undefined : guestAt(request.socket.remoteAddress, share !== undefined);
      setStanding(request, { local, guest });
    },

    refusalOf(request, area) {
      if (isOwnRequest(request.headers) && !INBOX.test(request.url!))
        return forbidden(
          "A request from Sandglass itself can only reach its inboxes.",
          "Send it to your own server, or to an inbox: /_sandbox/inbox/{name}.",
        );
      if (area === undefined) return undefined;
      const refusal = refuseArea(request, area);
      if (refusal || !share || standingOf({ raw: request }).local) return refusal;
      return share.refusalOf(request);
    },

    check(request) {
      const { local } = standingOf({ raw: request });
      if (!local && !share) throw otherMachine(request);
      const sameOrigin = isSameOrigin(request);
      const { origin } = request.headers;
      const allowed = origin !== undefined && allowedOrigins.includes(origin);
      if (!sameOrigin && !allowed) throw otherSite(origin);
      // A preflight has no token, and reads and changes nothing.
      if (allowed && isPreflight(request.method, request.headers)) return;
      if (!local) return share!.check(request, sameOrigin);
    },
  };
}

const forbidden = (message: string, hint: string): Refusal => ({ status: 403, message, hint });

const notThisMachine = (host: string): string =>
  `The Host header names '${host.slice(0, 100)}', which is not this machine.`;

function otherMachine({ headers, socket }: IncomingMessage): RefusedCaller {
  if (!isThisMachine(socket.remoteAddress))
    return new RefusedCaller(
      "machine",
      `The control API only responds to this machine, not to ${socket.remoteAddress}.`,
      SHARE_HINT,
    );
  return new RefusedCaller(
    "machine",
    notThisMachine(headers.host ?? ""),
    "Use 127.0.0.1 or localhost, list the name in allowedHosts, or start Sandglass with --share.",
  );
}

const otherSite = (origin: string | undefined): RefusedCaller =>
  new RefusedCaller(
    "site",
    `Pages from ${origin?.slice(0, 200) ?? "another site"} are not allowed to control the sandbox.`,
    "Call the control API from a server, a script or Sandglass's own page, or list the page's origin in allowedOrigins.",
  );

/** Removes headers that can contain only tokens, of this sandbox or another, so that nothing stores them. */
function removeTokens(headers: IncomingHttpHeaders): void {
  // The second header is for a proxy between client and server.
  for (const name of [TOKEN_HEADER, "proxy-authorization"])
    if (headers[name] !== undefined) delete headers[name];
  if (!headers.cookie?.includes("sandglass_")) return;
  const others = headers.cookie.split(/; */).filter((cookie) => cookie !== "" && !SHARE_COOKIE.test(cookie));
  if (others.length > 0) headers.cookie = others.join("; ");
  else delete headers.cookie;
}
