import type { Timeline, TimelineAttempt } from "../../api-types.ts";

/** An endpoint's latest disabling and its consequences so far. Instants are ISO 8601. */
export interface Disabling {
  at: string;
  /** The platform's reason. */
  reason: string | null;
  /** Consecutive failures that led to it; 0 if it was disabled manually. */
  failures: number;
  mail: string | undefined;
  skipped: number;
  /** Events created while it was disabled; they are never sent. */
  unsent: number;
  /** When it was re-enabled. */
  enabledAt: string | undefined;
  /** Events that failed and can still be retried, and the time of the first. */
  missed: number;
  missedSince: string | undefined;
  /** Events that failed and have been delivered since. */
  recovered: number;
}

/** The latest disabling; undefined if the endpoint was never disabled. */
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
  // Later attempts may share this instant, so find the attempt that reached the threshold.
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
    // More attempts may have failed at the same instant as the one that disabled it.
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
