import type { Duration } from "../config/types.ts";
import type { Area, ProviderState } from "./words.ts";

/**
 * What an area answered, whatever its status.
 * @example
 * const { status, body }: Answer<{ items: unknown[] }> = await sandbox.data.get("/explorer/addresses/0x…/tokens");
 */
export interface Answer<Body = unknown> {
  status: number;
  /** By name, in lower case. */
  headers: Record<string, string>;
  /** Parsed as JSON; undefined if it is not JSON. */
  body: Body;
}

/**
 * The payments platform's own API.
 * @example
 * const platform: Platform = sandbox.platform;
 * const { data } = await platform.call<{ data: { id: string }[] }>("GET", "/payment-links");
 */
export interface Platform {
  /** Where the platform answers; the base address for a client of yours. */
  readonly baseUrl: string;
  /**
   * Calls a path below `/api/v1`, with the write key unless another is given.
   * @throws SandboxError with the platform's code for what it refuses
   */
  call<Body>(method: string, path: string, body?: unknown, key?: string): Promise<Body>;
  /** Calls a path below `/api/v1`. Resolves with any answer, errors included. */
  request<Body = unknown>(method: string, path: string, request?: PlatformRequest): Promise<Answer<Body>>;
}

/**
 * What goes with a request to the platform.
 * @example
 * const anonymous: PlatformRequest = { key: null, headers: { "x-request-id": "1" } };
 */
export interface PlatformRequest {
  /** Sent as JSON. */
  body?: unknown;
  /** The API key. Default: the write key; null sends none. */
  key?: string | null;
  headers?: Record<string, string>;
}

/**
 * Chain data: a cached proxy in front of providers.
 * @example
 * const data: ChainData = sandbox.data;
 * const { body } = await data.get("/insights/v1/tokens/lookup?symbol=USDC");
 */
export interface ChainData {
  /** Where chain data answers; the base address for a client of yours. */
  readonly baseUrl: string;
  /** Requests a path with its query. Resolves with any answer; its headers say which provider or cache it is from. */
  get<Body = unknown>(path: string): Promise<Answer<Body>>;
  /** Forgets every cached answer. */
  purge(): Promise<{ purged: number }>;
  /** Makes a provider fail or work. */
  setProvider(name: string, change: ProviderChange): Promise<Provider>;
  /** Sets what an address holds on a chain. Default: the first configured chain. */
  setHoldings(address: string, tokens: readonly Holding[], chainId?: number): Promise<Holdings>;
}

/**
 * A provider and how it behaves.
 * @example
 * const { asked, hit }: Provider = await sandbox.data.setProvider("indexer", { state: "down", times: 2 });
 */
export interface Provider {
  name: string;
  kind: "explorer" | "indexer";
  /** Null for all chains. */
  chain_id: number | null;
  base_url: string;
  /** Whether recordings answer, or the address itself. */
  mode: "replay" | "live";
  state: ProviderState;
  /** The response status of an `error`; null otherwise. */
  status: number | null;
  /** Real milliseconds that a `slow` one takes; null otherwise. */
  latency: number | null;
  /** How many calls the state affects; null for all of them. */
  times: number | null;
  /** The share of calls that the state affects; null for all of them. */
  rate: number | null;
  /** Calls since the state was set. */
  asked: number;
  /** Calls that the state affected. */
  hit: number;
}

/**
 * A new state of a provider.
 * @example
 * const change: ProviderChange = { state: "error", status: 502, times: 3 };
 */
export interface ProviderChange {
  state: ProviderState;
  /** The response status of an `error`. Default 503. */
  status?: number;
  /** Real time that a `slow` one takes. Default 30s. */
  latency?: Duration;
  /** Affects this many calls, then the provider is up again. */
  times?: number;
  /** Affects calls with this probability, 0 to 1, drawn from the seed. */
  rate?: number;
}

/**
 * A token that an address holds. What is left out is unknown, or follows from the rest.
 * @example
 * const holding: Holding = { value: "2500000", token: { address: "0x…", symbol: "USDC", decimals: "6" } };
 */
export interface Holding {
  /** The balance, in the smallest unit. Default 1. */
  value?: string;
  token_id?: string | null;
  token: HeldToken;
  /** One token of a collection; made from `token_id` without it. */
  token_instance?: Record<string, unknown> | null;
}

/**
 * The token of a holding.
 * @example
 * const token: HeldToken = { address: "0x…", symbol: "USDC", decimals: "6" };
 */
export interface HeldToken {
  address?: string;
  name?: string | null;
  symbol?: string | null;
  decimals?: string | null;
  /** Default ERC-20. */
  type?: "ERC-20" | "ERC-721" | "ERC-1155";
  holders?: number | null;
  exchange_rate?: string | null;
  total_supply?: string | null;
}

/**
 * What an address was set to hold.
 * @example
 * const { rows }: Holdings = await sandbox.data.setHoldings("0x…", []);
 */
export interface Holdings {
  address: string;
  chain_id: number;
  source: "recording" | "set";
  rows: number;
  /** Virtual time, ISO 8601. */
  set_at: string | null;
}

/**
 * The game launcher.
 * @example
 * const game: Game = sandbox.game;
 * const { token } = await game.token();
 */
export interface Game {
  /** Where the launcher answers; the base address for a client of yours. */
  readonly baseUrl: string;
  /** Mints a launcher JWT, which opens a session. */
  token(request?: TokenRequest): Promise<LauncherToken>;
  /** Calls an operation of the launcher, such as `set-user-score`. Resolves with any answer, errors included. */
  call<Body = unknown>(operation: string, body?: Readonly<Record<string, unknown>>): Promise<Answer<Body>>;
}

/**
 * Whose launcher JWT is minted, for which game and how long. Everything has a default.
 * @example
 * const request: TokenRequest = { address: "0x…", gameId: "my-game", expiresIn: "1h" };
 */
export interface TokenRequest {
  /** A player's id, address or username. */
  player?: string | undefined;
  /** A wallet address; an unknown one makes a new player. */
  address?: string | undefined;
  /** A game's id or slug. Default: the first game. */
  gameId?: string | undefined;
  /** Default 24h. */
  expiresIn?: Duration | undefined;
}

/**
 * A launcher JWT and the session that it opens.
 * @example
 * const { token, session_id }: LauncherToken = await sandbox.game.token();
 */
export interface LauncherToken {
  token: string;
  player: { id: string; address: string; username: string; avatar: string };
  game: { id: string; slug: string; name: string };
  session_id: string;
  expires_at: string;
}

/**
 * Faults of the areas' own APIs.
 * @example
 * const faults: ApiFaults = sandbox.faults;
 * await faults.set("platform", { status: 503, times: 2 });
 */
export interface ApiFaults {
  /** Makes the API of an area fail or lag. */
  set(area: Area, fault: ApiFault): Promise<void>;
  /** Ends the fault of an area. */
  clear(area: Area): Promise<void>;
}

/**
 * How the API of an area fails or lags. Without `times` and `rate` it does so at every call.
 * @example
 * const fault: ApiFault = { status: 500, match: "POST /payment-links*", times: 1 };
 */
export interface ApiFault {
  /** The status to respond with, 400 to 599. */
  status?: number;
  /** Real time to wait before the call goes on, at most a minute. */
  latency?: Duration;
  /** Affects this many calls, then the API works again. */
  times?: number;
  /** Affects calls with this probability, 0 to 1, drawn from the seed. */
  rate?: number;
  /** Which calls: a method, a path with `*` for any text, or both. Default: all of them. */
  match?: string;
}
