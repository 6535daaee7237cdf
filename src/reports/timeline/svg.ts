import { type Html, html } from "../../html/html.ts";
import { compressedAxis } from "../../story/axis.ts";
import { captionsOf, instantsOf } from "../../story/contents.ts";
import { laneCount, layOut } from "../../story/lanes.ts";
import { attemptTrack } from "./attempt-track.ts";
import { axisTrack } from "./axis-track.ts";
import { curveTrack } from "./curve-track.ts";
import { type Excerpt, type Timeline, timelineSummary } from "./excerpt.ts";
import { AXIS, CURVE, type Frame, frameOf, STATES } from "./frame.ts";
import { stateTrack } from "./state-track.ts";

/** The axis fills the page, and with much to tell it is as wide as two of them. */
const LEAST_WIDTH = 890;
const MOST_WIDTH = 2_000;
/** A character of a caption. */
const CHARACTER = 7;
/** How far a lane stays taken after the last mark in it. */
const MARGIN = 30;

/**
 * An endpoint's timeline on virtual time, as inline SVG. Its colours are classes that `timelineStyle` explains.
 * @param instants further instants that have a place on the axis, so that drawings can share one
 * @returns one `svg` element, with a sentence for those who cannot see it
 */
export function timelineSvg(excerpt: Excerpt, instants: readonly number[] = []): Html {
  const { timeline, marks } = excerpt;
  const now = Date.parse(timeline.now);
  const axis = compressedAxis([...instantsOf(excerpt, now), ...instants], LEAST_WIDTH, MOST_WIDTH);
  const captionOf = captionsOf(marks);
  // A lane is taken as long as its marks and the caption above them need room.
  const threads = layOut(marks, undefined, (thread) => ({
    from: axis.x(thread.from),
    to: Math.max(axis.x(thread.to) + MARGIN, axis.x(thread.from) + captionOf(thread).length * CHARACTER),
  }));
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

/** What lies beyond the present. */
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
