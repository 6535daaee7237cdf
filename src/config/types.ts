import type { SignatureMode } from "../game/context.ts";
import type { Rule } from "../game/rules/rule.ts";
import type { ClockMode, Duration } from "../library/words.ts";

// test/config/description.test.ts compares these types and their comments with the description of the configuration.

/**
 * The section `clock` of `sandbox.config.ts`.
 * @example
 * const clock: ClockConfig = { mode: "scaled", rate: 60 };
 */
export interface ClockConfig {
  /**
   * `live` runs with real time, `scaled` at `rate`, and `paused` waits for an advance. Default: `"live"`, or
   * `"scaled"` with a rate.
   */
  mode?: ClockMode;
  /** Virtual seconds per real second, at most 1000000. Default: `1`. */
  rate?: number;
}

/**
 * Separate ports for areas, for clients that accept only a host.
 * @example
 * const ports: PortsConfig = { platform: 4401 };
 */
export interface PortsConfig {
  /** A separate port for the payments platform. Default: none. */
  platform?: number;
  /** A separate port for chain data. Default: none. */
  data?: number;
  /** A separate port for the game launcher. Default: none. */
  game?: number;
}

/**
 * The section `worlds` of `sandbox.config.ts`.
 * @example
 * const worlds: WorldsConfig = { idle: "1h" };
 */
export interface WorldsConfig {
  /** Ends worlds, except the default one, that were unused for this real time. Default: never. */
  idle?: Duration;
  /** How many entries the journal of a world stores; the oldest are removed. Default: `100000`. */
  journalEntries?: number;
  /** MiB that all snapshots in memory may take together; with `dataDir` they are files. Default: `1024`. */
  snapshotMemory?: number;
}

/**
 * The section `payments` of `sandbox.config.ts`.
 * @example
 * const payments: PaymentsConfig = { rateLimit: "off", confirmationDelay: "2m" };
 */
export interface PaymentsConfig {
  /** Calls per minute for each API key, or `"off"`. Default: `120`. */
  rateLimit?: number | "off";
  /** Virtual time from a payment to its confirmation. Default: `0`. */
  confirmationDelay?: Duration;
}

/**
 * When failures disable a webhook endpoint.
 * @example
 * const disableAfter: DisableAfterConfig = { consecutive: 3, count: "exhausted" };
 */
export interface DisableAfterConfig {
  /** Consecutive failures that disable an endpoint. Default: `10`. */
  consecutive?: number;
  /**
   * What counts: failed attempts, or events whose automatic attempts have all failed: `"exhausted"`. Default:
   * `"attempts"`.
   */
  count?: "attempts" | "exhausted";
}

/**
 * A webhook endpoint that every new world has.
 * @example
 * const endpoint: EndpointConfig = { url: "http://127.0.0.1:3000/webhooks", events: ["payment.completed"] };
 */
export interface EndpointConfig {
  /** Where your server takes webhooks, or a path of the sandbox itself. */
  url: string;
  /** The events it gets; `["*"]` is all. Default: `["*"]`. */
  events?: ("payment.completed" | "payment.failed" | "checkout.completed" | "checkout.expired" | "*")[];
  /** Its signing secret. Default: `webhooks.secret`, or drawn from the seed. */
  secret?: string;
  /** What it is for; the page shows it. Default: none. */
  description?: string;
  /** Whose endpoint it is: an organization's name, slug or id. Default: the first organization. */
  organization?: string;
}

/**
 * The section `webhooks` of `sandbox.config.ts`.
 * @example
 * const webhooks: WebhooksConfig = { allowHttpHosts: ["shop"], retryDelays: ["5s", "1m"] };
 */
export interface WebhooksConfig {
  /**
   * Webhook endpoints that every new world has: `url`, and optionally `events`, `secret`, `description` and
   * `organization`. Default: `[]`.
   */
  endpoints?: EndpointConfig[];
  /** Hosts besides loopback that may be called, over plain http as well. Default: `[]`. */
  allowHttpHosts?: string[];
  /** Whether deliveries may leave this machine. Default: `false`. */
  allowExternal?: boolean;
  /** The signing secret of every new endpoint. Default: drawn from the seed for each. */
  secret?: string;
  /** Prefix of the webhook headers. Default: `"X-Platform-"`. */
  headerPrefix?: string;
  /**
   * Whether each attempt has its own delivery id header, or all attempts of an event share one: `"event"`. Default:
   * `"attempt"`.
   */
  deliveryId?: "attempt" | "event";
  /** The delay before each retry. Default: `["1m", "10m", "1h"]`. */
  retryDelays?: Duration[];
  /** How long a subscriber may take. Default: `"30s"`. */
  timeout?: Duration;
  disableAfter?: DisableAfterConfig;
}

/**
 * How long answers of chain data are fresh.
 * @example
 * const cache: CacheConfig = { ttl: "1h", emptyTtl: "1m" };
 */
export interface CacheConfig {
  /** How long an answer is fresh, in virtual time. Default: `"24h"`. */
  ttl?: Duration;
  /** How long an answer without rows is fresh, in virtual time. Default: `"5m"`. */
  emptyTtl?: Duration;
}

/**
 * Where real chain data comes from.
 * @example
 * const upstream: UpstreamConfig = { indexer: "https://indexer.example/v1" };
 */
export interface UpstreamConfig {
  /**
   * Base address of real explorers, with `{chain}` for a chain's id; without it, of the first chain's. Default: none.
   */
  explorer?: string;
  /** Base address of a real indexer. If you set only one of the two, the other is not asked. Default: none. */
  indexer?: string;
  /** Headers for every call to a real upstream, such as keys. Default: `{}`. */
  headers?: Record<string, string>;
}

/**
 * The section `chainData` of `sandbox.config.ts`.
 * @example
 * const chainData: ChainDataConfig = { chains: [8453, 1], cache: { ttl: "1h" } };
 */
export interface ChainDataConfig {
  /**
   * The chains to ask if a request names none, in the order of fallback. Default: `[1, 8453, 10, 42161, 137, 56,
   * 43114, 100, 42220, 59144, 130, 34443]`.
   */
  chains?: number[];
  /** Rows per page of a listing, 1 to 100. A cached listing has its pages until it expires. Default: `50`. */
  pageSize?: number;
  /** Whether `usdc` finds `USDC`. Default: `"any-case"`. */
  symbols?: "any-case" | "exact";
  /**
   * What an address in no recording holds: nothing, or coins drawn from the seed: `"generate"`. Default: `"empty"`.
   */
  unknownAddresses?: "empty" | "generate";
  /** How long a provider may take, in real time. Default: `"10s"`. */
  timeout?: Duration;
  cache?: CacheConfig;
  /** Files and folders of nock recordings, searched before the built-in ones. Default: `[]`. */
  recordings?: string[];
  upstream?: UpstreamConfig;
}

/**
 * A game of your own.
 * @example
 * const game: GameDefinition = { slug: "my-game", name: "My game" };
 */
export interface GameDefinition {
  /** Its name in URLs and messages: lower-case letters, digits and hyphens. */
  slug: string;
  /** Its name on the page. */
  name: string;
  /** The `gameId` that your game sends. Default: made from the slug. */
  id?: string;
  /** Signs launcher JWTs, and is part of request signatures. Default: readable, made from the slug. */
  secret?: string;
}

/**
 * The section `game` of `sandbox.config.ts`.
 * @example
 * const game: GameConfig = { games: [{ slug: "my-game", name: "My game" }], requireSignature: ["my-game"] };
 */
export interface GameConfig {
  /** Your own games, before the built-in ones: `slug`, `name`, and optionally `id` and `secret`. Default: `[]`. */
  games?: GameDefinition[];
  /**
   * Which games require signatures: all, those listed, or `"off"`, `"optional"`, `"required"` for each. Default:
   * `false`.
   */
  requireSignature?: boolean | string[] | Record<string, SignatureMode>;
  /** What triggers do, instead of the built-in rules. Default: four built-in rules. */
  rules?: Rule[];
}

/**
 * What `sandbox.config.ts` exports. Every field is optional.
 * @example
 * const config: SandglassConfig = { clock: { mode: "paused" }, webhooks: { retryDelays: ["5s", "1m"] } };
 */
export interface SandglassConfig {
  /** In `sandbox.config.json`: its JSON Schema, for editors. Default: none. */
  $schema?: string;
  /** Port to serve on; 0 picks a free one. Default: `4400`. */
  port?: number;
  /** Address to bind; with `share`, every address of this machine unless you set one. Default: `"127.0.0.1"`. */
  host?: string;
  /**
   * Opens the page and the control API to other machines, with a token. Without it they answer this machine only.
   * Default: `false`.
   */
  share?: boolean;
  /** Serves HTTPS instead of HTTP, with a certificate from your own local certificate authority. Default: `false`. */
  https?: boolean;
  /**
   * The address under which others reach the sandbox: the base of all links in its answers. Default: the address that
   * is bound.
   */
  publicUrl?: string;
  /** Seed for data and chance; `"empty"` has only organizations, keys and games. Default: `"sandglass"`. */
  seed?: string;
  /** Virtual time at the start: ISO 8601, or `"now"`. Default: `"2026-01-15T09:00:00Z"`. */
  startAt?: string;
  /**
   * What worlds begin with: a folder of fixtures, a scenario (where it ends), or a snapshot file. Default: none, the
   * seed says it.
   */
  from?: string;
  clock?: ClockConfig;
  /** A folder to store the worlds in. Default: none, worlds are in memory. */
  dataDir?: string;
  /** Real time for an open request while the clock is advanced or paused. Default: `"5s"`. */
  settleTimeout?: Duration;
  /** Host names besides loopback that reach the areas and, from this machine, the control API. Default: `[]`. */
  allowedHosts?: string[];
  /**
   * Origins of pages, such as `http://localhost:5173`, that may call the control API and the payments platform.
   * Default: `[]`.
   */
  allowedOrigins?: string[];
  /**
   * Senders besides the platform whose webhooks can be sent: one of Sandglass's by its name, such as `"stripe"`, or a
   * file of yours.
   * Default: `[]`.
   */
  senders?: string[];
  /** The folder of your scenarios. Default: `"scenarios"`. */
  scenarios?: string;
  ports?: PortsConfig;
  worlds?: WorldsConfig;
  payments?: PaymentsConfig;
  webhooks?: WebhooksConfig;
  chainData?: ChainDataConfig;
  game?: GameConfig;
}
