import { wallNow } from "../../world/clock.ts";
import { withoutEffects } from "../subject/effects.ts";
import type { Difference, Json } from "../subject/state.ts";
import { type Passing, takenEvents } from "./passing.ts";
import { play } from "./play.ts";
import type { Run, Stage } from "./run.ts";
import { settleState } from "./settle.ts";
import { wireRoot } from "./wire.ts";

/** A story's intermediate states, and what the two runs revealed about the subscriber. */
export interface Learnt {
  passing: Passing;
  /** How long the subscriber keeps working after a response, in real milliseconds. */
  lag: number;
  /** A difference showing that the subscriber remembers the first run; null if the runs are equal. */
  missing: Difference | null;
}

/**
 * Runs the calm run twice, for a story that ends where it began, and reads the state after each delivery.
 * @returns undefined if the state is the same after each delivery
 */
export async function learnPassing(stage: Stage, first: Run, empty: Json): Promise<Learnt | undefined> {
  const { comparison, subject } = stage;
  const isEqual: typeof comparison.isEqual = (one, other) =>
    comparison.isEqual(withoutEffects(one), withoutEffects(other));
  let lag = 0;

  async function statesOnTheWay(): Promise<Map<string, Json>> {
    const states = new Map<string, Json>();
    let last = empty;
    await play(stage, [], {
      ...{ root: wireRoot(), lag, awaited: first.state },
      async onStep(read, attempts) {
        // Reading after each background event would take minutes, and only the number of events matters.
        if (attempts.at(-1)!.background) return;
        const settled = await settleState(read, isEqual, {
          empty: states.size === 0 ? last : undefined,
          awaited: states.get(takenEvents(attempts)!),
          quiet: subject.quiet,
        });
        lag = Math.max(lag, settled.lag);
        last = settled.state;
        states.set(takenEvents(attempts)!, last);
      },
    });
    return states;
  }

  const began = wallNow();
  const states = await statesOnTheWay();
  const between = wallNow();
  const passed = [...states].filter(([, state]) => !isEqual(empty, state));
  if (passed.length === 0) return undefined;
  const again = await statesOnTheWay();
  const ended = wallNow();
  for (const [key, state] of passed)
    if (again.has(key))
      comparison.names.learn(
        { state, began, ended: between },
        { state: again.get(key), began: between, ended },
      );
  const isForgotten = passed.every(([key]) => isEqual(empty, again.get(key)));
  return {
    // Exclude the state after all events, which is compared at the end anyway.
    passing: new Map([...states].slice(0, -1).filter(([key, state]) => isEqual(state, again.get(key)))),
    lag,
    missing: isForgotten
      ? comparison.differences(withoutEffects(passed[0]![1]), withoutEffects(again.get(passed[0]![0])))[0]!
      : null,
  };
}
