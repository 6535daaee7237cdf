import { isAddress, readHttpUrl } from "../../runtime/http-url.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { count } from "../../timeline/text.ts";
import type { CheckOptions } from "../../trial/check/check.ts";
import { parseInstant } from "../../world/duration.ts";
import { flagOf } from "../command-options.ts";
import { namesIn } from "../named-values.ts";
import type { SubjectFacts, TrialFlags } from "../trial/subject.ts";

export interface CheckFlags extends TrialFlags {
  event?: string;
  only?: string;
  seed?: string;
  at?: string;
  list?: boolean;
}

/**
 * Plans a check.
 * @param now the machine's time in milliseconds
 * @throws SandboxError `bad_request` with the option and its valid values
 */
export async function checkPlan(
  facts: SubjectFacts,
  { only, event, seed, at, ...flags }: CheckFlags,
  now: number,
): Promise<CheckOptions> {
  const { readOptions } = await import("../../trial/check/options.ts");
  const { settings, state, skip } = facts;
  const asked = {
    ...{ ...facts, event, seed, only: namesIn(only), at: at === undefined ? undefined : parseInstant(at) },
    skip: flags.skip === undefined && skip.length === 0 ? undefined : skip,
    state: state !== undefined && isAddress(state) ? readHttpUrl(state, "--state") : state,
  };
  const { headerPrefix, deliveryId, timeout } = settings.webhooks;
  const { senders } = settings;
  return readOptions(asked, now, flagOf, { headerPrefix, deliveryId, timeout, senders });
}

/** Describes what a check will do and how long it can take: `34 hazards, with up to 30 s for each response`. */
export async function checkWords(
  plan: Pick<CheckOptions, "sender" | "types" | "oldSecret" | "only" | "skip" | "timeout">,
): Promise<string> {
  const { chosenHazards } = await import("../../trial/check/check.ts");
  const { hazards } = chosenHazards(plan);
  return `${count(hazards.length, "hazard")}, with up to ${formatDuration(plan.timeout)} for each response`;
}
