import { PROVIDER_STATES } from "../chain-data/providers/faults.ts";
import { checkMatch } from "../http/api-faults.ts";
import { DELIVER, SUBSCRIBER_FAULTS } from "../webhooks/subscriber-faults.ts";
import type { ValueRule } from "../world/snapshot-rows.ts";

type Fields = Record<string, unknown>;

const isIn = (value: unknown, least: number, most: number): boolean =>
  value === undefined || (Number.isInteger(value) && Number(value) >= least && Number(value) <= most);

const isEffect = ({ kind, status }: Fields): boolean =>
  (kind === undefined || (SUBSCRIBER_FAULTS as readonly unknown[]).includes(kind)) && isIn(status, 100, 599);

const isStep = (step: unknown): boolean =>
  typeof step === "object" && step !== null
    ? isEffect(step as Fields)
    : step === DELIVER || isEffect(typeof step === "number" ? { status: step } : { kind: step });

/** Whether a fault can have this `match`. */
function isMatch(match: unknown): boolean {
  try {
    if (match !== undefined) checkMatch(match as string);
    return match === undefined || typeof match === "string";
  } catch {
    return false;
  }
}

/** The rule for a fault of a subscriber, an API or a provider in a snapshot that Sandglass did not write. */
export const FAULT_RULE: ValueRule = {
  kind: "fault",
  fits(value) {
    const spec = JSON.parse(String(value)) as Fields;
    const { times, rate, latency, sequence = [], state, match } = spec;
    return (
      isEffect(spec) &&
      isIn(times, 1, 1_000_000) &&
      isIn(latency, 0, 60_000) &&
      (rate === undefined || (typeof rate === "number" && rate >= 0 && rate <= 1)) &&
      (state === undefined || (PROVIDER_STATES as readonly unknown[]).includes(state)) &&
      Array.isArray(sequence) &&
      sequence.every(isStep) &&
      isMatch(match)
    );
  },
};
