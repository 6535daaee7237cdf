import { isOk, type SentAttempt } from "./attempt.ts";
import { deviationIn } from "./deviations/index.ts";

/** Whether a status means "later", in which case a person retries the event. */
export const isLater = (status: number): boolean => status >= 500 || [408, 409, 425, 429].includes(status);

/** Whether a request never fully reached the subscriber, or must be sent again because the subscriber was interrupted. */
function isLost(sent: SentAttempt): boolean {
  const { server, keepsFromWork } = deviationIn(sent) ?? {};
  if (sent.arrivals === 0 || (server === "killed" && sent.status === null)) return true;
  return keepsFromWork === true && sent.status !== null && isLater(sent.status);
}

/** Identifies one event at one endpoint. */
const copyOf = ({ eventId, webhookId }: SentAttempt): string => `${eventId} ${webhookId}`;

/**
 * The events that a person would resend: lost ones that were never accepted, and copies whose last response asks for a
 * later attempt.
 */
function openEvents(attempts: readonly SentAttempt[]): { lost: Set<string>; later: Set<string> } {
  const [accepted, lost, later] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const sent of attempts) {
    const { eventId, trigger, status } = sent;
    if (trigger === "test") continue;
    if (sent.accepted) accepted.add(eventId);
    if (isLost(sent) && accepted.has(eventId)) continue;
    lost.delete(eventId);
    later.delete(copyOf(sent));
    if (isLost(sent)) lost.add(eventId);
    else if (status !== null && isLater(status)) later.add(copyOf(sent));
  }
  return { lost, later };
}

/** An event that the subscriber permanently rejected, in a run with the same events as the calm run. */
export interface Refusal {
  event: string;
  attempt: number;
  status: number;
  /** Whether the event had been accepted before, which means that only a copy was rejected. */
  isCopy: boolean;
}

/** Statuses with which a subscriber rejects a copy of an event that it already has. */
const ALREADY = [409, 425];

/** The events whose last request was rejected. A "later" status counts only after a person has retried in vain. */
export function refusedForEver(attempts: readonly SentAttempt[]): Refusal[] {
  const deliveries = attempts.filter(({ trigger }) => trigger !== "test");
  return [...Map.groupBy(deliveries, copyOf).values()].flatMap((all) => {
    const last = all.at(-1)!;
    const { event, eventId, status, trigger } = last;
    if (status === null || isLost(last) || isOk(status)) return [];
    const isCopy = attempts.some((one) => one.eventId === eventId && one.accepted);
    if (isCopy && ALREADY.includes(status)) return [];
    const before = all.findLast((one) => one !== last && one.status !== null && !isLost(one));
    const isTriedAgain = trigger === "manual" && before !== undefined && !isOk(before.status);
    if (isLater(status) && !isTriedAgain) return [];
    return { event, attempt: attempts.indexOf(last), status, isCopy };
  });
}

/**
 * Whether a person has nothing left to retry. Events that the subscriber wants later are retried until a retry changes
 * nothing. They then count as permanently rejected.
 * @param since the first attempt after the person's previous retry; undefined if there was none
 */
export function isSettled(attempts: readonly SentAttempt[], since: number | undefined): boolean {
  const { lost, later } = openEvents(attempts);
  if (lost.size + later.size === 0) return true;
  if (since === undefined || lost.size > 0) return false;
  const before = openEvents(attempts.slice(0, since));
  return later.size === before.lost.size + before.later.size;
}

/**
 * The numbers of events that never reached the subscriber. If they differ from the calm run's, the state may differ
 * through no fault of the subscriber.
 * @param skipped the events that the platform did not try to deliver
 */
export function undelivered(attempts: readonly SentAttempt[], skipped: readonly string[]): string {
  // Ids sort by age, so an event has the same number in every run.
  const events = new Set([
    ...skipped,
    ...attempts.flatMap((one) => (one.trigger === "test" ? [] : one.eventId)),
  ]);
  const { lost } = openEvents(attempts);
  const tried = new Set(attempts.map(({ eventId }) => eventId));
  const isUndelivered = (id: string) => lost.has(id) || !tried.has(id);
  return [...events]
    .sort()
    .flatMap((id, number) => (isUndelivered(id) ? number : []))
    .join();
}
