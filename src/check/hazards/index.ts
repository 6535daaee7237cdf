import type { Hazard } from "../hazard.ts";
import { EVENTS, VALID_EVENT } from "./events.ts";
import { FORGERIES } from "./forgeries.ts";
import { GET_REQUEST, NOT_AN_EVENT } from "./not-events.ts";
import { REPEATS } from "./repeats.ts";

/** Every hazard, in the order in which they are tried. What may end a receiver comes last. */
export const HAZARDS: readonly Hazard[] = [
  VALID_EVENT,
  ...FORGERIES,
  GET_REQUEST,
  ...EVENTS,
  ...REPEATS,
  NOT_AN_EVENT,
];

/** All else is compared with this one: it is tried in any case, and first. */
export const BASELINE = VALID_EVENT.name;
