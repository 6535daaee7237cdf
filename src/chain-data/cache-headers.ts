import { SECOND } from "../world/duration.ts";
import type { Head } from "./cache.ts";

/**
 * An answer's source: the cache (HIT); a provider, because nothing was cached (MISS) or it had expired (EXPIRED); or the
 * cache despite its expiry (STALE).
 */
export type CacheState = "HIT" | "MISS" | "EXPIRED" | "STALE";

export interface Served {
  head: Head;
  state: CacheState;
  /** Whether this request stored the answer in the cache. */
  stored: boolean;
  /** Whether another request for the same answer was already in progress. */
  collapsed: boolean;
}

/** Response headers: Cache-Status (RFC 9211), Age, X-Cache, and which provider served which chains. */
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

/** Headers for an error: nothing was cached, and no provider responded. */
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
