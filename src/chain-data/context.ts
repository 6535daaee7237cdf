import type { World } from "../world/world.ts";
import type { Upstream } from "./providers/upstream.ts";

/** What a user can set for the chain-data area; see `sandbox.config.ts`. Durations in milliseconds. */
export interface ChainDataSettings {
  /** The chains to query if a request specifies none, in fallback order. */
  chains: readonly number[];
  /** Rows in a page of the listing. */
  pageSize: number;
  /** Whether `usdc` finds `USDC`. */
  symbols: "any-case" | "exact";
  /** The holdings of an address without a recording. */
  unknownAddresses: "empty" | "generate";
  /** How long a provider may take, in real milliseconds. */
  timeout: number;
  cache: {
    /** How long an answer is fresh, in virtual milliseconds. */
    ttl: number;
    /** How long an answer without rows is fresh. */
    emptyTtl: number;
  };
  /** Files and folders of nock recordings, looked at before those that come with the package. */
  recordings: readonly string[];
  /** Real upstreams in place of the recordings; a kind of provider without an address is not asked. */
  upstream: UpstreamSettings | undefined;
}

export interface UpstreamSettings {
  /** Base address of a chain's explorer, with `{chain}` where its id goes. */
  explorer: string | undefined;
  indexer: string | undefined;
  /** Headers that are sent with every call, for keys. */
  headers: Readonly<Record<string, string>>;
}

export interface ChainDataContext {
  world: World;
  settings: ChainDataSettings;
  upstream: Upstream;
}
