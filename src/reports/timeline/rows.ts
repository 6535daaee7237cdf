import { attemptName, type MarkTone } from "../../story/attempt.ts";
import { formatDuration } from "../../story/duration.ts";
import type { Mark } from "../../story/marks.ts";
import { changeWords } from "../../story/states.ts";
import type { Excerpt } from "./excerpt.ts";

/** What a timeline shows, as a row of a table. */
export interface TimelineRow {
  /** Virtual time, ISO 8601. */
  at: string;
  tone: MarkTone | "ahead";
  /** What it is about an event; absent for something that happened to the endpoint. */
  attempt?: {
    event: string;
    /** `2`, `2, by hand`, `test`. */
    name: string;
    /** The counter after it: `3/10`; empty where it counted nothing. */
    failures: string;
    nextAt: string | null;
    deliveryId: string | undefined;
  };
  /** How it ended, or what happened. */
  words: string;
}

/** Each attempt, ghost and change of a timeline in order of time. */
export function timelineRows({ timeline, marks, changes }: Excerpt): TimelineRow[] {
  const { forecast, counter } = timeline;
  const changed = changes.map(changeRow);
  const created = changed.filter((_, index) => changes[index]!.type === "created");
  return [
    // At one instant an endpoint is made before anything is sent to it; the rest comes of what was sent.
    ...created,
    ...marks.map((mark) => markRow(mark, counter.threshold)),
    ...changed.filter((row) => !created.includes(row)),
    ...(forecast.disabled_at === null
      ? []
      : [
          {
            at: forecast.disabled_at,
            tone: "ahead" as const,
            words: "the endpoint would be disabled if all fail until then",
          },
        ]),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function markRow(mark: Mark, threshold: number): TimelineRow {
  const { kind, tone, at, end, event, attempt, trigger, result, failures, nextAt, deliveryId } = mark;
  const took = kind === "attempt" && end > at ? `, ${formatDuration(end - at)} later` : "";
  return {
    at: new Date(at).toISOString(),
    tone: kind === "attempt" ? tone : "ahead",
    attempt: {
      event,
      name: attemptName(attempt, trigger),
      failures: failures === null ? "" : `${failures}/${threshold}`,
      nextAt,
      deliveryId,
    },
    words: result + took,
  };
}

function changeRow(change: Excerpt["changes"][number]): TimelineRow {
  const tone = change.type === "disabled" ? "bad" : change.type === "enabled" ? "good" : "none";
  return { at: change.at, tone, words: changeWords(change) };
}
