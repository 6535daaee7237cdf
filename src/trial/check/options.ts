import { misuse } from "../../errors/errors.ts";
import type { CheckOptions as Asked } from "../../library/check.ts";
import { HEADER_PREFIX } from "../../payments/webhooks/platform.ts";
import { chooseSender, withData } from "../../senders/event-list.ts";
import { DEFAULT_POLICY } from "../../webhooks/policy.ts";
import { DAY, parseDuration, SECOND } from "../../world/duration.ts";
import { BASELINE, HAZARD_NAMES } from "../hazards/index.ts";
import type { CheckOptions } from "./check.ts";
import { PLATFORM } from "./platform.ts";

/** Some events are older than the time that is named. */
const EARLIEST = DAY;

/** What the configuration says of the platform, and of senders. */
export interface CheckDefaults {
  headerPrefix: string;
  deliveryId: "attempt" | "event";
  /** Milliseconds. */
  timeout: number;
  senders: readonly string[];
}

const DEFAULTS: CheckDefaults = {
  headerPrefix: HEADER_PREFIX,
  deliveryId: "attempt",
  timeout: DEFAULT_POLICY.timeout,
  senders: [],
};

type Options = {
  [Name in keyof Omit<Asked, "subscriber" | "secret" | "timeout">]: Asked[Name] | undefined;
} & { timeout?: string | number | undefined };

const LIST = "They are listed by: npx sandglass check --list";

/**
 * What to try, from what was asked.
 * @param asked `at` is milliseconds since the epoch
 * @param now the machine's time, milliseconds
 * @param named how a person writes an option: `--only`
 * @throws SandboxError `bad_request`, naming the option and what it takes; `not_found` and `invalid_config` for the sender
 */
export async function readOptions(
  asked: Options & { url: string; secret: string; secretFrom?: string; at?: number | undefined },
  now: number,
  named: (option: string) => string = (option) => option,
  defaults = DEFAULTS,
): Promise<CheckOptions> {
  const { url, secret, secretFrom, oldSecret, state, at = Math.floor(now / SECOND) * SECOND } = asked;
  const wrong = (option: string, message: string, hint: string) =>
    misuse(`${named(option)} ${message}`, hint, option);
  const { only, skip } = asked;
  for (const [option, names] of Object.entries({ only, skip })) {
    const unknown = names?.find((name) => !HAZARD_NAMES.includes(name));
    if (unknown !== undefined)
      throw misuse(`${named(option)}: there is no hazard '${unknown}'.`, LIST, option);
    if (names?.length === 0) throw wrong(option, "names no hazard.", LIST);
  }
  if (skip?.includes(BASELINE))
    throw wrong("skip", `cannot leave out ${BASELINE}.`, "All others are compared with it.");
  const chosen = await chooseSender(asked, defaults.senders);
  const types: readonly string[] = (chosen?.sender ?? PLATFORM).events;
  const event = asked.event ?? chosen?.types[0] ?? types[0]!;
  if (!types.includes(event))
    throw wrong("event", `must be an event type, not '${event}'.`, `One of ${types.join(", ")}.`);
  for (const one of [secret, oldSecret]) if (one) chosen?.sender.checkSecret(one);
  if (oldSecret === "" || oldSecret === secret)
    throw wrong("oldSecret", "must be a secret that was replaced.", "Leave it out if none was.");
  if (at < EARLIEST)
    throw wrong(
      "at",
      "must be later than the first hours of 1970.",
      `For example ${named("at")} 2026-06-01T12:00:00Z`,
    );
  if (asked.seed === "")
    throw wrong("seed", "must be a text that is not empty.", `For example ${named("seed")} monday`);
  const usual = chosen?.sender.policy.timeout ?? defaults.timeout;
  const timeout = asked.timeout === undefined ? usual : parseDuration(asked.timeout);
  if (timeout === 0) throw wrong("timeout", "must be longer than 0.", `For example ${named("timeout")} 5s`);
  return {
    ...{ url, secret, secretFrom, event, oldSecret, only, skip, timeout, at },
    sender: chosen && withData(chosen),
    types: chosen?.types,
    stateUrl: state,
    headerPrefix: defaults.headerPrefix,
    deliveryId: defaults.deliveryId,
    // Another run has other ids, so that a receiver which keeps what it handled takes its events for new ones.
    seed: asked.seed ?? `check-${now.toString(36)}`,
  };
}
