import type { SentAttempt } from "./attempt.ts";
import { namesIn } from "./path.ts";
import { play } from "./play.ts";
import { valueAt } from "./report/expectations.ts";
import { abortable, type Run, type Stage } from "./run.ts";
import type { Difference, Json } from "./state.ts";
import { wireRoot } from "./wire.ts";

const MOST_TRIES = 3;

/** What a request, or several at once, did to the subscriber's state. */
export interface Step {
  /** The attempts that arrived in it, by number, with what the subscriber answered. */
  arrivals: { index: number; status: number | null }[];
  /** The value at the place in question. */
  before: Json;
  after: Json;
  /** Whether anything changed in the state. */
  changed: boolean;
}

/** What each delivery did, in the run in which everything goes well and in the found one. */
export interface Evidence {
  /** The place in question: where the states differ in the end. */
  place: Difference;
  calm: readonly Step[];
  found: readonly Step[];
}

/**
 * Plays the calm run and a found one once more, and reads the state after each delivery.
 * @returns null if one of them ends otherwise than before: then it shows nothing about that one
 */
export async function gatherEvidence(
  stage: Stage,
  calm: Run,
  run: Run,
  place: Difference,
): Promise<Evidence | null> {
  const segments = namesIn(place.path);
  const { subject, signal, differences } = stage;

  async function stepsOf(played: Run): Promise<Step[] | null> {
    await abortable(subject.reset(), signal);
    let last = await abortable(subject.state(), signal);
    let arrived: number[] = [];
    const steps: Step[] = [];
    const onStep = async (read: () => Promise<Json>, attempts: readonly SentAttempt[]) => {
      const arrivals = attempts.flatMap((sent, index) =>
        sent.arrivals > (arrived[index] ?? 0) ? [{ index, status: sent.status }] : [],
      );
      arrived = attempts.map((sent) => sent.arrivals);
      // Of traffic, only what it leads to matters.
      const next = arrivals.at(-1)!.index + 1;
      if ([...arrivals, { index: next }].every(({ index }) => played.attempts[index]?.background)) return;
      const state = await read();
      steps.push({
        arrivals,
        before: valueAt(last, segments),
        after: valueAt(state, segments),
        changed: differences(last, state).length > 0,
      });
      last = state;
    };
    const options = { calm, root: wireRoot(), awaited: played.state, onStep };
    const { run: again } = await play(stage, played.schedule, options);
    return differences(played.state, again.state).length === 0 ? steps : null;
  }

  let found: Step[] | null = null;
  // A race may need several tries until it ends as it did.
  for (let tries = 0; tries < MOST_TRIES && !found; tries += 1) found = await stepsOf(run);
  const ofCalm = found && (await stepsOf({ ...calm, schedule: [] }));
  return found && ofCalm && { place, calm: ofCalm, found };
}
