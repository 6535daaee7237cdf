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

/** A browser sends a shared sandbox's cookie to every port of its host, so other sandboxes there receive it as well. */
const SHARE_COOKIE = /^sandglass_[0-9a-f]{8}=/;

export interface GuardOptions {
  /** Host names that requests from this machine may use in addition to loopback names. */
  allowedHosts: readonly string[];
  /** Origins whose pages may call the sandbox. */
  allowedOrigins: readonly string[];
  /** The sandbox's public URL. Pages from this origin are Sandglass's own. */
  publicUrl: string | undefined;
  /** Admits other machines that present the token. If undefined, every other machine is rejected. */
  share: Share | undefined;
}

/** Decides what each caller may do. See SECURITY.md. */
export interface Guard {
  /** Identifies the sender of a request and removes the token. This must run before any other code sees the request. */
  meet(request: IncomingMessage): void;
  /**
   * Why a request must be rejected, whatever its route; undefined if the route decides. The response to a wrong token
   * is delayed.
   * @param area the area that the request is for
   */
  refusalOf(request: IncomingMessage, area: AreaFace | undefined): Refusal | Promise<Refusal> | undefined;
  /**
   * Lets this machine's own programs and pages control a world; in a shared sandbox, also other machines with the
   * token. Rejects pages of other sites, and host names that were rebound to this machine.
   * @throws RefusedCaller; for a wrong token, after a delay
   */
  check(request: IncomingMessage): void | Promise<void>;
}

const SHARE_HINT: Hint = {
  command:
    "Call it from the machine where Sandglass runs, or start Sandglass there with: npx sandglass --share",
  library: "Call it from the machine where Sandglass runs, or start Sandglass there with share: true.",
  http: "Call it from the machine where Sandglass runs, or start Sandglass there with --share.",
};

/** The only paths that Sandglass's own requests may reach, without a world's prefix. */
const INBOX = /^\/_sandbox\/inbox\//;

export function createGuard({ allowedHosts, allowedOrigins, publicUrl, share }: GuardOptions): Guard {
  const ownHosts = new Set(publicUrl ? [...allowedHosts, new URL(publicUrl).hostname] : allowedHosts);

  /**
   * Whether a request must have come from this machine. The host name alone proves nothing, because a website's name
   * could resolve to loopback.
   */
  function isLocal({ headers, socket }: IncomingMessage): boolean {
    const name = hostName(headers.host ?? "");
    return isThisMachine(socket.remoteAddress) && (isLoopback(name) || allowedHosts.includes(name));
  }

  /**
   * Whether the requested host belongs to the sandbox and cannot be a website's. Its first label may select a chain.
   */
  function isKnownHost({ headers }: IncomingMessage): boolean {
    const name = hostName(headers.host ?? "");
    return isLocalName(name) || ownHosts.has(name) || ownHosts.has(name.replace(/^\d+\./, ""));
  }

  /** Whether a page's origin equals the host that the request was sent to. */
  function isOwnOrigin({ headers: { host = "" }, socket }: IncomingMessage, origin: string): boolean {
    const scheme = (socket as TLSSocket).encrypted ? "https" : "http";
    return origin === `${scheme}://${host}` || origin === publicUrl;
  }

  /** Whether the request comes from Sandglass's own page, or from no page at all. */
  function isSameOrigin(request: IncomingMessage): boolean {
    const { origin, "sec-fetch-site": site = "none" } = request.headers;
    return (
      (origin === undefined || isOwnOrigin(request, origin)) && (site === "same-origin" || site === "none")
    );
  }

  /** Whether a page may call an API that is meant for servers. Links and frames may point there from any page. */
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
      // A preflight carries no token, and reads and changes nothing.
      if (allowed && isPreflight(request.method, request.headers)) return;
      if (!local) return share!.check(request, sameOrigin);
    },
  };
}

const forbidden = (message: string, hint: string): Refusal => ({ status: 403, message, hint });

const notThisMachine = (host: string): string =>
  `The Host header is '${host.slice(0, 100)}', which is not this machine.`;

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

/**
 * Removes headers that only ever contain tokens, whether of this sandbox or of another, so the tokens are never stored.
 */
function removeTokens(headers: IncomingHttpHeaders): void {
  // Proxies use Proxy-Authorization to authenticate their clients.
  for (const name of [TOKEN_HEADER, "proxy-authorization"])
    if (headers[name] !== undefined) delete headers[name];
  if (!headers.cookie?.includes("sandglass_")) return;
  const others = headers.cookie.split(/; */).filter((cookie) => cookie !== "" && !SHARE_COOKIE.test(cookie));
  if (others.length > 0) headers.cookie = others.join("; ");
  else delete headers.cookie;
}
