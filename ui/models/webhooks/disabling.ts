import type { Timeline, TimelineAttempt } from "../../api-types.ts";

/** The latest time an endpoint was disabled, and the consequences so far. Times are in ISO 8601 format. */
export interface Disabling {
  at: string;
  /** The reason given by the platform. */
  reason: string | null;
  /** The number of consecutive failures that led to it; 0 if the endpoint was disabled by hand. */
  failures: number;
  mail: string | undefined;
  skipped: number;
  /** The number of events created while the endpoint was disabled. They are never sent. */
  unsent: number;
  /** The time when the endpoint was enabled again. */
  enabledAt: string | undefined;
  /** How many events failed and can still be retried, and the time of the first one. */
  missed: number;
  missedSince: string | undefined;
  /** The number of events that failed and have been delivered since. */
  recovered: number;
}

/** The latest time the endpoint was disabled; undefined if it never was. */
export function disablingOf({
  changes,
  attempts,
  earlier,
  skipped,
  counter,
}: Timeline): Disabling | undefined {
  const disabled = changes.findLast(({ type }) => type === "disabled");
  if (!disabled) return undefined;
  const { at, reason } = disabled;
  // Later attempts may have happened at the same instant, so find the attempt that reached the threshold.
  const last = attempts.findLastIndex(
    ({ ended_at: ended, consecutive_failures: failures }) =>
      ended !== null && ended <= at && failures !== null && failures >= (counter.threshold ?? 1),
  );
  const streak = reason === "consecutive_failures" ? streakOf(attempts.slice(0, last + 1)) : [];
  const enabledAt = changes.find(({ type, at: when }) => type === "enabled" && when >= at)?.at;
  const dropped = skipped.filter((one) => one.at >= at && (enabledAt === undefined || one.at <= enabledAt));
  const retries = dropped.filter(({ attempt }) => attempt > 1);
  const delivered = new Set(attempts.filter(({ status }) => status === "success").map(eventOf));
  const lost = new Set([...streak, ...retries].map(eventOf));
  const missed = new Set([...lost].filter((event) => !delivered.has(event)));
  const tried = attempts.filter((attempt) => missed.has(eventOf(attempt)));
  const areAllRead = new Set(tried.map(eventOf)).size === missed.size;
  return {
    at,
    reason,
    // At the same instant, attempts other than the one that disabled the endpoint may have failed, too.
    failures: Math.min(streak.length, counter.threshold ?? streak.length),
    mail: changes.find(({ type, at: when }) => type === "mail" && when >= at)?.reason ?? undefined,
    skipped: retries.length,
    unsent: dropped.length - retries.length,
    enabledAt,
    missed: missed.size,
    missedSince: (areAllRead ? undefined : earlier.since) ?? tried[0]?.started_at,
    recovered: lost.size - missed.size,
  };
}

const eventOf = ({ event_id: event }: { event_id: string }) => event;

function streakOf(attempts: readonly TimelineAttempt[]): TimelineAttempt[] {
  const counted = attempts.filter(({ consecutive_failures: failures }) => failures !== null);
  const last = counted.findLastIndex(({ status }) => status === "success");
  return counted.slice(last + 1);
}
