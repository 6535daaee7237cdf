import { counterWords } from "../../timeline/counter.ts";
import { type Mark, marksOf } from "../../timeline/marks.ts";
import { count } from "../../timeline/text.ts";
import type { EndpointReport } from "../scenario-report.ts";

export type Timeline = EndpointReport["timeline"];

/** The part of an endpoint's timeline that a report is about: an endpoint of a seed has months before it. */
export interface Excerpt {
  timeline: Timeline;
  /** Where it begins, virtual milliseconds; minus infinity for all of it. */
  since: number;
  /** In order of time. */
  marks: Mark[];
  changes: Timeline["changes"];
  /** How many attempts were made before it. */
  before: number;
}

/** @param since virtual milliseconds; what ended before is left out */
export function excerptOf(timeline: Timeline, since = Number.NEGATIVE_INFINITY): Excerpt {
  const all = marksOf(timeline);
  const marks = all.filter(({ end, tone }) => end >= since || tone === "pending");
  return {
    timeline,
    since,
    marks,
    changes: timeline.changes.filter(({ at }) => Date.parse(at) >= since),
    before: timeline.attempts.length - marks.filter(({ kind }) => kind === "attempt").length,
  };
}

/** An excerpt in a sentence, for those who cannot see it. */
export function timelineSummary({ timeline: { counter, planned, status }, marks }: Excerpt): string {
  const attempts = marks.filter(({ kind }) => kind === "attempt");
  const failed = attempts.filter(({ tone }) => tone === "bad").length;
  const parts = [
    `${count(attempts.length, "attempt")}, ${failed} failed`,
    counterWords(counter.consecutive_failures, counter.threshold),
    planned.length > 0 ? `${count(planned.length, "retry", "retries")} planned` : "",
    `the endpoint is ${status}`,
  ];
  return `${parts.filter(Boolean).join("; ")}. The table below says the same.`;
}
