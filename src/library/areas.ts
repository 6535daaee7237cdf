import type { Static } from "typebox";
import type * as holdings from "../chain-data/holdings-input.ts";
import type { ProviderView } from "../chain-data/provider-view.ts";
import type { Input } from "../http/shapes.ts";
import type * as data from "../operations/chain-data.ts";
import type { ApiFaultBody } from "../operations/faults.ts";
import type * as game from "../operations/game.ts";
import type { Area } from "./words.ts";

/**
 * An area's response, whatever its status.
 * @example
 * const { status, body }: Answer<{ items: unknown[] }> = await sandbox.data.get("/explorer/addresses/0x…/tokens");
 */
export interface Answer<Body = unknown> {
  status: number;
  /** Header values by lower-case name. */
  headers: Record<string, string>;
  /** The body parsed as JSON; undefined if it is not JSON. */
  body: Body;
}

/**
 * The payments platform's own API.
 * @example
 * const platform: Platform = sandbox.platform;
 * const { data } = await platform.call<{ data: { id: string }[] }>("GET", "/payment-links");
 */
export interface Platform {
  /** The platform's base URL, for your own client. */
  readonly baseUrl: string;
  /**
   * Calls a path below `/api/v1`, using the write key by default.
   * @throws SandboxError with the platform's code if it rejects the call
   */
  call<Body>(method: string, path: string, body?: unknown, key?: string): Promise<Body>;
  /** Calls a path below `/api/v1`. Resolves with any response, including errors. */
  request<Body = unknown>(method: string, path: string, request?: PlatformRequest): Promise<Answer<Body>>;
}

/**
 * Options of a request to the platform.
 * @example
 * const anonymous: PlatformRequest = { key: null, headers: { "x-request-id": "1" } };
 */
export interface PlatformRequest {
  /** The request body, which is sent as JSON. */
  body?: unknown;
  /** The API key: the write key by default, or null to send none. */
  key?: string | null;
  headers?: Record<string, string>;
}

/**
 * Chain data: a caching proxy in front of data providers.
 * @example
 * const data: ChainData = sandbox.data;
 * const { body } = await data.get("/insights/v1/tokens/lookup?symbol=USDC");
 */
export interface ChainData {
  /** The base URL of the chain data area, for your own client. */
  readonly baseUrl: string;
  /**
   * Gets a path, including its query. Resolves with any response; its headers name the provider or cache that it came
   * from.
   */
  get<Body = unknown>(path: string): Promise<Answer<Body>>;
  /** Clears the cache. */
  purge(): Promise<{ purged: number }>;
  /** Makes a provider fail, or work again. */
  setProvider(name: string, change: ProviderChange): Promise<Provider>;
  /** Sets an address's holdings on a chain. The chain defaults to the first configured one. */
  setHoldings(address: string, tokens: readonly Holding[], chainId?: number): Promise<Holdings>;
}

/**
 * A provider and its current behaviour.
 * @example
 * const { asked, hit }: Provider = await sandbox.data.setProvider("indexer", { state: "down", times: 2 });
 */
export type Provider = Static<typeof ProviderView>;

/**
 * A new state for a provider.
 * @example
 * const change: ProviderChange = { state: "error", status: 502, times: 3 };
 */
export type ProviderChange = Input<typeof data.ProviderChangeBody>;

/**
 * A token that an address holds. Omitted fields are unknown or derived from the others.
 * @example
 * const holding: Holding = { value: "2500000", token: { address: "0x…", symbol: "USDC", decimals: "6" } };
 */
export type Holding = Input<typeof holdings.HoldingInput>;

/**
 * The token of a holding.
 * @example
 * const token: HeldToken = { address: "0x…", symbol: "USDC", decimals: "6" };
 */
export type HeldToken = Input<typeof holdings.HeldToken>;

/**
 * The holdings set for an address.
 * @example
 * const { rows }: Holdings = await sandbox.data.setHoldings("0x…", []);
 */
export type Holdings = Static<typeof data.KnownAddress>;

/**
 * The game launcher.
 * @example
 * const game: Game = sandbox.game;
 * const { token } = await game.token();
 */
export interface Game {
  /** The launcher's base URL, for your own client. */
  readonly baseUrl: string;
  /** Issues a launcher JWT, which opens a session. */
  token(request?: TokenRequest): Promise<LauncherToken>;
  /** Calls a launcher operation, such as `set-user-score`. Resolves with any response, including errors. */
  call<Body = unknown>(operation: string, body?: Readonly<Record<string, unknown>>): Promise<Answer<Body>>;
}

/**
 * The player, the game and the lifetime of a launcher JWT. Every field has a default.
 * @example
 * const request: TokenRequest = { address: "0x…", gameId: "my-game", expiresIn: "1h" };
 */
export type TokenRequest = Input<typeof game.TokenBody>;

/**
 * A launcher JWT and the session that it opens.
 * @example
 * const { token, session_id }: LauncherToken = await sandbox.game.token();
 */
export type LauncherToken = Static<typeof game.Token>;

/**
 * Faults in the areas' own APIs.
 * @example
 * const faults: ApiFaults = sandbox.faults;
 * await faults.set("platform", { status: 503, times: 2 });
 */
export interface ApiFaults {
  /** Makes an area's API fail or respond slowly. */
  set(area: Area, fault: ApiFault): Promise<void>;
  /** Clears an area's fault. */
  clear(area: Area): Promise<void>;
}

/**
 * How an area's API fails or slows down. Without `times` or `rate`, the fault affects every call.
 * @example
 * const fault: ApiFault = { status: 500, match: "POST /payment-links*", times: 1 };
 */
export type ApiFault = Input<typeof ApiFaultBody>;
