import type { EndpointReport } from "../../scenarios/report.ts";
import { clip, instant, plain, wallText } from "../text.ts";
import { countersOf } from "./counter.ts";

export type Timeline = EndpointReport["timeline"];
type Attempt = Timeline["attempts"][number];

/** What a mark stands for. Ghosts are what was still ahead: planned, or what would follow if all of it failed. */
export type MarkKind = "attempt" | "planned" | "forecast" | "skipped";
export type MarkTone = "good" | "bad" | "pending" | "none";

export interface Mark {
  kind: MarkKind;
  tone: MarkTone;
  /** Virtual milliseconds; `end` is the same as `at` for what takes no time. */
  at: number;
  end: number;
  eventId: string;
  /** The beginning of its type, without control characters. */
  event: string;
  attempt: number;
  trigger: Attempt["trigger"];
  /** What is written in it: the status code, or what went wrong in three letters, or a ghost's number. */
  label: string;
  /** All of it in words, without control characters. */
  words: string;
  /** What became of it, in a few words. */
  result: string;
  /** Failures in a row after it; absent where nothing was counted. */
  counter: number | undefined;
  nextAt: string | null;
}

/** The longest that an event's type and a reason are shown. */
const LONGEST = 80;
const nameOf = (event: string): string => plain(clip(event, LONGEST));

const LETTERS: Record<string, string> = {
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
const TONES = { pending: "pending", success: "good", failed: "bad" } as const;

/** Everything on an endpoint's timeline in order of time: what was, what is planned, what would follow. */
export function marksOf(timeline: Timeline): Mark[] {
  const counters = countersOf(timeline);
  const names = new Map<string, string>();
  for (const { event_id: id, event } of [...timeline.attempts, ...timeline.planned]) names.set(id, event);
  const planned = new Set(timeline.planned.map(({ event_id: id, attempt }) => `${id}/${attempt}`));
  const ghost = (kind: "planned" | "forecast", ahead: Timeline["forecast"]["attempts"][number]) =>
    still(kind, ahead.due_at, { ...ahead, event: names.get(ahead.event_id) ?? "" });
  return [
    ...timeline.attempts.map((attempt) => made(attempt, counters.get(attempt.delivery_id), timeline)),
    ...timeline.planned.map((ahead) => ghost("planned", ahead)),
    ...timeline.forecast.attempts
      .filter(({ event_id: id, attempt }) => !planned.has(`${id}/${attempt}`))
      .map((ahead) => ghost("forecast", ahead)),
    ...timeline.skipped.map((skipped) => still("skipped", skipped.at, skipped)),
  ].sort((a, b) => a.at - b.at);
}

function made(attempt: Attempt, counter: number | undefined, { counter: { threshold } }: Timeline): Mark {
  const { trigger, status, started_at: from, ended_at: to } = attempt;
  const event = nameOf(attempt.event);
  const what =
    trigger === "test" ? "Test" : trigger === "manual" ? "Retry by hand" : `Attempt ${attempt.attempt}`;
  const result = resultOf(attempt);
  const took = attempt.duration_ms === null ? "" : ` after ${wallText(attempt.duration_ms)}`;
  const row =
    status === "failed" && counter !== undefined ? `, ${counter} of ${threshold} failures in a row` : "";
  return {
    kind: "attempt",
    tone: TONES[status],
    at: Date.parse(from),
    end: Date.parse(to ?? from),
    eventId: attempt.event_id,
    event,
    attempt: attempt.attempt,
    trigger,
    label: codeOf(attempt),
    words: `${what} of ${event} ${result}${took}, at ${instant(from)}${row}`,
    result,
    counter,
    nextAt: attempt.next_attempt_at,
  };
}

const SKIPS: Record<string, string> = {
  endpoint_disabled: "the endpoint is disabled",
  endpoint_deleted: "the endpoint was deleted",
};

function still(
  kind: Exclude<MarkKind, "attempt">,
  iso: string,
  {
    event_id: eventId,
    event: type,
    attempt,
    reason,
  }: { event_id: string; event: string; attempt: number; reason?: string | null },
): Mark {
  const at = Date.parse(iso);
  const event = nameOf(type);
  const result =
    kind === "planned"
      ? "planned"
      : kind === "forecast"
        ? "would follow if all fail"
        : `not made: ${SKIPS[reason ?? ""] ?? nameOf(reason ?? "").replaceAll("_", " ")}`;
  return {
    kind,
    tone: "none",
    at,
    end: at,
    eventId,
    event,
    attempt,
    trigger: "automatic",
    label: kind === "skipped" ? "×" : String(attempt),
    words: `Attempt ${attempt} of ${event}: ${result}, at ${instant(iso)}`,
    result,
    counter: undefined,
    nextAt: null,
  };
}

function codeOf({ status, response_code: code, error }: Attempt): string {
  if (status === "pending") return "…";
  if (error === "timeout" || code === null) return LETTERS[error ?? ""] ?? "ERR";
  return String(code);
}

function resultOf({ status, response_code: code, error }: Attempt): string {
  if (status === "pending") return "was still waiting for its answer";
  if (status === "success") return `was answered ${code}`;
  if (error === "timeout") return "timed out";
  return code === null ? `failed: ${(error ?? "unknown").replaceAll("_", " ")}` : `failed with ${code}`;
}
