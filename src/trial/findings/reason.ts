import type { Refusal } from "../schedules/delivered.ts";
import { deviationOf } from "../schedules/deviations/index.ts";
import type { Evidence } from "../schedules/evidence.ts";
import type { Run } from "../schedules/run.ts";
import { isStuck } from "../schedules/runs.ts";
import type { StorySender } from "../stories/stories.ts";
import type { Difference } from "../subject/state.ts";
import { FOR_EVER, observed, oneStepWords, recordWords } from "./observed.ts";
import { createSpeech } from "./speech.ts";

const refusalWords = ({ event, status, isCopy }: Refusal): string =>
  `The handler responds with ${status} to ${isCopy ? "a copy of " : ""}${event}${FOR_EVER}.`;

/** General advice, if the cause of a difference is unknown. */
const GENERAL =
  "An event can arrive late, twice, out of order, or together with another: the same events must lead to the same state.";

const STUCK =
  "After that, the server responds to nothing until it is restarted. Find what its requests wait for without a time limit, such as a lock or a pooled connection that another waiting request holds.";

/**
 * Explains a finding in sentences: the schedule's effect, each delivery's effect on the state, and what a correct handler
 * needs.
 * @param by the story's sender; undefined for the platform
 * @param evidence null if the intermediate states are unknown
 */
export function reasonOf(
  calm: Run,
  run: Run,
  differences: readonly Difference[],
  evidence: Evidence | null,
  by?: StorySender,
): string {
  if (run.schedule.length === 0)
    return "Nothing was lost, duplicated or reordered: the invariant is violated even when everything goes well.";
  const speech = createSpeech(run, by);
  const kinds = run.schedule.map(({ kind }) => deviationOf(kind));
  const what = run.schedule.map(({ at }, index) =>
    kinds[index]!.sentence({ run, sent: run.attempts[at]!, at, speech }),
  );
  if (isStuck(run)) return [...what, STUCK].join(" ");
  const sentences = evidence ? observed({ evidence, calm, run, differences, speech }) : [];
  const explained = kinds.map(({ explains }) => explains?.(run)).find((one) => one !== undefined);
  if (explained !== undefined) return [...what, explained].join(" ");
  if (run.refused.length > 0 && !sentences.some((one) => one.includes(FOR_EVER)))
    return [...what, ...sentences, ...run.refused.map(refusalWords), recordWords(speech)].join(" ");
  const isTogether = run.attempts.some(({ overlaps }) => overlaps.length > 0);
  const advised = kinds.find(({ advice }) => advice !== undefined)?.advice;
  const advice = isTogether ? oneStepWords(speech) : (advised ?? GENERAL);
  return [...what, ...(sentences.length > 0 ? sentences : [advice])].join(" ");
}
