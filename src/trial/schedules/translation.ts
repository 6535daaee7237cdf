import { isObject, type Json } from "../subject/state.ts";
import type { SentAttempt } from "./attempt.ts";

/** An event in a run, with the platform's ids that it contains. */
interface RunEvent {
  eventId: string;
  deliveryIds: string[];
  body: string;
}

/** The platform's random strings: object ids, addresses and hashes. */
const DRAWN = /^(?:[a-z]+_[0-9A-Za-z]{16}|0x[0-9a-f]{40,64})$/;

/** A run's events in the order they happened, without test deliveries. */
function eventsOf(attempts: readonly SentAttempt[]): RunEvent[] {
  const events = new Map<string, RunEvent>();
  for (const { id, eventId, trigger, body } of attempts) {
    if (trigger === "test") continue;
    const event = events.get(eventId);
    if (event) event.deliveryIds.push(id);
    else events.set(eventId, { eventId, deliveryIds: [id], body });
  }
  return [...events.values()];
}

/** Numbers a run's events in the order they happened. Corresponding events have equal numbers in every run. */
export const eventNumbers = (attempts: readonly SentAttempt[]): Map<string, number> =>
  new Map(eventsOf(attempts).map(({ eventId }, number) => [eventId, number]));

/**
 * Replaces the platform's ids in a run with the calm run's corresponding ones. A test delivery between two events, or
 * an additional attempt, shifts later ids, which does not matter to a subscriber.
 * @param calm the calm run's attempts; if undefined, nothing is replaced
 */
export function translationTo(
  calm: readonly SentAttempt[] | undefined,
  attempts: readonly SentAttempt[],
): (value: Json) => Json {
  const words = calm === undefined ? new Map<string, string>() : wordsOf(eventsOf(calm), eventsOf(attempts));
  if (words.size === 0) return (value) => value;
  const anyOf = new RegExp([...words.keys()].join("|"), "g");
  const inText = (text: string): string => text.replace(anyOf, (word) => words.get(word)!);
  const translate = (value: Json): Json => {
    if (typeof value === "string") return inText(value);
    if (Array.isArray(value)) return value.map(translate);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [inText(key), translate(one)]));
  };
  return translate;
}

function wordsOf(calm: readonly RunEvent[], events: readonly RunEvent[]): Map<string, string> {
  const words = new Map<string, string>();
  const pair = (word: string, calmWord: string): void => {
    if (word !== calmWord && !words.has(word)) words.set(word, calmWord);
  };
  const walk = (value: Json, other: Json): void => {
    if (typeof value === "string" && typeof other === "string") {
      if (DRAWN.test(value) && DRAWN.test(other)) pair(value, other);
    } else if (Array.isArray(value) && Array.isArray(other)) {
      for (const [index, one] of value.entries()) walk(one, other[index]);
    } else if (isObject(value) && isObject(other)) {
      for (const [key, one] of Object.entries(value)) walk(one, other[key]);
    }
  };
  events.forEach((event, position) => {
    const original = calm[position];
    if (original === undefined) return;
    pair(event.eventId, original.eventId);
    for (const id of event.deliveryIds) pair(id, original.deliveryIds[0]!);
    if (event.body !== original.body) walk(JSON.parse(event.body), JSON.parse(original.body));
  });
  return words;
}
