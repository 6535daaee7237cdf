import { type Html, html } from "../../html/html.ts";
import { compressedAxis } from "../../timeline/axis.ts";
import { type AxisGap, axisLines } from "../../timeline/axis-labels.ts";
import { captionsOf, instantsOf } from "../../timeline/contents.ts";
import { counterCurve, counterText, curveSince, curveTop, staircase } from "../../timeline/counter.ts";
import { skipOf } from "../../timeline/endpoint-state.ts";
import { instant } from "../../timeline/instant.ts";
import { laneCount, layOut } from "../../timeline/lanes.ts";
import { bandsOf, changeGlyph, changeTone, changeWords, type StateBand } from "../../timeline/states.ts";
import { attemptTrack } from "./attempt-track.ts";
import { type Excerpt, type Timeline, timelineSummary } from "./excerpt.ts";
import { AXIS, CURVE, type Frame, frameOf, LEFT, STATES } from "./frame.ts";

/** The axis is as wide as the page. With many events, it grows to about twice that width. */
const LEAST_WIDTH = 890;
const MOST_WIDTH = 2_000;
/** The width of a character in a caption, in pixels. */
const CHARACTER = 7;
/** How long a lane stays occupied after its last mark, in pixels. */
const MARGIN = 30;

/**
 * Draws an endpoint's timeline on virtual time as inline SVG. The colours come from the classes in `timelineStyle`.
 * @param instants additional instants on the axis, so several drawings can share one
 * @returns one `svg` element, with a description for screen readers
 */
export function timelineSvg(excerpt: Excerpt, instants: readonly number[] = []): Html {
  const { timeline, marks } = excerpt;
  const now = Date.parse(timeline.now);
  const axis = compressedAxis([...instantsOf(excerpt, now), ...instants], LEAST_WIDTH, MOST_WIDTH);
  const captionOf = captionsOf(marks);
  // A lane is occupied by its marks and their caption.
  const threads = layOut(marks, {
    stay: (thread) => ({
      from: axis.x(thread.from),
      to: Math.max(axis.x(thread.to) + MARGIN, axis.x(thread.from) + captionOf(thread).length * CHARACTER),
    }),
  });
  const frame = frameOf(axis, laneCount(threads), now);
  const { width, height } = frame;
  return html`<svg class="timeline" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${timelineSummary(excerpt)}">${[
    ahead(frame),
    axisTrack(frame),
    names(),
    stateTrack(excerpt, frame),
    curveTrack(excerpt, frame),
    disabledAt(timeline, frame),
    nowLine(frame),
    attemptTrack(excerpt, threads, captionOf, frame),
  ]}</svg>`;
}

const names = (): Html =>
  html`<text class="name" x="0" y="${AXIS - 8}">Virtual time</text><text class="name" x="0" y="${AXIS + 20}">State</text><text class="name" x="0" y="${AXIS + STATES + 32}">Failures in a row</text><text class="name" x="0" y="${AXIS + STATES + CURVE + 32}">Attempts</text>`;

function ahead({ x, now, width, height }: Frame): Html {
  return html`<rect class="ahead" x="${x(now)}" y="${AXIS}" width="${width - x(now)}" height="${height - AXIS}"/>`;
}

function nowLine({ x, now, height }: Frame): Html {
  return html`<g class="now"><line x1="${x(now)}" x2="${x(now)}" y1="${AXIS - 20}" y2="${height}"/><text x="${x(now) - 5}" y="${height - 6}" text-anchor="end">now</text></g>`;
}

function disabledAt({ forecast }: Timeline, { x, height }: Frame): Html | null {
  if (forecast.disabled_at === null) return null;
  const left = x(Date.parse(forecast.disabled_at));
  return html`<g class="disabled-at"><title>The endpoint would be disabled here if every attempt until then fails</title><line x1="${left}" x2="${left}" y1="${AXIS}" y2="${height}"/><text x="${left - 5}" y="${height - 20}" text-anchor="end">disabled, if all fail</text></g>`;
}

/** Instants that are closer together than this, in pixels, share a line. */
const LINE_APART = 16;
/** The width of a character in a label, and the space around a label. */
const LABEL_CHARACTER = 6.3;
const BOLD_CHARACTER = 7.2;
const ROOM = 8;

/** The time axis: a labelled line at each instant, and the lengths of the gaps between them. */
function axisTrack(frame: Frame): Html {
  const lines = axisLines(frame.axis.instants, frame.x, {
    apart: LINE_APART,
    gap: ROOM,
    width: (label, day) => label.length * (day ? BOLD_CHARACTER : LABEL_CHARACTER),
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

/** Draws a zigzag below the axis where the drawing shortens a gap in time. */
function breakMark(x: number, bottom: number): Html {
  let path = `M${x} ${AXIS - 20}`;
  let side = 3;
  for (let y = AXIS - 14; y <= bottom; y += 6) {
    path += `L${x + side} ${y}`;
    side = -side;
  }
  return html`<path class="break" d="${path}"/>`;
}

const TOP = AXIS + STATES + 10;
const BOTTOM = AXIS + STATES + CURVE - 6;

/** Draws the number of consecutive failures over time, up to the threshold that disables the endpoint. */
function curveTrack({ timeline, since }: Excerpt, frame: Frame): Html {
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
    html`<line class="threshold" x1="${LEFT}" x2="${frame.width}" y1="${y(top)}" y2="${y(top)}"/>`
  }<path class="fill" d="${line}H${now}V${BOTTOM}H${LEFT}Z"/><path class="curve" d="${line}H${now}"/>${
    ahead.length > 0 && html`<path class="curve ahead" d="${staircase(ahead, now, value, scale)}"/>`
  }<text class="counter" x="${now - 6}" y="${y(value) - 5}" text-anchor="end">${counterText(value, threshold)}</text>`;
}

/** Flags that are closer together than this, in pixels, are drawn side by side. */
const FLAG = 20;

/** Draws the endpoint's state over time, and its changes. */
function stateTrack({ timeline, changes }: Excerpt, frame: Frame): Html {
  let last = Number.NEGATIVE_INFINITY;
  const flags = changes.map((change) => {
    const x = Math.max(frame.x(Date.parse(change.at)), last + FLAG);
    last = x;
    const glyph = changeGlyph(change.type);
    return flag(x, changeTone(change.type), glyph, changeWords(change, instant(change.at)));
  });
  return html`${bandsOf(timeline).map((one) => band(one, frame))}${flags}`;
}

function flag(x: number, tone: string, glyph: string, words: string): Html {
  const top = AXIS + 5;
  return html`<g class="flag ${tone}"><title>${words}</title><rect x="${x - 9}" y="${top}" width="18" height="20" rx="4"/><text x="${x}" y="${top + 14}" text-anchor="middle">${glyph}</text></g>`;
}

/**
 * The vertical range of a state below the axis: a thin line while the endpoint receives events, a block while it does
 * not.
 */
const bandOf = (state: StateBand["state"]): readonly [top: number, height: number] =>
  skipOf(state) === null ? [STATES / 2 - 1, 2] : [8, 14];

function band({ from, to, state }: StateBand, frame: Frame): Html | false {
  const left = Number.isFinite(from) ? frame.x(from) : LEFT;
  const right = to === undefined ? frame.width : frame.x(to);
  const [top, height] = bandOf(state);
  return (
    right > left &&
    html`<rect class="band ${changeTone(state)}" x="${left}" y="${AXIS + top}" width="${right - left}" height="${height}"/>`
  );
}
