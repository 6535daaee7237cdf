import type { CONFIG } from "../config/description.ts";
import type { Configured } from "../schema/configured.ts";

/**
 * The section `clock` of `sandbox.config.ts`.
 * @example
 * const clock: ClockConfig = { mode: "scaled", rate: 60 };
 */
export type ClockConfig = Configured<typeof CONFIG.properties.clock>;

/**
 * Separate ports for the areas, for clients that cannot be given a path.
 * @example
 * const ports: PortsConfig = { platform: 4401 };
 */
export type PortsConfig = Configured<typeof CONFIG.properties.ports>;

/**
 * The section `worlds` of `sandbox.config.ts`.
 * @example
 * const worlds: WorldsConfig = { idle: "1h" };
 */
export type WorldsConfig = Configured<typeof CONFIG.properties.worlds>;

/**
 * The section `payments` of `sandbox.config.ts`.
 * @example
 * const payments: PaymentsConfig = { rateLimit: "off", confirmationDelay: "2m" };
 */
export type PaymentsConfig = Configured<typeof CONFIG.properties.payments>;

/**
 * When failures disable a webhook endpoint.
 * @example
 * const disableAfter: DisableAfterConfig = { consecutive: 3, count: "exhausted" };
 */
export type DisableAfterConfig = Configured<typeof CONFIG.properties.webhooks.properties.disableAfter>;

/**
 * A webhook endpoint to create in every new world.
 * @example
 * const endpoint: EndpointConfig = { url: "http://127.0.0.1:3000/webhooks", events: ["payment.completed"] };
 */
export type EndpointConfig = Configured<typeof CONFIG.properties.webhooks.properties.endpoints.items>;

/**
 * The section `webhooks` of `sandbox.config.ts`.
 * @example
 * const webhooks: WebhooksConfig = { allowHttpHosts: ["shop"], retryDelays: ["5s", "1m"] };
 */
export type WebhooksConfig = Configured<typeof CONFIG.properties.webhooks>;

/**
 * How long chain-data responses stay fresh.
 * @example
 * const cache: CacheConfig = { ttl: "1h", emptyTtl: "1m" };
 */
export type CacheConfig = Configured<typeof CONFIG.properties.chainData.properties.cache>;

/**
 * The sources of real chain data.
 * @example
 * const upstream: UpstreamConfig = { indexer: "https://indexer.example/v1" };
 */
export type UpstreamConfig = Configured<typeof CONFIG.properties.chainData.properties.upstream>;

/**
 * The section `chainData` of `sandbox.config.ts`.
 * @example
 * const chainData: ChainDataConfig = { chains: [8453, 1], cache: { ttl: "1h" } };
 */
export type ChainDataConfig = Configured<typeof CONFIG.properties.chainData>;

/**
 * A custom game.
 * @example
 * const game: GameDefinition = { slug: "my-game", name: "My game" };
 */
export type GameDefinition = Configured<typeof CONFIG.properties.game.properties.games.items>;

/**
 * The section `game` of `sandbox.config.ts`.
 * @example
 * const game: GameConfig = { games: [{ slug: "my-game", name: "My game" }], requireSignature: ["my-game"] };
 */
export type GameConfig = Configured<typeof CONFIG.properties.game>;

/**
 * The section `subject` of `sandbox.config.ts`: the server under test.
 * @example
 * const subject: SubjectConfig = { url: "http://127.0.0.1:3000/webhooks", start: "node server.mjs", state: "sqlite:shop.db" };
 */
export type SubjectConfig = Configured<typeof CONFIG.properties.subject>;

/**
 * The default export of `sandbox.config.ts`. Every field is optional.
 * @example
 * const config: SandglassConfig = { clock: { mode: "paused" }, webhooks: { retryDelays: ["5s", "1m"] } };
 */
export type SandglassConfig = Configured<typeof CONFIG>;
