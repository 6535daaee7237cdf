import { counterCurve } from "../../../src/timeline/counter.ts";
import { bandsOf } from "../../../src/timeline/states.ts";
import { forecast } from "../../../src/webhooks/policy.ts";
import type { Timeline, TimelineAttempt } from "../../api-types.ts";
import { toMs } from "../format.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * An endpoint's timeline as of an earlier instant: the attempts that had started by then, the counter, and the retries
 * planned at that time. They are computed with the platform's own policy.
 * @param at the virtual time in milliseconds
 */
export function timelineAt(timeline: Timeline, at: number): Timeline {
  const { counter, changes, retry_delays: retryDelays } = timeline;
  // All instants have the same format, so their strings can be compared.
  const now = iso(at);
  const attempts = timeline.attempts
    .filter(({ started_at: from }) => from <= now)
    .map((attempt) => ((attempt.ended_at ?? now) <= now ? attempt : unanswered(attempt)));
  const skipped = timeline.skipped.filter((one) => one.at <= now);
  const status = statusAt(timeline, at);
  const planned = status === "enabled" ? plannedAt(timeline, attempts, skipped, at) : [];
  const consecutiveFailures = counterAt(timeline, at);
  const future = forecast(
    {
      retryDelays,
      timeout: 0,
      disableAfter: { consecutive: counter.threshold, count: counter.counts },
    },
    { status, consecutiveFailures, firstFailedAt: null },
    planned.map(({ event_id: eventId, attempt, due_at: due }) => ({ eventId, attempt, dueAt: toMs(due) })),
  );
  return {
    ...timeline,
    now,
    status,
    counter: { ...counter, consecutive_failures: consecutiveFailures },
    attempts,
    planned,
    skipped,
    forecast: {
      attempts: future.attempts.map(({ eventId, attempt, dueAt }) => ({
        event_id: eventId,
        attempt,
        due_at: iso(dueAt),
      })),
      disabled_at: future.disabledAt === null ? null : iso(future.disabledAt),
    },
    changes: changes.filter((change) => change.at <= now),
  };
}

const unanswered = (attempt: TimelineAttempt): TimelineAttempt => ({
  ...attempt,
  status: "pending",
  response_code: null,
  error: null,
  error_detail: null,
  ended_at: null,
  duration_ms: null,
  consecutive_failures: null,
  next_attempt_at: null,
});

function statusAt(timeline: Timeline, at: number): Timeline["status"] {
  const deleted = timeline.changes.find(({ type }) => type === "deleted");
  if (deleted && toMs(deleted.at) <= at) return "deleted";
  return bandsOf(timeline).findLast(({ from }) => from <= at)?.state ?? "enabled";
}

function counterAt(timeline: Timeline, at: number): number {
  const { start, past } = counterCurve(timeline);
  return past.findLast((step) => step.at <= at)?.value ?? start;
}

/**
 * The retries that were planned at an instant: the next one for each event that had been neither delivered nor skipped.
 * The platform reports a due time only for the latest attempt. For earlier attempts, use the time at which the retry
 * was made, or the schedule.
 */
function plannedAt(
  { attempts: all, retry_delays: delays }: Timeline,
  attempts: readonly TimelineAttempt[],
  skipped: Timeline["skipped"],
  at: number,
): Timeline["planned"] {
  const made = new Map<string, string>();
  for (const { trigger, event_id: id, attempt, started_at: begun } of all)
    if (trigger === "automatic") made.set(`${id}/${attempt}`, begun);
  const latest = new Map<string, TimelineAttempt>();
  const over = new Set(skipped.map(({ event_id: id }) => id));
  for (const attempt of attempts) {
    if (attempt.status === "success") over.add(attempt.event_id);
    if (attempt.trigger === "automatic") latest.set(attempt.event_id, attempt);
  }
  const planned: Timeline["planned"] = [];
  for (const {
    event_id,
    event,
    attempt,
    status,
    ended_at: ended,
    next_attempt_at: next,
  } of latest.values()) {
    const delay = delays[attempt - 1];
    if (status !== "failed" || ended === null || delay === undefined || over.has(event_id)) continue;
    const due = made.get(`${event_id}/${attempt + 1}`) ?? next ?? iso(toMs(ended) + delay);
    if (toMs(due) > at) planned.push({ event_id, event, attempt: attempt + 1, due_at: due });
  }
  return planned.sort((a, b) => (a.due_at < b.due_at ? -1 : 1));
}
