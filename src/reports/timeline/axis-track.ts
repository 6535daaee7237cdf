import { type Html, html } from "../../html/html.ts";
import { BREAK } from "../../story/axis.ts";
import { MINUTE, roughly, SECOND } from "../../story/duration.ts";
import { dayText, timeText } from "../../story/instant.ts";
import { AXIS, type Frame } from "./frame.ts";

/** Instants nearer to each other than this share a line, pixels. */
const LINE_APART = 16;
/** A character of a label, and the room around it. */
const CHARACTER = 6.3;
const BOLD_CHARACTER = 7.2;
const ROOM = 8;

/** The time axis: a line at each instant, what time it is, and how long the gaps between are. */
export function axisTrack(frame: Frame): Html {
  const lines = linesOf(frame);
  const shown: Html[] = [];
  let written = Number.NEGATIVE_INFINITY;
  let day = "";
  lines.forEach((at, index) => {
    const x = frame.x(at);
    const next = lines[index + 1];
    const today = new Date(at).toISOString().slice(0, 10);
    const text = today === day ? shortTime(at) : `${dayText(at)} ${shortTime(at)}`;
    const fits = x >= written + ROOM;
    shown.push(html`<line class="tick" x1="${x}" x2="${x}" y1="${AXIS - 20}" y2="${frame.height}"/>`);
    if (fits) {
      const kind = today === day ? "time" : "time day";
      shown.push(html`<text class="${kind}" x="${x + 3}" y="${AXIS - 8}">${text}</text>`);
      written = x + text.length * (today === day ? CHARACTER : BOLD_CHARACTER);
      day = today;
    }
    if (next !== undefined) shown.push(gap(frame, at, next));
  });
  return html`${shown}<line class="base" x1="0" x2="${frame.width}" y1="${AXIS}" y2="${AXIS}"/>`;
}

/** The instants that get a line: those far enough from the one before. */
function linesOf({ axis, x }: Frame): number[] {
  const lines: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const at of axis.instants) {
    if (x(at) - last < LINE_APART) continue;
    lines.push(at);
    last = x(at);
  }
  return lines;
}

function gap(frame: Frame, from: number, to: number): Html {
  const [left, right] = [frame.x(from), frame.x(to)];
  const middle = (left + right) / 2;
  const length = roughly(to - from);
  const fits = to - from >= SECOND && right - left >= length.length * CHARACTER + ROOM;
  const label = fits && html`<text class="gap" x="${middle}" y="11" text-anchor="middle">${length}</text>`;
  return html`${label}${to - from >= BREAK && breakMark(middle, frame.height)}`;
}

/** A zigzag from the axis down: much more time has passed here than it looks like. */
function breakMark(x: number, bottom: number): Html {
  let path = `M${x} ${AXIS - 20}`;
  let side = 3;
  for (let y = AXIS - 14; y <= bottom; y += 6) {
    path += `L${x + side} ${y}`;
    side = -side;
  }
  return html`<path class="break" d="${path}"/>`;
}

/** `09:01`, with seconds where there are any. */
const shortTime = (at: number): string => timeText(at).slice(0, at % MINUTE === 0 ? 5 : 8);
