import { attemptCode, attemptResult, attemptTone, type MarkTone, skipText } from "./attempt.ts";
import { formatDuration } from "./duration.ts";
import type { Timeline, TimelineAttempt } from "./schemas.ts";
import { clip, count, plain } from "./text.ts";

/** A mark's kind. Ghosts are future attempts: `planned`, or `forecast` for those that follow if every attempt fails. */
export type MarkKind = "attempt" | "planned" | "forecast" | "skipped";

/** An element of an endpoint's timeline. Its strings contain no control characters. */
export interface Mark {
  key: string;
  kind: MarkKind;
  tone: MarkTone;
  /** Virtual milliseconds; `end` equals `at` if it takes no time. */
  at: number;
  end: number;
  /** The response time in real milliseconds, or 30 s for a timeout. Null if there was no response. */
  took: number | null;
  eventId: string;
  event: string;
  attempt: number;
  trigger: TimelineAttempt["trigger"];
  deliveryId: string | undefined;
  /** The status code, a three-letter error code, or a ghost's attempt number. */
  label: string;
  /** Its result, in a few words. */
  result: string;
  /** The endpoint's failure counter after the attempt; null if the attempt did not count. */
  failures: number | null;
  nextAt: string | null;
}

/** The maximum length of a displayed event type or reason. */
const LONGEST = 80;
const short = (text: string): string => plain(clip(text, LONGEST));

/** An endpoint's marks in chronological order: past attempts, planned ones, and those that follow if all fail. */
export function marksOf({ attempts, planned, forecast, skipped }: Timeline): Mark[] {
  const names = new Map<string, string>();
  const ahead = new Set(forecast.attempts.map(({ event_id: id }) => id));
  for (const list of [attempts, planned])
    for (const { event_id: id, event } of list) if (ahead.has(id)) names.set(id, event);
  const plannedKeys = new Set(planned.map(({ event_id: id, attempt }) => `${id}/${attempt}`));
  const ghost = (
    kind: "planned" | "forecast",
    event: string,
    due: Timeline["forecast"]["attempts"][number],
  ) => ({
    ...still(kind, { ...due, event, at: due.due_at }),
    label: String(due.attempt),
    result: kind === "planned" ? "planned" : "would follow if all fail",
  });
  return [
    ...attempts.map(markOf),
    ...planned.map((due) => ghost("planned", due.event, due)),
    ...forecast.attempts
      .filter(({ event_id: id, attempt }) => !plannedKeys.has(`${id}/${attempt}`))
      .map((due) => ghost("forecast", names.get(due.event_id) ?? "", due)),
    ...skipped.map((skip) => ({
      ...still("skipped", skip),
      // If the first attempt was skipped, the event was never sent.
      label: skip.attempt > 1 ? "×" : "∅",
      result: `${skip.attempt > 1 ? "not made" : "never sent"}: ${short(skipText(skip.reason ?? ""))}`,
    })),
  ].sort((a, b) => a.at - b.at);
}

/** Marks can be cached: an attempt object never changes, and a reloaded timeline mostly reuses the same objects. */
const marksOfAttempts = new WeakMap<TimelineAttempt, Mark>();
export function markOf(attempt: TimelineAttempt): Mark {
  let mark = marksOfAttempts.get(attempt);
  if (!mark) {
    mark = attemptMark(attempt);
    marksOfAttempts.set(attempt, mark);
  }
  return mark;
}

/** When the response arrived. It may be recorded later, together with others from the same instant. */
function endOf({ started_at: from, ended_at: to, duration_ms: took }: TimelineAttempt): number {
  const [begun, recorded] = [Date.parse(from), Date.parse(to ?? from)];
  return took === null ? recorded : Math.min(recorded, begun + took);
}

function attemptMark(attempt: TimelineAttempt): Mark {
  const { started_at: from } = attempt;
  return {
    key: attempt.delivery_id,
    kind: "attempt",
    tone: attemptTone(attempt.status),
    at: Date.parse(from),
    end: endOf(attempt),
    took: attempt.duration_ms,
    eventId: attempt.event_id,
    event: short(attempt.event),
    attempt: attempt.attempt,
    trigger: attempt.trigger,
    deliveryId: attempt.delivery_id,
    label: attemptCode(attempt),
    result: attemptResult(attempt),
    failures: attempt.consecutive_failures,
    nextAt: attempt.next_attempt_at,
  };
}

/**
 * Labels a schedule's losses. The platform saw only failed connections; the label tells the reader why.
 * @param lost the deliveries whose request or response was lost
 */
export const namingLosses = (marks: readonly Mark[], lost: readonly string[]): Mark[] =>
  marks.map((mark) => (lost.includes(mark.deliveryId ?? "") ? { ...mark, label: "lost" } : mark));

/** The common fields of attempts that were not made: they have no duration and do not count. */
function still(
  kind: Exclude<MarkKind, "attempt">,
  {
    event_id: eventId,
    event,
    attempt,
    at: iso,
  }: Pick<Timeline["skipped"][number], "event_id" | "event" | "attempt" | "at">,
): Omit<Mark, "label" | "result"> {
  const at = Date.parse(iso);
  return {
    key: `${kind}/${eventId}/${attempt}`,
    kind,
    tone: "none",
    at,
    end: at,
    took: null,
    eventId,
    event: short(event),
    attempt,
    trigger: "automatic",
    deliveryId: undefined,
    failures: null,
    nextAt: null,
  };
}

/** The number of marks or instants before an instant, found by binary search. */
export function countBefore(marks: readonly (number | { at: number })[], instant: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const mark = marks[middle]!;
    if ((typeof mark === "number" ? mark : mark.at) < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The names of attempts outside the retry schedule. */
const WHAT: Partial<Record<Mark["trigger"], string>> = {
  test: "Test",
  manual: "Manual retry",
  resend: "Resend",
};

/** Describes a mark. @param timeOf formats an instant given in virtual milliseconds */
export function markWords(mark: Mark, timeOf: (at: number) => string): string {
  const { kind, event, attempt, trigger, at, took, result } = mark;
  const name = `Attempt ${attempt} of ${event}`;
  if (kind === "planned") return `${name}, planned at ${timeOf(at)}`;
  if (kind === "forecast") return `${name} would follow at ${timeOf(at)} if all fail`;
  if (kind === "skipped") return `${name} ${result}`;
  const what = WHAT[trigger] ?? `Attempt ${attempt}`;
  const after = took === null ? "" : ` after ${formatDuration(took)}`;
  return `${what} of ${event} ${result}${after}, at ${timeOf(at)}`;
}

/** Describes a group of marks in one line. */
export function groupWords(marks: readonly Mark[], timeOf: (at: number) => string): string {
  const [first] = marks as [Mark, ...Mark[]];
  if (marks.length === 1) return markWords(first, timeOf);
  const [from, to] = [timeOf(first.at), timeOf(marks.at(-1)!.at)];
  const when = from === to ? `at ${from}` : `from ${from} to ${to}`;
  const attempts = count(marks.length, "attempt");
  if (first.kind === "planned" || first.kind === "forecast") return `${attempts} to come, ${when}`;
  return `${attempts}, ${marks.filter(({ tone }) => tone === "bad").length} failed, ${when}`;
}
