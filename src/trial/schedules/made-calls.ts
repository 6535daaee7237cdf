import type { Effect } from "../outside/services.ts";
import { isObject, type Json } from "../subject/state.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Run } from "./run.ts";
import { translationTo } from "./translation.ts";

/** What a call has changed, with its key and fields as the state has them. */
export interface MadeCall extends Pick<Effect, "service" | "key" | "fields" | "words" | "takes"> {
  /** The number of the attempt whose handler made it. */
  at: number;
}

/** Returns a function that writes an effect as the state of a run has it, with the calm run's ids and without what is drawn. */
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

/** The calls of a run that changed something, in the order of its attempts. */
export const madeCallsOf = (
  { attempts }: Pick<Run, "attempts">,
  named: (one: Effect) => Effect,
): MadeCall[] =>
  attempts.flatMap(({ statements }, at) =>
    statements.flatMap(({ effects }) => effects.map((effect) => ({ ...named(effect), at }))),
  );
