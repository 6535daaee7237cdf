import { SECOND } from "../world/duration.ts";
import type { Head } from "./cache.ts";

/**
 * The source of an answer: the cache; a provider, because no answer was cached or it had expired; or the cache, although expired.
 */
export type CacheState = "HIT" | "MISS" | "EXPIRED" | "STALE";

export interface Served {
  head: Head;
  state: CacheState;
  /** Whether it was written to the cache just now. */
  stored: boolean;
  /** Whether another request was already asking for it. */
  collapsed: boolean;
}

/** The headers of an answer: Cache-Status (RFC 9211), Age, X-Cache, and which provider answered for which chains. */
export function cacheHeaders(
  { head, state, stored, collapsed }: Served,
  now: number,
): Record<string, string> {
  const cached = state === "HIT" || state === "STALE";
  return {
    "cache-status": `sandglass; ${statusOf(state, Math.floor((head.expires_at - now) / SECOND), stored)}${collapsed ? "; collapsed" : ""}`,
    age: cached ? String(Math.floor((now - head.stored_at) / SECOND)) : "0",
    "x-cache": state,
    ...(head.providers === "" ? {} : { "x-sandbox-provider": head.providers }),
    ...(head.chains === "" ? {} : { "x-sandbox-chain": head.chains }),
  };
}

function statusOf(state: CacheState, ttl: number, stored: boolean): string {
  switch (state) {
    case "HIT":
      return `hit; ttl=${ttl}`;
    case "MISS":
      return `fwd=miss; fwd-status=200${stored ? "; stored" : ""}`;
    case "EXPIRED":
      return `fwd=stale; fwd-status=200${stored ? "; stored; detail=refreshed" : ""}`;
    case "STALE":
      return "fwd=stale; detail=upstream-failed";
  }
}

/** The headers of an error: nothing was cached, and no provider answered. */
export function errorHeaders(
  status: string,
  asked: { providers?: readonly string[]; chains?: readonly number[] } = {},
): Record<string, string> {
  const { providers = [], chains = [] } = asked;
  return {
    "cache-status": `sandglass; ${status}`,
    age: "0",
    "x-cache": "MISS",
    ...(providers.length === 0 ? {} : { "x-sandbox-provider": providers.join(", ") }),
    ...(chains.length === 0 ? {} : { "x-sandbox-chain": chains.join(", ") }),
  };
}
