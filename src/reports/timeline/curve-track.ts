import { type Html, html } from "../../html/html.ts";
import { counterCurve, curveSince, curveTop, staircase } from "../../story/counter.ts";
import type { Excerpt } from "./excerpt.ts";
import { AXIS, CURVE, type Frame, LEFT, STATES } from "./frame.ts";

const TOP = AXIS + STATES + 10;
const BOTTOM = AXIS + STATES + CURVE - 6;

/** Failures in a row over time, up to the line at which the endpoint is disabled. */
export function curveTrack({ timeline, since }: Excerpt, frame: Frame): Html {
  const { threshold, consecutive_failures: value } = timeline.counter;
  const curve = curveSince(counterCurve(timeline), since);
  const { start, past, ahead } = curve;
  const top = curveTop(curve, threshold);
  const y = (level: number) => Math.round(BOTTOM - (Math.min(level, top) / top) * (BOTTOM - TOP));
  const scale = { x: frame.x, y };
  const now = frame.x(frame.now);
  const line = staircase(past, LEFT, start, scale);
  return html`${
    top === threshold &&
    html`<line class="threshold" x1="${LEFT}" x2="${frame.width}" y1="${y(threshold)}" y2="${y(threshold)}"/>`
  }<path class="fill" d="${line}H${now}V${BOTTOM}H${LEFT}Z"/><path class="curve" d="${line}H${now}"/>${
    ahead.length > 0 && html`<path class="curve ahead" d="${staircase(ahead, now, value, scale)}"/>`
  }<text class="counter" x="${now - 6}" y="${y(value) - 5}" text-anchor="end">${value}/${threshold}</text>`;
}
