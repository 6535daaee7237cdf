import { misuse } from "../../errors/errors.ts";
import type { CheckOptions as Asked } from "../../library/check.ts";
import { HEADER_PREFIX } from "../../payments/webhooks/platform.ts";
import { chooseSender, type ListedEvent, withData } from "../../senders/event-list.ts";
import type { Known } from "../../senders/known.ts";
import { parseBody } from "../../webhooks/body-text.ts";
import { DEFAULT_POLICY } from "../../webhooks/policy.ts";
import type { Routes } from "../../webhooks/sender-file.ts";
import { DAY, parseDuration, SECOND } from "../../world/duration.ts";
import { BASELINE, HAZARD_NAMES } from "../hazards/index.ts";
import type { CheckOptions } from "./check.ts";
import type { OwnData } from "./material.ts";
import { PLATFORM, type PlatformHeaders } from "./platform.ts";

/** The earliest time that can be specified. Some events are older than the specified time. */
const EARLIEST = DAY;

/** The configuration's settings for the platform and for senders. */
export interface CheckDefaults extends PlatformHeaders {
  /** The timeout in milliseconds. */
  timeout: number;
  senders: readonly string[];
}

const DEFAULTS: CheckDefaults = {
  ...{ headerPrefix: HEADER_PREFIX, deliveryId: "attempt" },
  ...{ timeout: DEFAULT_POLICY.timeout, senders: [] },
};

/** The data in the user's list, keyed by event type. If a type is listed several times, its first entry counts. */
const ownDataOf = (listed: readonly ListedEvent[]): OwnData =>
  new Map(
    listed
      .map(({ type, data, body }) => [type, { ...(body && parseBody(body)), ...data }] as const)
      .reverse(),
  );

type Options = { [Name in Exclude<keyof Asked, "known">]?: Asked[Name] | undefined } & {
  known?: Known | undefined;
  routes?: Routes | undefined;
  url: string;
  secret: string;
  secretFrom?: string;
  at?: number | undefined;
  tables?: readonly string[] | undefined;
};

const LIST = "They are listed by: npx sandglass check --list";

/**
 * Turns the user's options into check options.
 * @param asked the user's options; `at` is in milliseconds since the epoch
 * @param now the machine's time in milliseconds
 * @param named formats an option as the user writes it: `--only`
 * @throws SandboxError `bad_request` with the option and its values; `not_found` and `invalid_config` for the sender
 */
export async function readOptions(
  asked: Options,
  now: number,
  named: (option: string) => string = (option) => option,
  { senders, timeout: usual, ...headers } = DEFAULTS,
): Promise<CheckOptions> {
  const { url, secret, secretFrom, oldSecret, state, tables, at = Math.floor(now / SECOND) * SECOND } = asked;
  const check = (isWrong: boolean, option: string, message: string, hint: string) => {
    if (isWrong) throw misuse(`${named(option)}${message}`, hint, option);
  };
  const { only, skip } = asked;
  for (const [option, names] of Object.entries({ only, skip })) {
    const unknown = names?.find((name) => !HAZARD_NAMES.includes(name));
    check(unknown !== undefined, option, `: there is no hazard '${unknown}'.`, LIST);
    check(names?.length === 0, option, " lists no hazards.", LIST);
  }
  const isAlone = skip?.includes(BASELINE) === true;
  check(isAlone, "skip", ` cannot leave out ${BASELINE}.`, "All other hazards are compared with that one.");
  const chosen = await chooseSender(asked, senders);
  const { events: types } = chosen?.sender ?? PLATFORM;
  const event = asked.event ?? chosen?.types[0] ?? types[0]!;
  const isKnown = types.includes(event);
  check(!isKnown, "event", ` must be an event type, not '${event}'.`, `One of ${types.join(", ")}.`);
  for (const one of [secret, oldSecret]) if (one) (chosen?.sender ?? PLATFORM).checkSecret(one);
  const isOld = oldSecret !== "" && oldSecret !== secret;
  check(!isOld, "oldSecret", " must be a secret that was replaced.", "Leave it out if none was.");
  const example = (option: string, value: string) => `For example: ${named(option)} ${value}`;
  const time = example("at", "2026-06-01T12:00:00Z");
  check(at < EARLIEST, "at", " must be later than the first hours of 1970.", time);
  check(asked.seed === "", "seed", " must be a non-empty string.", example("seed", "monday"));
  const own = chosen?.sender.policy.timeout ?? usual;
  const timeout = asked.timeout === undefined ? own : parseDuration(asked.timeout);
  check(timeout === 0, "timeout", " must be longer than 0.", example("timeout", "5s"));
  return {
    ...{ url, secret, secretFrom, event, oldSecret, only, skip, timeout, at, tables, ...headers },
    sender: chosen && withData(chosen),
    types: chosen?.types,
    own: chosen?.listed && ownDataOf(chosen.listed),
    stateUrl: state,
    // Use fresh ids in every run, so that a subscriber that remembers handled events treats these as new.
    seed: asked.seed ?? `check-${now.toString(36)}`,
  };
}
