import type { IncomingHttpHeaders } from "node:http";

/** What every request carries that Sandglass makes to a subscriber. */
export const OWN_HEADERS = { "User-Agent": "Sandglass/1" } as const;

/**
 * Whether Sandglass itself made a request: a delivery of this process or another, `check` or `explore`. It only takes
 * rights away, so a caller gains nothing by pretending.
 */
export const isOwnRequest = (headers: IncomingHttpHeaders): boolean =>
  headers["user-agent"]?.startsWith("Sandglass/") ?? false;
