import { type Html, html } from "../../html/html.ts";
import { BREAK } from "../../story/axis.ts";
import { axisLines } from "../../story/axis-labels.ts";
import { roughly, SECOND } from "../../story/duration.ts";
import { AXIS, type Frame } from "./frame.ts";

/** Instants nearer to each other than this share a line, pixels. */
const LINE_APART = 16;
/** A character of a label, and the room around it. */
const CHARACTER = 6.3;
const BOLD_CHARACTER = 7.2;
const ROOM = 8;

/** The time axis: a line at each instant, what time it is, and how long the gaps between are. */
export function axisTrack(frame: Frame): Html {
  const lines = axisLines(frame.axis.instants, frame.x, {
    apart: LINE_APART,
    gap: ROOM,
    width: (label, day) => label.length * (day ? BOLD_CHARACTER : CHARACTER),
  });
  const shown = lines.map(({ at, x, label, day }, index) => {
    const next = lines[index + 1];
    return html`<line class="tick" x1="${x}" x2="${x}" y1="${AXIS - 20}" y2="${frame.height}"/>${
      label !== undefined &&
      html`<text class="${day ? "time day" : "time"}" x="${x + 3}" y="${AXIS - 8}">${label}</text>`
    }${next !== undefined && gap(frame, at, next.at)}`;
  });
  return html`${shown}<line class="base" x1="0" x2="${frame.width}" y1="${AXIS}" y2="${AXIS}"/>`;
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
