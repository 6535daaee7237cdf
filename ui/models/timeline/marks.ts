import type { Timeline, TimelineAttempt } from "../../api-types.ts";
import { toMs } from "../format.ts";

/** What a mark on the timeline stands for. Ghosts are what is still ahead. */
export type MarkKind = "attempt" | "planned" | "forecast" | "skipped";
export type MarkTone = "good" | "bad" | "pending" | "none";

export interface Mark {
  key: string;
  kind: MarkKind;
  tone: MarkTone;
  at: number;
  /** When it ended; the same as `at` for what takes no time. */
  end: number;
  /** How long the answer took, milliseconds of real time; 30 s after a time-out. Null without an answer. */
  took: number | null;
  eventId: string;
  event: string;
  attempt: number;
  trigger: "automatic" | "manual" | "test";
  deliveryId: string | undefined;
  /** The status code, or what went wrong in three letters. */
  label: string;
  /** The same for people. */
  result: string;
}

const WORDS: Record<string, string> = {
  timeout: "T/O",
  connection_refused: "REF",
  connection_reset: "RST",
  dns: "DNS",
  tls: "TLS",
  redirect: "3xx",
  invalid_response: "BAD",
  blocked_by_network_policy: "BLK",
  endpoint_deleted: "DEL",
};

/** How an attempt ended, in at most three characters. */
export function codeOf({ status, response_code: code, error }: TimelineAttempt): string {
  if (status === "pending") return "…";
  if (error === "timeout" || code === null) return WORDS[error ?? ""] ?? "ERR";
  return String(code);
}

/** How an attempt ended, for people. */
function resultOf({ status, response_code: code, error }: TimelineAttempt): string {
  if (status === "pending") return "waits for its answer";
  if (status === "success") return `was answered ${code}`;
  if (error === "timeout") return "timed out";
  return code === null ? `failed: ${(error ?? "unknown").replaceAll("_", " ")}` : `failed with ${code}`;
}

const TONES = { pending: "pending", success: "good", failed: "bad" } as const;

function attemptMark(attempt: TimelineAttempt): Mark {
  const at = toMs(attempt.started_at);
  return {
    key: attempt.delivery_id,
    kind: "attempt",
    tone: TONES[attempt.status],
    at,
    end: attempt.ended_at === null ? at : toMs(attempt.ended_at),
    took: attempt.duration_ms,
    eventId: attempt.event_id,
    event: attempt.event,
    attempt: attempt.attempt,
    trigger: attempt.trigger,
    deliveryId: attempt.delivery_id,
    label: codeOf(attempt),
    result: resultOf(attempt),
  };
}

type Ahead = { event_id: string; attempt: number; due_at: string };

/** Everything on the timeline of an endpoint, in order of time: what was, what is planned, what would follow. */
export function marksOf(timeline: Timeline): Mark[] {
  const names = new Map<string, string>();
  for (const { event_id: id, event } of [...timeline.attempts, ...timeline.planned]) names.set(id, event);
  const planned = new Set(timeline.planned.map(({ event_id: id, attempt }) => `${id}/${attempt}`));

  const ghost = (kind: "planned" | "forecast", { event_id: eventId, attempt, due_at: due }: Ahead): Mark => ({
    key: `${kind}/${eventId}/${attempt}`,
    kind,
    tone: "none",
    at: toMs(due),
    end: toMs(due),
    took: null,
    eventId,
    event: names.get(eventId) ?? "",
    attempt,
    trigger: "automatic",
    deliveryId: undefined,
    label: String(attempt),
    result: "",
  });

  return [
    ...timeline.attempts.map(attemptMark),
    ...timeline.planned.map((ahead) => ghost("planned", ahead)),
    ...timeline.forecast.attempts
      .filter(({ event_id: id, attempt }) => !planned.has(`${id}/${attempt}`))
      .map((ahead) => ghost("forecast", ahead)),
    ...timeline.skipped.map(
      ({ event_id: eventId, event, attempt, at }): Mark => ({
        key: `skipped/${eventId}/${attempt}`,
        kind: "skipped",
        tone: "none",
        at: toMs(at),
        end: toMs(at),
        took: null,
        eventId,
        event,
        attempt,
        trigger: "automatic",
        deliveryId: undefined,
        label: "×",
        result: "",
      }),
    ),
  ].sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
}

/** How many of the marks, which are in order, lie before an instant. */
export function countBefore(marks: Mark[], instant: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.at < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
