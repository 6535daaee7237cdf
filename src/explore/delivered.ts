import type { SentAttempt } from "./attempt.ts";

/** Answers that mean "later": a person retries what was refused with one of them. */
export const isLater = (status: number): boolean => status >= 500 || [408, 409, 425, 429].includes(status);

/** The events that the subscriber has not accepted: whether the last attempt got lost, or it asked for a later one. */
function openEvents(attempts: readonly SentAttempt[]): Map<string, "lost" | "later"> {
  const open = new Map<string, "lost" | "later">();
  const accepted = new Set<string>();
  for (const { eventId, trigger, arrivals, status } of attempts) {
    if (trigger === "test" || accepted.has(eventId)) continue;
    open.delete(eventId);
    if (arrivals === 0) open.set(eventId, "lost");
    else if (status !== null && status <= 299) accepted.add(eventId);
    else if (status !== null && isLater(status)) open.set(eventId, "later");
  }
  return open;
}

/**
 * Whether a person has nothing left to retry. What the subscriber wants later is retried until that changes nothing: then it
 * refuses it for good.
 * @param since the first attempt after the person retried before; undefined if that has not happened
 */
export function isSettled(attempts: readonly SentAttempt[], since: number | undefined): boolean {
  const open = openEvents(attempts);
  if (open.size === 0) return true;
  if (since === undefined || [...open.values()].includes("lost")) return false;
  return open.size === openEvents(attempts.slice(0, since)).size;
}

/**
 * Names the events that never reached the subscriber, by their numbers: a schedule that leaves others undelivered than the
 * calm run ends in another state through no fault of the subscriber.
 * @param skipped the events that the platform did not try to deliver
 */
export function undelivered(attempts: readonly SentAttempt[], skipped: readonly string[]): string {
  // Ids sort by age, so an event has the same number in every run.
  const events = new Set([
    ...skipped,
    ...attempts.flatMap((one) => (one.trigger === "test" ? [] : one.eventId)),
  ]);
  const open = openEvents(attempts);
  const tried = new Set(attempts.map(({ eventId }) => eventId));
  const isUndelivered = (id: string) => open.get(id) === "lost" || !tried.has(id);
  return [...events]
    .sort()
    .flatMap((id, number) => (isUndelivered(id) ? number : []))
    .join();
}
