import type { ChainDataSettings } from "../chain-data/context.ts";
import { SandboxError } from "../errors/errors.ts";
import type { GameSettings } from "../game/context.ts";
import type { Rule } from "../game/rules/rule.ts";
import type { ClockMode } from "../library/words.ts";
import type { PaymentsSettings } from "../payments/context.ts";
import { DEFAULT_RATE_LIMIT } from "../payments/rate-limit.ts";
import { DEFAULT_POLICY } from "../payments/webhooks/policy.ts";
import { CLOCK_MODES, MAX_RATE } from "../world/clock.ts";
import { parseInstant, SECOND } from "../world/duration.ts";
import { type ChainDataConfig, readChainData } from "./chain-data.ts";
import { type GameConfig, readGame } from "./game.ts";
import { createMistakes } from "./mistakes.ts";
import {
  type Duration,
  duration,
  durations,
  expect,
  flag,
  integer,
  oneOf,
  port,
  type Reader,
  section,
  text,
  texts,
} from "./section.ts";

export type { Duration, Rule };

/**
 * When failures disable a webhook endpoint.
 * @example
 * const disableAfter: DisableAfterConfig = { consecutive: 3, count: "exhausted" };
 */
export interface DisableAfterConfig {
  /** Failures in a row that disable an endpoint. Default 10. */
  consecutive?: number;
  /** What counts: each failed `attempt`, or an event whose attempts are all used up. Default `attempts`. */
  count?: "attempts" | "exhausted";
}

/**
 * What `sandbox.config.ts` may say of webhooks.
 * @example
 * const webhooks: WebhooksConfig = { allowHttpHosts: ["shop"], retryDelays: ["5s", "1m"] };
 */
export interface WebhooksConfig {
  /** Hosts beside loopback that may be named with plain http, and be connected to: compose services, say. */
  allowHttpHosts?: string[];
  /** Whether deliveries may leave this machine. Default false. */
  allowExternal?: boolean;
  /** The signing secret of every endpoint that is made. Default: each has one of its own, drawn from the seed. */
  secret?: string;
  /** Prefix of the webhook headers. Default `X-Platform-`. */
  headerPrefix?: string;
  /** Whether the delivery id header is new for each attempt, or the same for all attempts of an event. Default `attempt`. */
  deliveryId?: "attempt" | "event";
  /** Delays between attempts. Default 1m, 10m, 1h. */
  retryDelays?: Duration[];
  /** How long a subscriber may take. Default 30s. */
  timeout?: Duration;
  disableAfter?: DisableAfterConfig;
}

/**
 * What `sandbox.config.ts` may say of payments.
 * @example
 * const payments: PaymentsConfig = { rateLimit: "off", confirmationDelay: "2m" };
 */
export interface PaymentsConfig {
  /** Requests in a minute for each key, or `off`. Default 120. */
  rateLimit?: number | "off";
  /** Virtual time from a payment to its confirmation. Default 0: at once. */
  confirmationDelay?: Duration;
}

/**
 * What `sandbox.config.ts` may say of the clock.
 * @example
 * const clock: ClockConfig = { mode: "scaled", rate: 60 };
 */
export interface ClockConfig {
  /** Default `live`. */
  mode?: ClockMode;
  /** Virtual seconds in a real second, for the `scaled` mode. */
  rate?: number;
}

/**
 * What `sandbox.config.ts` may say of worlds.
 * @example
 * const worlds: WorldsConfig = { idle: "1h" };
 */
export interface WorldsConfig {
  /** Ends worlds that were idle for this long, in real time; never the default world. Default: never. */
  idle?: Duration;
}

/**
 * What `sandbox.config.ts` may say. Everything has a default.
 * @example
 * const config: SandglassConfig = { clock: { mode: "paused" }, webhooks: { retryDelays: ["5s", "1m"] } };
 */
export interface SandglassConfig {
  /** Port to serve on; 0 picks a free one. Default 4400. */
  port?: number;
  /** Address to bind. Default 127.0.0.1; the control API answers loopback callers only, whatever this says. */
  host?: string;
  /** Seeds the fixtures and everything drawn; `empty` makes organizations, keys and games only. Default `sandglass`. */
  seed?: string;
  /** Virtual time at the start, ISO 8601, or `now`. Default 2026-01-15T09:00:00Z. */
  startAt?: string;
  clock?: ClockConfig;
  /** A folder that keeps the world beyond the process. Default: none, everything is in memory. */
  dataDir?: string;
  /** Real time an open request gets while the clock is advanced or stands still. Default 5s. */
  settleTimeout?: Duration;
  /** Host names beside loopback by which the control API may be called. */
  allowedHosts?: string[];
  /** Ports of their own for areas whose clients take only a host. */
  ports?: { platform?: number; data?: number; game?: number };
  payments?: PaymentsConfig;
  webhooks?: WebhooksConfig;
  chainData?: ChainDataConfig;
  game?: GameConfig;
  /** The folder of your scenarios. Default `scenarios`. */
  scenarios?: string;
  worlds?: WorldsConfig;
}

/** The configuration with every default filled in; durations in milliseconds. */
export interface Settings {
  port: number;
  host: string;
  seed: string;
  startAt: number;
  clock: { mode: ClockMode; rate: number };
  dataDir: string | undefined;
  settleTimeout: number;
  allowedHosts: string[];
  ports: { platform: number | undefined; data: number | undefined; game: number | undefined };
  payments: PaymentsSettings;
  chainData: ChainDataSettings;
  game: GameSettings;
  scenarios: string;
  worlds: { idle: number | undefined };
}

export const DEFAULT_PORT = 4400;
export const DEFAULT_SEED = "sandglass";
export const DEFAULT_START = Date.UTC(2026, 0, 15, 9);

/**
 * Types a configuration for the editor; returns it unchanged.
 * @example
 * export default defineConfig({ seed: "checkout", payments: { confirmationDelay: "2m" } });
 */
export function defineConfig(config: SandglassConfig): SandglassConfig {
  return config;
}

const rate: Reader<number> = (value) =>
  typeof value === "number" && value > 0 && value <= MAX_RATE
    ? value
    : expect(`a number above 0 and at most ${MAX_RATE}`);
const idleTime: Reader<number> = (value) => {
  const time = duration(value);
  return time >= SECOND ? time : expect("a duration of at least 1s");
};
const rateLimit: Reader<number | "off"> = (value) => (value === "off" ? "off" : integer(1, 1_000_000)(value));
/** Whether a text can be a signing secret. */
export const isSecret = (text: string): boolean => /^[^\p{Cc}]{1,200}$/u.test(text);

const secret: Reader<string> = (value) =>
  typeof value === "string" && isSecret(value) ? value : expect("a text of 1 to 200 characters in one line");
const headerPrefix: Reader<string> = (value) =>
  /^[A-Za-z][A-Za-z0-9-]{0,40}$/.test(String(value))
    ? (value as string)
    : expect("letters, digits and hyphens, such as X-Platform-");

/**
 * Checks a configuration and fills in the defaults.
 * @param now the machine's time, milliseconds, for `startAt: "now"`
 * @param source the file's name, for messages
 * @throws SandboxError `invalid_config`, naming the file, and each field that is wrong with what was expected
 */
export function resolveConfig(config: SandglassConfig, now: number, source = "the configuration"): Settings {
  if (config === null || typeof config !== "object" || Array.isArray(config)) {
    throw new SandboxError(
      "invalid_config",
      `${source} must export an object.`,
      "Use: export default defineConfig({ … }).",
    );
  }
  const mistakes = createMistakes(source);
  const root = section(config as Record<string, unknown>, "", mistakes);
  const clock = root.section("clock");
  const ports = root.section("ports");
  const payments = root.section("payments");
  const webhooks = root.section("webhooks");
  const disableAfter = webhooks.section("disableAfter");
  const chainData = root.section("chainData");
  const worlds = root.section("worlds");
  const startAt: Reader<number> = (value) => {
    try {
      return value === "now" ? now : parseInstant(value);
    } catch {
      return expect('an ISO 8601 point in time such as 2026-01-15T09:00:00Z, or "now"');
    }
  };
  const chosenRate = clock.read("rate", rate, 1);
  const mode = clock.read("mode", oneOf(...CLOCK_MODES), chosenRate === 1 ? "live" : "scaled");
  if (mode === "live" && chosenRate !== 1)
    clock.refuse("rate", "1 in the live mode", 'Remove clock.mode, or set it to "scaled".');
  const settings: Settings = {
    port: root.read("port", port, DEFAULT_PORT),
    host: root.read("host", text, "127.0.0.1"),
    seed: root.read("seed", text, DEFAULT_SEED),
    startAt: root.read("startAt", startAt, DEFAULT_START),
    clock: { mode, rate: chosenRate },
    dataDir: root.read("dataDir", text, undefined),
    settleTimeout: root.read("settleTimeout", duration, 5 * SECOND),
    allowedHosts: root.read("allowedHosts", texts, []),
    ports: {
      platform: ports.read("platform", port, undefined),
      data: ports.read("data", port, undefined),
      game: ports.read("game", port, undefined),
    },
    payments: {
      rateLimit: payments.read("rateLimit", rateLimit, DEFAULT_RATE_LIMIT),
      confirmationDelay: payments.read("confirmationDelay", duration, 0),
      webhooks: {
        allowHttpHosts: webhooks.read("allowHttpHosts", texts, []),
        allowExternal: webhooks.read("allowExternal", flag, false),
        secret: webhooks.read("secret", secret, undefined),
        headerPrefix: webhooks.read("headerPrefix", headerPrefix, "X-Platform-"),
        deliveryId: webhooks.read("deliveryId", oneOf("attempt", "event"), "attempt"),
        retryDelays: webhooks.read("retryDelays", durations, [...DEFAULT_POLICY.retryDelays]),
        timeout: webhooks.read("timeout", duration, DEFAULT_POLICY.timeout),
        disableAfter: {
          consecutive: disableAfter.read(
            "consecutive",
            integer(1, 1_000),
            DEFAULT_POLICY.disableAfter.consecutive,
          ),
          count: disableAfter.read(
            "count",
            oneOf("attempts", "exhausted"),
            DEFAULT_POLICY.disableAfter.count,
          ),
        },
      },
    },
    chainData: readChainData(chainData),
    game: readGame(root.section("game")),
    scenarios: root.read("scenarios", text, "scenarios"),
    worlds: { idle: worlds.read("idle", idleTime, undefined) },
  };
  for (const part of [root, clock, ports, payments, webhooks, disableAfter, worlds]) part.refuseUnknown();
  mistakes.refuse();
  return settings;
}
