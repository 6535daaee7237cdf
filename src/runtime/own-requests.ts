import type { IncomingHttpHeaders } from "node:http";

/** Headers that Sandglass adds to every request to a subscriber. */
export const OWN_HEADERS = { "User-Agent": "Sandglass/1" } as const;

/**
 * Whether a request comes from Sandglass itself: a delivery from any process, `check` or `explore`. Such requests have
 * fewer permissions than others, so a caller gains nothing by faking one.
 */
export const isOwnRequest = (headers: IncomingHttpHeaders): boolean =>
  headers["user-agent"]?.startsWith("Sandglass/") ?? false;
