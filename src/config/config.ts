import { resolve } from "node:path";
import type { ChainDataSettings } from "../chain-data/context.ts";
import { readRecordings } from "../chain-data/providers/recordings.ts";
import { invalidConfig } from "../errors/errors.ts";
import type { GameSettings } from "../game/context.ts";
import type { PaymentsSettings, PlatformWebhookSettings } from "../payments/context.ts";
import { platformRequests } from "../payments/webhooks/platform.ts";
import { trustAuthorities } from "../runtime/trusted.ts";
import { check, fits } from "../schema/check.ts";
import type { Configured } from "../schema/configured.ts";
import { createMistakes, type Mistakes } from "../schema/mistakes.ts";
import type { Value } from "../schema/schema.ts";
import { headersProblem } from "../webhooks/endpoint-headers.ts";
import { urlProblem } from "../webhooks/endpoint-url.ts";
import type { CLOCK_MODES } from "../world/clock.ts";
import { parseInstant } from "../world/duration.ts";
import { CONFIG } from "./description.ts";
import { completeGame } from "./game.ts";
import { MAKE_CERTIFICATES, readHttpsFile } from "./https.ts";
import { type Complete, type SubjectSettings, withoutSecrets } from "./subject.ts";

/** The value of `from`, and the related settings. */
export interface From {
  /** The path of a scenario, a snapshot file or fixtures. */
  path: string;
  /** The seed that overrides the one in the fixtures, as `startAt` overrides their start time. */
  seed?: string | undefined;
  startAt?: number | undefined;
  /** If `path` is a scenario: the seed, snapshot or fixtures that the scenario's world starts from. */
  base?: From | undefined;
}

/** The complete configuration with defaults. Durations are in milliseconds. */
export interface Settings extends Complete<Plain> {
  startAt: number;
  /** The state that worlds start from instead of a seed. */
  from: From | undefined;
  clock: { mode: (typeof CLOCK_MODES)[number]; rate: number };
  payments: PaymentsSettings;
  webhooks: PlatformWebhookSettings;
  chainData: ChainDataSettings;
  game: GameSettings;
  /**
   * Whether worlds contain nothing but `senders`, because no setting needs the platform's demo shop or other platform
   * data.
   */
  areSendersAlone: boolean;
  subject: SubjectSettings;
}

/** The fields whose values are used exactly as configured. */
type Plain = Omit<
  Value<typeof CONFIG>,
  "$schema" | "startAt" | "from" | "clock" | "payments" | "webhooks" | "chainData" | "game" | "subject"
>;

/** The default host of a shared sandbox, which stands for all network interfaces. */
export const EVERY_ADDRESS = "0.0.0.0";

const { seed, startAt, webhooks } = CONFIG.properties;
export const DEFAULT_SEED = seed.default;
/** The seed that contains only organizations and API keys. Games always exist. */
export const EMPTY_SEED = "empty";
export const DEFAULT_START = parseInstant(startAt.default);

/** Whether a string is valid as a signing secret. */
export const isSecret = (text: string): boolean => fits(webhooks.properties.secret, text);

export type WrittenConfig = Configured<typeof CONFIG>;

/**
 * Validates a configuration and fills in the defaults. From then on, this thread trusts the certificates in `https.ca`.
 * @param now the machine's time in milliseconds, for `startAt: "now"`
 * @param source the file name for error messages
 * @param flags the command-line flags given with it
 * @throws SandboxError `invalid_config` with the file and, for each invalid field, what was expected; or with the name
 * of a recordings or certificate file that cannot be read
 */
export function resolveConfig(
  config: WrittenConfig,
  now: number,
  source = "the configuration",
  flags: { senders?: readonly string[]; seed?: string | undefined; from?: string | undefined } = {},
): Settings {
  if (!fits({ type: "object" }, config))
    throw invalidConfig(`${source} must export an object.`, "Use: export default defineConfig({ … }).");
  const mistakes = createMistakes(source);
  const { mode, rate } = Object(config.clock);
  if (mode === "live" && typeof rate === "number" && rate !== 1)
    mistakes.add("clock.rate", "1 in live mode", rate, 'Remove clock.mode, or set it to "scaled".');
  if (typeof config.https === "boolean")
    mistakes.add("https", "{ key, cert, ca } with your own files", config.https, MAKE_CERTIFICATES);
  withoutSecrets(config.subject, mistakes);
  const filled = check(CONFIG, config, mistakes);
  const { $schema: _, startAt, from, dataDir, clock, payments, webhooks, chainData, game, ...rest } = filled;
  const { https } = rest;
  checkPorts(rest, mistakes);
  checkEndpoints(webhooks, mistakes);
  const { explorer, indexer, headers } = chainData.upstream;
  const start = startAt === "now" ? now : parseInstant(startAt);
  const senders = [...rest.senders, ...(flags.senders ?? [])];
  const areSendersAlone =
    senders.length > 0 &&
    (config.seed ?? from ?? flags.seed ?? flags.from) === undefined &&
    webhooks.endpoints.length === 0;
  const settings: Settings = {
    ...rest,
    senders,
    areSendersAlone,
    seed: areSendersAlone ? EMPTY_SEED : rest.seed,
    host: rest.share && config.host === undefined ? EVERY_ADDRESS : rest.host,
    // Make the path absolute, because child processes run in other directories.
    https: https?.ca === undefined ? https : { ...https, ca: resolve(https.ca) },
    startAt: start,
    from:
      from === undefined
        ? undefined
        : { path: from, seed: config.seed, startAt: config.startAt === undefined ? undefined : start },
    dataDir,
    clock: { mode: clock.mode ?? (clock.rate === 1 ? "live" : "scaled"), rate: clock.rate },
    payments,
    webhooks,
    chainData: {
      ...chainData,
      upstream: explorer === undefined && indexer === undefined ? undefined : { explorer, indexer, headers },
    },
    game: completeGame(game, mistakes),
  };
  mistakes.refuse();
  // Read the recordings now to report errors early; otherwise every chain-data call would fail with the error.
  if (chainData.recordings.length > 0) readRecordings(chainData.recordings);
  if (https?.ca !== undefined) trustAuthorities([readHttpsFile("ca", https.ca)]);
  return settings;
}

/**
 * Checks that no port is used twice. Port 0 may be repeated, because the system then assigns a different port each
 * time.
 */
function checkPorts({ port, ports }: Pick<Settings, "port" | "ports">, mistakes: Mistakes): void {
  const users = new Map([[port, "port"]]);
  for (const [name, own] of Object.entries(ports)) {
    const user = users.get(own);
    const field = `ports.${name}`;
    if (user !== undefined && own !== 0) mistakes.add(field, `a different port from ${user}`, own);
    else users.set(own, field);
  }
}

/** Checks what the schema cannot express: that endpoint hosts and headers are allowed, and that `*` stands alone. */
function checkEndpoints(webhooks: PlatformWebhookSettings, mistakes: Mistakes): void {
  const taken = platformRequests(webhooks.headerPrefix).headerNames;
  for (const [index, { url, events = ["*"], headers = {} }] of webhooks.endpoints.entries()) {
    const field = `webhooks.endpoints[${index}]`;
    const problem = typeof url === "string" ? urlProblem(url, webhooks) : undefined;
    if (problem !== undefined) mistakes.add(`${field}.url`, problem.expected, url, problem.hint);
    const wrong = headersProblem(headers, taken);
    if (wrong) mistakes.add(`${field}.${wrong.field}`, wrong.expected, wrong.value, wrong.hint);
    if (events.includes("*") && events.length > 1)
      mistakes.add(`${field}.events`, 'a list of event types or ["*"], not both', events);
  }
}
