import { attemptCode, attemptResult, attemptTone, type MarkTone, skipText } from "./attempt.ts";
import { formatDuration } from "./duration.ts";
import type { Timeline, TimelineAttempt } from "./schemas.ts";
import { clip, count, plain } from "./text.ts";

/** The kind of a mark. Ghosts are in the future: planned, or following if every attempt fails. */
export type MarkKind = "attempt" | "planned" | "forecast" | "skipped";

/** An element of an endpoint's timeline. Its texts have no control characters. */
export interface Mark {
  key: string;
  kind: MarkKind;
  tone: MarkTone;
  /** Virtual milliseconds; `end` equals `at` if it takes no time. */
  at: number;
  end: number;
  /** The response time in real milliseconds; 30 s after a time-out. Null without a response. */
  took: number | null;
  eventId: string;
  event: string;
  attempt: number;
  trigger: TimelineAttempt["trigger"];
  deliveryId: string | undefined;
  /** Its text: the status code, the error in three letters, or a ghost's number. */
  label: string;
  /** Its result, in a few words. */
  result: string;
  /** The endpoint's failures in a row after it; null if it counted nothing. */
  failures: number | null;
  nextAt: string | null;
}

/** The longest type of an event, and the longest reason, that are shown. */
const LONGEST = 80;
const short = (text: string): string => plain(clip(text, LONGEST));

/** The elements of an endpoint's timeline in order of time: past, planned, and following if all fail. */
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
      // The first attempt: the event itself was never sent.
      label: skip.attempt > 1 ? "×" : "∅",
      result: `${skip.attempt > 1 ? "not made" : "never sent"}: ${short(skipText(skip.reason ?? ""))}`,
    })),
  ].sort((a, b) => a.at - b.at);
}

/** An attempt never changes once it is read, and a timeline that is read again has mostly known attempts. */
const marksOfAttempts = new WeakMap<TimelineAttempt, Mark>();
export function markOf(attempt: TimelineAttempt): Mark {
  let mark = marksOfAttempts.get(attempt);
  if (!mark) {
    mark = attemptMark(attempt);
    marksOfAttempts.set(attempt, mark);
  }
  return mark;
}

/** When its answer was there. It is recorded with those of the same instant, perhaps later. */
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
 * Names the losses of a schedule: the platform saw failed connections, and the reader sees why.
 * @param lost the deliveries whose request or answer was lost
 */
export const namingLosses = (marks: readonly Mark[], lost: readonly string[]): Mark[] =>
  marks.map((mark) => (lost.includes(mark.deliveryId ?? "") ? { ...mark, label: "lost" } : mark));

/** The common fields of attempts that were not made: they take no time and count nothing. */
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

/** How many of the marks or instants, which are in order, lie before an instant. */
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
  manual: "Retry by hand",
  resend: "Resend",
};

/** @param timeOf writes an instant, in virtual milliseconds */
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

/** Marks that are drawn as one, in a line. */
export function groupWords(marks: readonly Mark[], timeOf: (at: number) => string): string {
  const [first] = marks as [Mark, ...Mark[]];
  if (marks.length === 1) return markWords(first, timeOf);
  const [from, to] = [timeOf(first.at), timeOf(marks.at(-1)!.at)];
  const when = from === to ? `at ${from}` : `from ${from} to ${to}`;
  const attempts = count(marks.length, "attempt");
  if (first.kind === "planned" || first.kind === "forecast") return `${attempts} to come, ${when}`;
  return `${attempts}, ${marks.filter(({ tone }) => tone === "bad").length} failed, ${when}`;
}
