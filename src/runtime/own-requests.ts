import type { IncomingHttpHeaders } from "node:http";

/** Headers that Sandglass adds to every request to a subscriber. */
export const OWN_HEADERS = { "User-Agent": "Sandglass/1" } as const;

/**
 * Whether a request comes from Sandglass itself: a delivery from any process, `check` or `explore`. Such requests have
 * fewer rights than others, so faking one gains a caller nothing.
 */
export const isOwnRequest = (headers: IncomingHttpHeaders): boolean =>
  headers["user-agent"]?.startsWith("Sandglass/") ?? false;
