import { markOf } from "./marks.ts";
import type { Timeline } from "./schemas.ts";
import { count } from "./text.ts";

/** The value of the failure counter from an instant onwards. */
export interface CounterPoint {
  /** Virtual milliseconds. */
  at: number;
  value: number;
}

export interface CounterCurve {
  /** The counter before the first point. */
  start: number;
  past: CounterPoint[];
  /** The future values if every planned attempt fails. */
  ahead: CounterPoint[];
}

/** A threshold up to this value is always used as the curve's height. */
const LOW_THRESHOLD = 25;

/** The counter over time: the value stored with each attempt, and 0 after re-enabling. */
export function counterCurve({ attempts, changes, counter, forecast }: Timeline): CounterCurve {
  const past: CounterPoint[] = [];
  for (const attempt of attempts) {
    const { ended_at: ended, consecutive_failures: value } = attempt;
    // The attempt's mark caches the parsed instant.
    if (ended !== null && value !== null) past.push({ at: markOf(attempt).end, value });
  }
  for (const { type, at } of changes) if (type === "enabled") past.push({ at: Date.parse(at), value: 0 });
  past.sort((a, b) => a.at - b.at);

  const lastOf = new Map(forecast.attempts.map(({ event_id: id }, index) => [id, index]));
  let value = counter.consecutive_failures;
  const ahead = forecast.attempts
    .filter(({ event_id: id }, index) => counter.counts === "attempts" || lastOf.get(id) === index)
    .map(({ due_at: due }) => {
      value += 1;
      return { at: Date.parse(due), value };
    });
  const [first] = past;
  return { start: first ? Math.max(0, first.value - 1) : counter.consecutive_failures, past, ahead };
}

export function curveSince({ start, past, ahead }: CounterCurve, since: number): CounterCurve {
  const first = past.findIndex(({ at }) => at >= since);
  const before = first < 0 ? past.at(-1) : past[first - 1];
  return { start: before?.value ?? start, past: first < 0 ? [] : past.slice(first), ahead };
}

/** The height of a curve: the threshold, or somewhat above its highest point if that is far below. */
export function curveTop({ start, past, ahead }: CounterCurve, threshold: number | null): number {
  if (threshold !== null && threshold <= LOW_THRESHOLD) return threshold;
  let highest = Math.max(1, start);
  for (const points of [past, ahead]) for (const { value } of points) highest = Math.max(highest, value);
  return threshold !== null && highest * 2 > threshold ? threshold : highest * 1.5;
}

/** The counter in words: `3/10`, `3 of 10 failures in a row`; only the number if there is no limit. */
export const counterText = (value: number, threshold: number | null): string =>
  threshold === null ? String(value) : `${value}/${threshold}`;
export const counterWords = (value: number, threshold: number | null): string =>
  threshold === null
    ? `${count(value, "failure")} in a row`
    : `${value} of ${count(threshold, "failure")} in a row`;

/** Maps instants to pixels from the left, and levels to heights. */
export interface Scale {
  x: (at: number) => number;
  y: (value: number) => number;
}

/**
 * The SVG path of a level over time, starting at pixel `left`. Points on the same pixel are merged at their highest, so
 * that a path has no more corners than are visible.
 */
export function staircase(
  points: readonly CounterPoint[],
  left: number,
  start: number,
  { x, y }: Scale,
): string {
  let path = `M${left} ${y(start)}`;
  for (let index = 0; index < points.length; ) {
    const place = Math.round(x(points[index]!.at));
    let highest = 0;
    let level = 0;
    for (; index < points.length && Math.round(x(points[index]!.at)) === place; index += 1) {
      level = points[index]!.value;
      highest = Math.max(highest, level);
    }
    path += `H${place}V${y(highest)}${highest === level ? "" : `V${y(level)}`}`;
  }
  return path;
}
