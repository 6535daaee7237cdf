import type { IncomingHttpHeaders } from "node:http";

/** Headers for every request from Sandglass to a subscriber. */
export const OWN_HEADERS = { "User-Agent": "Sandglass/1" } as const;

/**
 * Whether a request comes from Sandglass itself: a delivery from any process, `check` or `explore`. Such requests only
 * lose rights, so a caller gains nothing by faking it.
 */
export const isOwnRequest = (headers: IncomingHttpHeaders): boolean =>
  headers["user-agent"]?.startsWith("Sandglass/") ?? false;
