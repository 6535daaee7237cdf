import { withoutEffects } from "../subject/effects.ts";
import type { Comparison, Json } from "../subject/state.ts";
import { isOk, type SentAttempt } from "./attempt.ts";
import { eventNumbers } from "./translation.ts";
import { pathWords, shown } from "./words.ts";

/** The intermediate states of a story that ends where it began, keyed by the set of events. */
export type Passing = ReadonlyMap<string, Json>;

/** The numbers of the accepted events; undefined if the subscriber may have handled an event without responding. */
export function takenEvents(attempts: readonly SentAttempt[]): string | undefined {
  const numbers = eventNumbers(attempts);
  const taken = new Set<number>();
  for (const { eventId, trigger, status, arrivals } of attempts) {
    if (trigger === "test" || arrivals === 0) continue;
    if (status === null) return undefined;
    if (isOk(status)) taken.add(numbers.get(eventId)!);
  }
  return [...taken].sort((one, other) => one - other).join();
}

/** Describes how a state differs from the calm run's after the same events, in a sentence; undefined if it does not. */
export function passingWords(
  { passing, comparison }: { comparison: Comparison; passing: Passing | undefined },
  attempts: readonly SentAttempt[],
  state: Json,
): string | undefined {
  const key = takenEvents(attempts);
  const expected = key === undefined ? undefined : passing?.get(key);
  const [found] =
    expected === undefined ? [] : comparison.differences(withoutEffects(expected), withoutEffects(state));
  if (!found) return undefined;
  return `After ${attempts.findLast(({ arrivals }) => arrivals > 0)!.event}, ${pathWords(found.path)} is ${shown(found.actual)}; when everything goes well, it is ${shown(found.expected)} after the same events.`;
}
