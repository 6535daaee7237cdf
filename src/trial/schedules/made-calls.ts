import type { Effect } from "../outside/services.ts";
import { isObject, type Json } from "../subject/state.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Run } from "./run.ts";
import { translationTo } from "./translation.ts";

/** A call's effect, with its key and fields as they appear in the state. */
export interface MadeCall extends Pick<Effect, "service" | "key" | "fields" | "words" | "takes"> {
  /** The number of the attempt whose handler made the call. */
  at: number;
}

/**
 * Returns a function that converts a run's effects to the form in which a state contains them, with the calm run's ids
 * and without random values.
 */
export function namerOf(
  calm: Run,
  attempts: readonly SentAttempt[],
  name: (state: Json) => Json,
): (effect: Effect) => Effect {
  const translate = translationTo(calm.attempts, attempts);
  return (effect) => {
    const { service, key, fields } = effect;
    const state = name({ effects: { [service]: [translate({ key, fields })] } });
    const effects = isObject(state) && isObject(state.effects) ? state.effects : {};
    const [named] = effects[service] as [Pick<Effect, "key" | "fields">];
    return { ...effect, ...named };
  };
}

/** A run's calls that changed something, in attempt order. */
export const madeCallsOf = (
  { attempts }: Pick<Run, "attempts">,
  named: (one: Effect) => Effect,
): MadeCall[] =>
  attempts.flatMap(({ statements }, at) =>
    statements.flatMap(({ effects }) => effects.map((effect) => ({ ...named(effect), at }))),
  );
