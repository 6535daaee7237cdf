import type { World } from "../world/world.ts";
import type { Upstream } from "./providers/upstream.ts";

/** The chain-data settings; see `sandbox.config.ts`. Durations are in milliseconds. */
export interface ChainDataSettings {
  /** The default chains for requests that specify none, in fallback order. */
  chains: readonly number[];
  /** The number of rows per page of the listing. */
  pageSize: number;
  /** Whether symbols match regardless of case, so that `usdc` finds `USDC`. */
  symbols: "any-case" | "exact";
  /** How to treat addresses without a recording. */
  unknownAddresses: "empty" | "generate";
  /** The timeout for provider calls, in real milliseconds. */
  timeout: number;
  cache: {
    /** How long an answer is fresh, in virtual milliseconds. */
    ttl: number;
    /** How long an answer without rows is fresh, in virtual milliseconds. */
    emptyTtl: number;
  };
  /** Files and folders with nock recordings, which take precedence over those in the package. */
  recordings: readonly string[];
  /** Real upstreams instead of the recordings. A kind of provider without a URL is not used. */
  upstream: UpstreamSettings | undefined;
}

export interface UpstreamSettings {
  /** Base URL of the explorers, with `{chain}` as the placeholder for the chain id. */
  explorer: string | undefined;
  indexer: string | undefined;
  /** Headers sent with every call, such as API keys. */
  headers: Readonly<Record<string, string>>;
}

export interface ChainDataContext {
  world: World;
  settings: ChainDataSettings;
  upstream: Upstream;
}
