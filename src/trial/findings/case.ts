import { isDeepStrictEqual } from "node:util";
import { listed } from "../../timeline/text.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import type { Evidence, Step } from "../schedules/evidence.ts";
import type { Run } from "../schedules/run.ts";
import { eventNumbers } from "../schedules/translation.ts";
import { pathWords, shown } from "../schedules/words.ts";
import type { Difference } from "../subject/state.ts";
import type { Speech } from "./speech.ts";

/** The observed facts of a finding. */
export interface Facts {
  evidence: Evidence;
  run: Run;
  calm: Run;
  differences: readonly Difference[];
  speech: Speech;
}

/** A finding's facts and cause, from which its explanation is generated. */
export interface Case extends Facts {
  path: string;
  /** The step that led to the wrong value: it changed a right value, or failed to change a wrong one. */
  step: Step | undefined;
  /** Whether the step changed the value. If not, its event should have. */
  moved: boolean;
  /** The numbers of the responsible events, in the order they happened. */
  events: number[];
  /** All arrivals of an event in the found run. */
  arrivalsOf: (event: number) => { sent: SentAttempt; status: number | null; step: Step }[];
  /** The step of the calm run in which an event was processed. */
  calmStepOf: (event: number) => Step | undefined;
}

export const hasMoved = ({ before, after }: Step): boolean => !isDeepStrictEqual(before, after);
export const hasChanged = (step: Step | undefined): boolean => step !== undefined && step.changes.length > 0;
const isSameChange = (one: Step, other: Step): boolean =>
  isDeepStrictEqual([one.before, one.after], [other.before, other.after]);
export const change = ({ before, after }: Step): string => `from ${shown(before)} to ${shown(after)}`;

/** Finds the cause of a finding: the step that led to the wrong value, and its events. */
export function caseOf(facts: Facts): Case {
  const { evidence, calm, run } = facts;
  const { place, calm: calmSteps, found, steps } = evidence;
  const numbers = { found: eventNumbers(run.attempts), calm: eventNumbers(calm.attempts) };
  const numbersIn = (step: Step | undefined, { attempts }: Run, of: Map<string, number>): number[] =>
    (step?.arrivals ?? []).flatMap(({ index }) => of.get(attempts[index]!.eventId) ?? []);
  const inFound = (event: number) =>
    found.filter((step) => numbersIn(step, run, numbers.found).includes(event));
  const calmStepOf = (event: number): Step | undefined =>
    calmSteps.find((step) => numbersIn(step, calm, numbers.calm).includes(event));
  const parting = steps.findIndex(({ parts }) => parts);
  const isPartingMoved = parting >= 0 && hasMoved(found[parting]!);
  const calmSame = numbersIn(found[parting], run, numbers.found).map(calmStepOf);
  /** Whether the step where the runs diverge is one delivery with a change that its event does not make in the calm run. */
  const partsHere =
    isPartingMoved && calmSame.length === 1 && !(calmSame[0] && isSameChange(calmSame[0], found[parting]!));
  const writer = partsHere ? parting : found.findLastIndex(hasMoved);
  // The event that should have set the value where the runs diverge, or that sets it last in the calm run.
  const setter =
    (isPartingMoved ? undefined : calmSame.find((step) => step && hasMoved(step))) ??
    calmSteps.findLast(hasMoved);
  // Either a right value was changed, or the event that should set it did not.
  const moved =
    partsHere ||
    (writer >= 0 &&
      (setter === undefined ||
        found.slice(0, writer).some(({ after }) => isDeepStrictEqual(after, place.expected))));
  const events = moved ? numbersIn(found[writer], run, numbers.found) : numbersIn(setter, calm, numbers.calm);
  return {
    ...{ ...facts, moved, events, calmStepOf },
    path: pathWords(place.path),
    step: moved ? found[writer] : events.flatMap(inFound).at(-1),
    arrivalsOf: (event) =>
      found.flatMap((step) =>
        step.arrivals.flatMap(({ index, status }) => {
          const sent = run.attempts[index]!;
          return numbers.found.get(sent.eventId) === event ? [{ sent, status, step }] : [];
        }),
      ),
  };
}

export const eventsIn = ({ arrivals }: Step, { run, speech }: Pick<Case, "run" | "speech">): string =>
  listed([...new Set(arrivals.map(({ index }) => speech.nameOf(run.attempts[index]!)))]);

/** When an attempt's event happened, according to its body, or else when it was first sent. */
export const happenedAt = ({ run, speech }: Case, sent: SentAttempt): number =>
  speech.statedTime(sent) ?? run.attempts.find(({ eventId }) => eventId === sent.eventId)!.at;

export const answersIn = ({ arrivals }: Step): string =>
  listed([...new Set(arrivals.map(({ status }) => String(status ?? "nothing")))]);
