import { type Html, html } from "../../html/html.ts";
import { counterCurve, type Step } from "./counter.ts";
import type { Excerpt } from "./excerpt.ts";
import { AXIS, CURVE, type Frame, LEFT, STATES } from "./frame.ts";

const TOP = AXIS + STATES + 10;
const BOTTOM = AXIS + STATES + CURVE - 6;
/** Up to this threshold the whole way to it is shown. */
const LOW_THRESHOLD = 25;

/** Failures in a row over time, up to the line at which the endpoint is disabled. */
export function curveTrack({ timeline, since }: Excerpt, frame: Frame): Html {
  const { threshold, consecutive_failures: value } = timeline.counter;
  const { past, ahead, start } = counterCurve(timeline, since);
  const top = topOf(
    [start, ...past.map((step) => step.value), ...ahead.map((step) => step.value)],
    threshold,
  );
  const y = (level: number) => Math.round(BOTTOM - (Math.min(level, top) / top) * (BOTTOM - TOP));
  const now = frame.x(frame.now);
  const line = stairs(past, `M${LEFT} ${y(start)}`, frame.x, y);
  return html`${
    top === threshold &&
    html`<line class="threshold" x1="${LEFT}" x2="${frame.width}" y1="${y(threshold)}" y2="${y(threshold)}"/>`
  }<path class="fill" d="${line}H${now}V${BOTTOM}H${LEFT}Z"/><path class="curve" d="${line}H${now}"/>${
    ahead.length > 0 &&
    html`<path class="curve ahead" d="${stairs(ahead, `M${now} ${y(value)}`, frame.x, y)}"/>`
  }<text class="counter" x="${now - 6}" y="${y(value) - 5}" text-anchor="end">${value}/${threshold}</text>`;
}

/** Steps that fall on one pixel are drawn as one, at their highest, so that no path has more corners than are seen. */
function stairs(
  steps: Step[],
  start: string,
  x: (at: number) => number,
  y: (level: number) => number,
): string {
  let path = start;
  for (let index = 0; index < steps.length; ) {
    const left = x(steps[index]!.at);
    let highest = 0;
    let level = 0;
    for (; index < steps.length && x(steps[index]!.at) === left; index += 1) {
      level = steps[index]!.value;
      highest = Math.max(highest, level);
    }
    path += `H${left}V${y(highest)}${highest === level ? "" : `V${y(level)}`}`;
  }
  return path;
}

/** The curve ends at the threshold, or somewhat above its highest point when that is far below. */
function topOf(levels: number[], threshold: number): number {
  if (threshold <= LOW_THRESHOLD) return threshold;
  const highest = levels.reduce((most, level) => Math.max(most, level), 1);
  return highest * 2 > threshold ? threshold : highest * 1.5;
}
