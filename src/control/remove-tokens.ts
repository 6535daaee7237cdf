import type { IncomingHttpHeaders } from "node:http";
import { TOKEN_HEADER } from "../runtime/share-link.ts";

/** Browsers send the cookie of a shared sandbox to every port of its host, and so to every other sandbox there. */
const SHARE_COOKIE = /^sandglass_[0-9a-f]{8}=/;

/** Takes out of headers what only tokens are in, of this sandbox or another: nothing may store them. */
export function removeTokens(headers: IncomingHttpHeaders): void {
  // The second is for a proxy on the way.
  for (const name of [TOKEN_HEADER, "proxy-authorization"])
    if (headers[name] !== undefined) delete headers[name];
  if (!headers.cookie?.includes("sandglass_")) return;
  const others = headers.cookie.split(/; */).filter((cookie) => cookie !== "" && !SHARE_COOKIE.test(cookie));
  if (others.length > 0) headers.cookie = others.join("; ");
  else delete headers.cookie;
}
