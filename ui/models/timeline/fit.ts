import { compressedScale, type TimeScale } from "../../../src/story/axis.ts";
import type { Mark } from "../../../src/story/marks.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../format.ts";

/** How time is laid out: as long as it is, or long gaps drawn short. */
export interface Scale extends TimeScale {
  linear: boolean;
  /** The least and the most that a view shows, in the unit of its places. */
  shortest: number;
  longest: number;
  /** Since when everything is on it, virtual milliseconds: before, attempts may be missing. */
  since: number;
  /** The instants that have a line of their own; none on a linear scale. */
  instants: readonly number[];
}

const SHORTEST_WIDTH = 8;
const ROOM = 600;

/** Time as it is: places are virtual milliseconds. */
export const LINEAR: Scale = {
  linear: true,
  shortest: 4 * SECOND,
  longest: 400 * DAY,
  since: Number.NEGATIVE_INFINITY,
  instants: [],
  place: (at) => at,
  at: (place) => place,
};

export function compressed(
  wanted: readonly number[],
  since = Number.NEGATIVE_INFINITY,
): Scale & { width: number } {
  const scale = compressedScale(wanted);
  return { ...scale, linear: false, since, shortest: SHORTEST_WIDTH, longest: scale.width + ROOM };
}

export interface Stretch {
  from: number;
  to: number;
}

/** Attempts further apart than this belong to different episodes. */
const EPISODE_GAP = 90 * MINUTE;
const LONGEST = DAY;
const SHORTEST = 12 * MINUTE;

/** An episode that ended longer ago than this is shown without the quiet time since. */
const RECENT = 3 * HOUR;

/** The stretch of time that shows what goes on, with room around it, and rounded so that it stays put while the clock runs. */
export function fitTo(marks: Mark[], now: number): Stretch {
  const { from, to } = episodeOf(marks, now);
  return rounded(Math.max(from, to - LONGEST), to);
}

/**
 * What goes on: from the first attempt of what is still open to the last that may come; or else the latest episode, up
 * to now if that was recently.
 */
function episodeOf(marks: Mark[], now: number): Stretch {
  const open = new Set(marks.filter(({ kind }) => kind === "planned").map(({ eventId }) => eventId));
  const past = marks.filter(({ kind }) => kind === "attempt" || kind === "skipped");
  let from = now - 10 * MINUTE;
  let to = now + 10 * MINUTE;
  if (open.size > 0) {
    from = episodeStart(past, Math.min(...first(marks, open), now));
    to = Math.max(now, marks.at(-1)!.at);
  } else if (past.length > 0) {
    const { at, end } = past.at(-1)!;
    from = episodeStart(past, at);
    to = now - end < RECENT ? Math.max(now, end) : end;
  }
  return { from, to };
}

/** Around the drawing, as a part of it, and at least so many pixels of the usual size. */
const MARGIN = 0.04;
const LEAST_MARGIN = 12;
/** A scale up to this width is shown whole. */
const WHOLE = 640;

/** The same on a compressed scale, where everything and now are shown if there is room. In places of the scale. */
export function fitCompressed(scale: Scale & { width: number }, marks: Mark[], now: number): Stretch {
  const place = Math.ceil(scale.place(now));
  const end = Math.max(scale.width, place);
  const first = end <= WHOLE ? 0 : Math.max(0, scale.place(episodeOf(marks, now).from));
  const last = end <= WHOLE || marks.length === 0 ? end : Math.max(place, scale.place(marks.at(-1)!.at));
  const pad = Math.max(LEAST_MARGIN, (last - first) * MARGIN);
  // The name of an event that begins at the end needs room.
  return { from: first - pad, to: last + 2.5 * pad };
}

function* first(marks: Mark[], open: Set<string>): Generator<number> {
  for (const { eventId, at } of marks) if (open.has(eventId)) yield at;
}

/** Goes back from an instant as long as marks follow each other closely. */
function episodeStart(past: Mark[], instant: number): number {
  let start = instant;
  for (let index = past.length - 1; index >= 0; index -= 1) {
    const { at, end } = past[index]!;
    if (at >= start) continue;
    if (start - end > EPISODE_GAP) break;
    start = at;
  }
  return start;
}

function rounded(from: number, to: number): Stretch {
  const span = Math.max(to - from, SHORTEST);
  const unit = span > 6 * HOUR ? 30 * MINUTE : span > HOUR ? 5 * MINUTE : MINUTE;
  const pad = Math.max(span * 0.06, MINUTE);
  return { from: Math.floor((from - pad) / unit) * unit, to: Math.ceil((from + span + pad) / unit) * unit };
}

/**
 * How much time is drawn of what is seen, gaps that are torn included. A compressed scale has months in the few
 * pixels before its first instant and after its last, and nothing is drawn there.
 */
export function drawnSpan(seen: Stretch, { linear, instants }: Scale, now: number): number {
  if (linear) return seen.to - seen.from;
  const from = Math.max(seen.from, Math.min(instants[0] ?? now, now));
  const to = Math.min(seen.to, Math.max(instants.at(-1) ?? now, now));
  return Math.max(0, to - from);
}
