import type { CheckLeftOut } from "../../library/check.ts";
import { PLATFORM_TERMS, type Terms } from "../check/terms.ts";
import { BASELINE, eventHazards, validEvent } from "./events.ts";
import { forgeryHazards } from "./forgeries.ts";
import type { Hazard } from "./hazard.ts";
import { GET_REQUEST, notAnEvent } from "./not-events.ts";
import { orderHazards } from "./order.ts";
import { repeatHazards } from "./repeats.ts";
import { secretHazards } from "./secrets.ts";
import { timeHazards } from "./times.ts";
import { wireHazards } from "./wire.ts";

export { BASELINE };

/** All hazards, in the order in which they are tried. Those that may end a server come last. */
const allOf = (terms: Terms): Hazard[] => [
  validEvent(terms),
  ...forgeryHazards(terms),
  ...timeHazards(terms),
  ...secretHazards(terms),
  GET_REQUEST,
  ...eventHazards(terms),
  ...wireHazards(terms),
  ...repeatHazards(terms),
  ...orderHazards(terms),
  notAnEvent(terms),
];

/** The unpublished facts of a sender on which a hazard's verdict rests. */
export const assumedFor = ({ restsOn = [] }: Hazard, { facts }: Terms): string[] =>
  restsOn.filter(
    (field) =>
      facts?.assumed.includes(field) ||
      (field === "signature.tolerance" && facts?.signature.tolerance === undefined),
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

/** The hazards of the platform. */
export const HAZARDS: readonly Hazard[] = hazardsOf(PLATFORM_TERMS).hazards;

const ALL = allOf(PLATFORM_TERMS);

/** The names of all hazards, of every sender, and of those that need an event of their own. */
export const HAZARD_NAMES: readonly string[] = ALL.map(({ name }) => name);
export const OWN_EVENTS: readonly string[] = ALL.flatMap(({ name, takesOwn }) => (takesOwn ? name : []));
