import { abortable } from "../../runtime/abortable.ts";
import { valueAt } from "../findings/expected.ts";
import { namesIn } from "../subject/path.ts";
import type { Difference, Json } from "../subject/state.ts";
import { isOk, type SentAttempt } from "./attempt.ts";
import type { StateStep } from "./exploration.ts";
import { play } from "./play.ts";
import type { Run, Stage } from "./run.ts";
import { eventNumbers } from "./translation.ts";
import { wireRoot } from "./wire.ts";

const MOST_TRIES = 3;

/** The effect of one or several simultaneous requests on the subscriber's state. */
export interface Step {
  /** The numbers of the attempts that arrived in this step, with the subscriber's response statuses. */
  arrivals: { index: number; status: number | null }[];
  /** The state's value at the difference, before the step. */
  before: Json;
  after: Json;
  /** The whole state before the step. */
  from: Json;
  to: Json;
  changes: Difference[];
}

/** Each delivery's effect in the calm run and in the found run. */
export interface Evidence {
  place: Difference;
  calm: readonly Step[];
  found: readonly Step[];
  /** The found run's steps next to the calm run's for the same events. One step marks where the runs diverge. */
  steps: StateStep[];
}

/**
 * Repeats the calm run and a found run, reading the state after each delivery.
 * @returns null if either ends differently than before and so is not evidence
 */
export async function gatherEvidence(
  stage: Stage,
  calm: Run,
  run: Run,
  place: Difference,
): Promise<Evidence | null> {
  const segments = namesIn(place.path);
  const { subject, signal, comparison } = stage;

  async function stepsOf(played: Run): Promise<Step[] | null> {
    await abortable(subject.state.reset(), signal);
    let last = await abortable(stage.stateBefore(), signal);
    let arrived: number[] = [];
    const steps: Pick<Step, "arrivals" | "from" | "to">[] = [];
    const onStep = async (read: () => Promise<Json>, attempts: readonly SentAttempt[]) => {
      const arrivals = attempts.flatMap((sent, index) =>
        sent.arrivals > (arrived[index] ?? 0) ? [{ index, status: sent.status }] : [],
      );
      arrived = attempts.map((sent) => sent.arrivals);
      // For background traffic, only the final effect matters.
      const next = arrivals.at(-1)!.index + 1;
      if ([...arrivals, { index: next }].every(({ index }) => played.attempts[index]?.background)) return;
      const state = await read();
      steps.push({ arrivals, from: last, to: state });
      last = state;
    };
    const options = { calm, root: wireRoot(), awaited: played.state, onStep };
    const again = await play(stage, played.schedule, options);
    if (!comparison.isEqual(played.state, again.state)) return null;
    const view = comparison.viewer(calm.state, again.state);
    return steps.map((step) => {
      const { one, other, differences: changes } = view(step.from, step.to);
      return { ...step, before: valueAt(one, segments), after: valueAt(other, segments), changes };
    });
  }

  let found: Step[] | null = null;
  // A race may need several tries to end the same way.
  for (let tries = 0; tries < MOST_TRIES && !found; tries += 1) found = await stepsOf(run);
  const ofCalm = found && (await stepsOf({ ...calm, schedule: [] }));
  if (!found || !ofCalm) return null;
  return { place, calm: ofCalm, found, steps: stateSteps(ofCalm, found, calm, run, comparison) };
}

/** A found run's deliveries in order, each next to the same events in the calm run. */
function stateSteps(
  calmSteps: readonly Step[],
  found: readonly Step[],
  calm: Run,
  run: Run,
  { isEqual }: Stage["comparison"],
): StateStep[] {
  const numbers = { calm: eventNumbers(calm.attempts), found: eventNumbers(run.attempts) };
  /** The calm run's changes, keyed by event, and its states, keyed by the set of processed events. */
  const changesOf = new Map<number, Difference[]>();
  const stateOf = new Map([["", calmSteps[0]?.from]]);
  for (const { arrivals, changes, to } of calmSteps) {
    for (const { index } of arrivals) {
      const number = numbers.calm.get(calm.attempts[index]!.eventId);
      if (number !== undefined) changesOf.set(number, changes);
    }
    stateOf.set([...changesOf.keys()].toSorted((a, b) => a - b).join(), to);
  }

  const seen = new Set<number>();
  let isParted = false;
  return found.map(({ arrivals, changes, to }) => {
    const events = arrivals.flatMap(({ index }) => numbers.found.get(run.attempts[index]!.eventId) ?? []);
    const fresh = [...new Set(events)].filter((event) => !seen.has(event));
    // An event that was rejected without an effect will be delivered again.
    const isProcessed = changes.length > 0 || arrivals.some(({ status }) => isOk(status));
    if (isProcessed) for (const event of events) seen.add(event);
    const key = [...seen].toSorted((a, b) => a - b).join();
    const parts = !isParted && stateOf.has(key) && !isEqual(stateOf.get(key), to);
    isParted ||= parts;
    return {
      attempts: arrivals.map(({ index }) => index),
      calm: isProcessed ? fresh.flatMap((event) => changesOf.get(event) ?? []) : [],
      ...{ found: changes, parts },
    };
  });
}
