import { counterWords } from "../../timeline/counter.ts";
import { type Mark, marksOf } from "../../timeline/marks.ts";
import { count } from "../../timeline/text.ts";
import type { EndpointReport } from "../scenario-report.ts";

export type Timeline = EndpointReport["timeline"];

/**
 * The part of an endpoint's timeline that a report shows. Seeded endpoints also have weeks of earlier history, which is
 * left out.
 */
export interface Excerpt {
  timeline: Timeline;
  /** The start in virtual milliseconds; minus infinity for the whole timeline. */
  since: number;
  /** The attempts, in chronological order. */
  marks: Mark[];
  changes: Timeline["changes"];
  before: number;
}

/** @param since a time in virtual milliseconds; attempts that ended earlier are omitted */
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

/** Describes an excerpt in a sentence, for screen readers. */
export function timelineSummary({ timeline: { counter, planned, status }, marks }: Excerpt): string {
  const attempts = marks.filter(({ kind }) => kind === "attempt");
  const failed = attempts.filter(({ tone }) => tone === "bad").length;
  const parts = [
    `${count(attempts.length, "attempt")}, ${failed} failed`,
    counterWords(counter.consecutive_failures, counter.threshold),
    planned.length > 0 ? `${count(planned.length, "retry", "retries")} planned` : "",
    `the endpoint is ${status}`,
  ];
  return `${parts.filter(Boolean).join("; ")}. The table below shows the same.`;
}
