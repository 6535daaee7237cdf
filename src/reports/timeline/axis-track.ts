import { type Html, html } from "../../html/html.ts";
import { type AxisGap, axisLines } from "../../story/axis-labels.ts";
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
  const shown = lines.map(({ x, label, day, gap }) => {
    return html`<line class="tick" x1="${x}" x2="${x}" y1="${AXIS - 20}" y2="${frame.height}"/>${
      label !== undefined &&
      html`<text class="${day ? "time day" : "time"}" x="${x + 3}" y="${AXIS - 8}">${label}</text>`
    }${gap !== undefined && gapMark(gap, frame.height)}`;
  });
  return html`${shown}<line class="base" x1="0" x2="${frame.width}" y1="${AXIS}" y2="${AXIS}"/>`;
}

function gapMark({ x, label, torn }: AxisGap, bottom: number): Html {
  const text =
    label !== undefined && html`<text class="gap" x="${x}" y="11" text-anchor="middle">${label}</text>`;
  return html`${text}${torn && breakMark(x, bottom)}`;
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
