import type { Deviation } from "./deviation.ts";
import { isBeside, isUnordered } from "./shared.ts";

/** Requests that are sent at the same time arrive in any order. */
export const swap: Deviation = {
  name: "swap",
  canHappenIn: isUnordered,
  isPossible: isBeside,
  order: "after-next",
  line: ({ answered }) => `${answered}, after the next one`,
  sentence: ({ run, sent, at, speech: { nameOf } }) =>
    `${nameOf(sent)} and ${nameOf(run.attempts[at + 1]!)} are sent at one instant, and ${nameOf(sent)} arrives last.`,
};
