import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { KNOWN_CHAINS } from "../chain-data/chains.ts";
import type { ChainDataSettings, UpstreamSettings } from "../chain-data/context.ts";
import { CACHE_TTL, EMPTY_CACHE_TTL, MAX_CHAINS, PAGE_SIZE, PROVIDER_TIMEOUT } from "../chain-data/limits.ts";
import {
  type Duration,
  duration,
  expect,
  integer,
  oneOf,
  type Reader,
  type Section,
  texts,
} from "./section.ts";

/**
 * Where real chain data comes from.
 * @example
 * const upstream: UpstreamConfig = { indexer: "https://indexer.example/v1" };
 */
export interface UpstreamConfig {
  /** Base address of the explorers, `{chain}` for a chain's id; without that, of the first chain's explorer. */
  explorer?: string;
  /** Base address of the indexer. */
  indexer?: string;
  /** Sent with every call, for keys. */
  headers?: Record<string, string>;
}

/**
 * How long answers of chain data are fresh.
 * @example
 * const cache: CacheConfig = { ttl: "1h", emptyTtl: "1m" };
 */
export interface CacheConfig {
  /** How long an answer is fresh, virtual time. Default 24h. */
  ttl?: Duration;
  /** The same for an answer without rows. Default 5m. */
  emptyTtl?: Duration;
}

/**
 * What `sandbox.config.ts` may say of chain data.
 * @example
 * const chainData: ChainDataConfig = { chains: [8453, 1], cache: { ttl: "1h" } };
 */
export interface ChainDataConfig {
  /** Chains that are asked when a request names none, in the order of fallback. Default: Ethereum, Base, OP Mainnet and nine more. */
  chains?: number[];
  /** Rows in a page of the listing, 1 to 100. Default 50. */
  pageSize?: number;
  /** Whether `usdc` finds `USDC`. Default `any-case`. */
  symbols?: "any-case" | "exact";
  /** What an address holds that no recording knows: nothing, or coins drawn from the seed. Default `empty`. */
  unknownAddresses?: "empty" | "generate";
  /** How long a provider may take, real time. Default 10s. */
  timeout?: Duration;
  cache?: CacheConfig;
  /** Files and folders of nock recordings, looked at before the built-in ones. */
  recordings?: string[];
  /** Real upstreams in place of the recordings; a kind that is not named is not asked. */
  upstream?: UpstreamConfig;
}

const chains: Reader<number[]> = (value) => {
  const fits =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_CHAINS &&
    value.every((chain) => Number.isSafeInteger(chain) && chain > 0) &&
    new Set(value).size === value.length;
  return fits ? value : expect(`a list of 1 to ${MAX_CHAINS} chain ids, each once`);
};

const address: Reader<string> = (value) => {
  const text = typeof value === "string" ? value.replace(/\/+$/, "") : "";
  return /^https?:\/\//.test(text) && URL.canParse(text.replaceAll("{chain}", "1"))
    ? text
    : expect("an http address such as https://explorer.example/api/v2");
};

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_TEXT = /^[\t\x20-\x7e]*$/;
const headers: Reader<Record<string, string>> = (value) =>
  value !== null &&
  typeof value === "object" &&
  Object.entries(value).every(
    ([name, text]) => HEADER_NAME.test(name) && typeof text === "string" && HEADER_TEXT.test(text),
  )
    ? (value as Record<string, string>)
    : expect("an object of header names and texts");

const atLeastOne: Reader<number> = (value) => {
  const ms = duration(value);
  return ms >= 1 ? ms : expect("a duration of at least 1 ms");
};

const existing: Reader<string[]> = (value) =>
  texts(value).map((path) =>
    existsSync(path)
      ? resolve(path)
      : expect("a list of files and folders that are there, from where Sandglass is started"),
  );

/** Reads the section `chainData`, with every default filled in. */
export function readChainData(section: Section): ChainDataSettings {
  const cache = section.section("cache");
  const settings: ChainDataSettings = {
    chains: section.read("chains", chains, KNOWN_CHAINS),
    pageSize: section.read("pageSize", integer(1, 100), PAGE_SIZE),
    symbols: section.read("symbols", oneOf("any-case", "exact"), "any-case"),
    unknownAddresses: section.read("unknownAddresses", oneOf("empty", "generate"), "empty"),
    timeout: section.read("timeout", atLeastOne, PROVIDER_TIMEOUT),
    cache: {
      ttl: cache.read("ttl", duration, CACHE_TTL),
      emptyTtl: cache.read("emptyTtl", duration, EMPTY_CACHE_TTL),
    },
    recordings: section.read("recordings", existing, []),
    upstream: readUpstream(section),
  };
  for (const part of [section, cache]) part.refuseUnknown();
  return settings;
}

function readUpstream(section: Section): UpstreamSettings | undefined {
  const upstream = section.section("upstream");
  const settings = {
    explorer: upstream.read("explorer", address, undefined),
    indexer: upstream.read("indexer", address, undefined),
    headers: upstream.read("headers", headers, {}),
  };
  upstream.refuseUnknown();
  return settings.explorer === undefined && settings.indexer === undefined ? undefined : settings;
}
