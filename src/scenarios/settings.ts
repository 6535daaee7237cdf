import { isSecret, resolveConfig, type Settings } from "../config/config.ts";
import { misuse } from "../errors/errors.ts";
import { wallNow } from "../world/clock.ts";
import { parseInstant } from "../world/duration.ts";
import type { KnownScenario } from "./catalog.ts";

/** The user's subscriber, which replaces every built-in inbox. */
export interface Receiver {
  url: string;
  secret: string | undefined;
}

/**
 * The settings for a run's world. Each section in the scenario's configuration replaces the server's section.
 * @throws SandboxError `bad_request` for an invalid secret
 */
export function settingsFor(
  scenario: KnownScenario,
  settings: Settings,
  receiver: Receiver | null,
): Partial<Settings> {
  const { config = {}, seed, startAt, shipped, file } = scenario;
  // Shipped scenarios assume the default settings. However, only the user decides where requests may be sent.
  const base = shipped ? resolveConfig({}, wallNow()) : settings;
  const own = resolveConfig(config, wallNow(), file);
  const { allowHttpHosts, allowExternal } = settings.webhooks;
  return {
    seed: seed ?? base.seed,
    areSendersAlone: seed === undefined && base.areSendersAlone,
    startAt: startAt === undefined ? base.startAt : parseInstant(startAt),
    // A scenario with its own seed or start time ignores `from` in the configuration.
    from: seed === undefined && startAt === undefined ? base.from : undefined,
    payments: (config.payments ? own : base).payments,
    webhooks: {
      ...(config.webhooks ? own : base).webhooks,
      // A subscriber that the user specifies may be on any host.
      allowHttpHosts: [...allowHttpHosts, ...(receiver ? [new URL(receiver.url).hostname] : [])],
      allowExternal,
      // The user's subscriber replaces all configured endpoints.
      ...(receiver ? { endpoints: [] } : {}),
      ...(receiver?.secret === undefined ? {} : secretOf(receiver.secret)),
      senders: settings.webhooks.senders,
    },
    chainData: (config.chainData ? own : base).chainData,
    game: (config.game ? own : base).game,
  };
}

/** Adds a scenario's senders to the configured ones. @param cwd the folder to which their paths are relative */
export async function withSenders(
  { config }: KnownScenario,
  settings: Partial<Settings>,
  cwd: string,
): Promise<Partial<Settings>> {
  const { webhooks } = settings;
  if (!config?.senders?.length || !webhooks) return settings;
  const { readSenders } = await import("../senders/files.ts");
  const senders = [...(webhooks.senders ?? []), ...(await readSenders(config.senders, cwd))];
  return { ...settings, webhooks: { ...webhooks, senders } };
}

/** Validates a secret. The error message omits it, because the message could end up in CI logs. */
function secretOf(text: string): { secret: string; subscriberSecret: string } {
  if (isSecret(text)) return { secret: text, subscriberSecret: text };
  throw misuse(
    `The subscriber's secret has ${text.length} characters, or contains a line break.`,
    "Pass a single-line string of 1 to 200 characters with --secret or in SANDGLASS_WEBHOOK_SECRET.",
  );
}
