import type { CheckLeftOut } from "../../library/check.ts";
import { mustHandle, mustRefuse } from "../check/judge.ts";
import { PLATFORM } from "../check/platform.ts";
import { type Terms, termsOf } from "../check/terms.ts";
import { BASELINE, eventHazards, validEvent } from "./events.ts";
import { forgeryHazards } from "./forgeries.ts";
import type { Draft, Hazard } from "./hazard.ts";
import { onlyInJson } from "./impossible.ts";
import { GET_REQUEST, notAnEvent } from "./not-events.ts";
import { orderHazards } from "./order.ts";
import { repeatHazards } from "./repeats.ts";
import { replacedSecret, twoSignatures } from "./secrets.ts";
import { timeHazards } from "./times.ts";
import { wireHazards } from "./wire.ts";

export { BASELINE };

/** Defaults for requests that must be accepted (`right`) and for those that must be rejected (`wrong`). */
const right = (one: Draft): Hazard => ({ judge: mustHandle, watch: "effect", mustAccept: true, ...one });
const wrong = (one: Draft): Hazard => ({ judge: mustRefuse, watch: "all", ...one });

/** All hazards in the order they are tried. Those that may crash a subscriber come last. */
const allOf = (terms: Terms): Hazard[] => [
  right(validEvent(terms)),
  ...[...forgeryHazards(terms), ...timeHazards(terms)].map(wrong),
  ...[right(twoSignatures(terms)), wrong(replacedSecret(terms)), wrong(GET_REQUEST)],
  ...eventHazards(terms).map(right),
  ...wireHazards(terms, onlyInJson(terms)).map(right),
  ...[...repeatHazards(terms), ...orderHazards(terms)].map(right),
  wrong(notAnEvent(terms)),
];

/** The sender's unpublished facts on which a hazard's verdict depends. */
export const assumedFor = ({ restsOn = [] }: Hazard, { facts }: Terms): string[] =>
  restsOn.filter(
    (field) =>
      facts.assumed.includes(field) ||
      (field === "signature.tolerance" && facts.signature.tolerance === undefined),
  );

/** The hazards that a sender can cause, and those that it cannot. */
export interface SenderHazards {
  hazards: Hazard[];
  leftOut: CheckLeftOut[];
}

export function hazardsOf(terms: Terms): SenderHazards {
  const all = allOf(terms);
  return {
    hazards: all.filter(({ impossible }) => !impossible),
    leftOut: all.flatMap(({ name, title, impossible }) =>
      impossible ? { name, title, reason: impossible } : [],
    ),
  };
}

const OF_PLATFORM = termsOf(PLATFORM, PLATFORM.events);

/** The hazards that the platform can cause. */
export const HAZARDS: readonly Hazard[] = hazardsOf(OF_PLATFORM).hazards;

/** The names of all hazards, of every sender. */
export const HAZARD_NAMES: readonly string[] = allOf(OF_PLATFORM).map(({ name }) => name);
