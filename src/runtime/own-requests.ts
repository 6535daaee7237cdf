import type { IncomingHttpHeaders } from "node:http";

/** Headers of every request of Sandglass to a subscriber. */
export const OWN_HEADERS = { "User-Agent": "Sandglass/1" } as const;

/**
 * Whether Sandglass itself made a request: a delivery of any process, `check` or `explore`. It only removes rights, so a caller
 * gains nothing by pretending.
 */
export const isOwnRequest = (headers: IncomingHttpHeaders): boolean =>
  headers["user-agent"]?.startsWith("Sandglass/") ?? false;
