import { isSecret, resolveConfig, type Settings } from "../config/config.ts";
import { misuse } from "../errors/errors.ts";
import { wallNow } from "../world/clock.ts";
import { parseInstant } from "../world/duration.ts";
import type { KnownScenario } from "./catalog.ts";

/** A receiver of the user's that takes the part of the built-in inboxes. */
export interface Receiver {
  url: string;
  /** The signing secret that it knows. */
  secret: string | undefined;
}

/**
 * What differs in the world of a run from what the server's worlds have. A section that a scenario configures takes
 * the place of the configuration's.
 * @throws SandboxError `bad_request` for a secret that cannot be one
 */
export function settingsFor(
  scenario: KnownScenario,
  settings: Settings,
  receiver: Receiver | null,
): Partial<Settings> {
  const { config = {}, seed, startAt, shipped, file } = scenario;
  // What is shipped tells of the defaults, whatever is configured here; where requests may go stays the user's say.
  const base = shipped ? resolveConfig({}, wallNow()) : settings;
  const own = resolveConfig(config, wallNow(), file);
  const { allowHttpHosts, allowExternal } = settings.payments.webhooks;
  return {
    seed: seed ?? base.seed,
    startAt: startAt === undefined ? base.startAt : parseInstant(startAt),
    // A scenario that names a seed or a start says what its world begins with.
    from: seed === undefined && startAt === undefined ? base.from : undefined,
    payments: {
      ...(config.payments ? own : base).payments,
      webhooks: {
        ...(config.webhooks ? own : base).payments.webhooks,
        // Who names a receiver wants it to be called, wherever it is.
        allowHttpHosts: [...allowHttpHosts, ...(receiver ? [new URL(receiver.url).hostname] : [])],
        allowExternal,
        // The receiver takes the part of every subscriber.
        ...(receiver ? { endpoints: [] } : {}),
        ...(receiver?.secret === undefined ? {} : secretOf(receiver.secret)),
        senders: settings.payments.webhooks.senders,
      },
    },
    chainData: (config.chainData ? own : base).chainData,
    game: (config.game ? own : base).game,
  };
}

/** Reads the senders that a scenario names, beside those of the configuration. @param cwd where their paths start */
export async function withSenders(
  { config }: KnownScenario,
  settings: Partial<Settings>,
  cwd: string,
): Promise<Partial<Settings>> {
  const { payments } = settings;
  if (!config?.senders?.length || !payments) return settings;
  const { readSenders } = await import("../senders/files.ts");
  const senders = [...(payments.webhooks.senders ?? []), ...(await readSenders(config.senders, cwd))];
  return { ...settings, payments: { ...payments, webhooks: { ...payments.webhooks, senders } } };
}

/** It is not repeated in the message: that may be in the logs of a CI. */
function secretOf(text: string): { secret: string; subscriberSecret: string } {
  if (isSecret(text)) return { secret: text, subscriberSecret: text };
  throw misuse(
    `The subscriber's secret has ${text.length} characters, or breaks the line.`,
    "It must be a text of 1 to 200 characters in one line: --secret, or SANDGLASS_WEBHOOK_SECRET.",
  );
}
