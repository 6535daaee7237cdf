import { compressedScale, type TimeScale } from "../../../src/timeline/axis.ts";
import type { Mark } from "../../../src/timeline/marks.ts";
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

/** What a view is fitted to. */
export interface Fitted {
  /** Where the clock is, or will be once an advance has been played. */
  now: number;
  /** The newest attempt that the line has reached while an advance is played: it is never out of sight. */
  newest?: number | undefined;
  /** Whether everything is shown, and not only what goes on. */
  all?: boolean;
  /** The width of the view, pixels of the usual size; 0 before it is known. */
  width?: number;
}

/** The stretch of time that shows what goes on, with room around it, and rounded so that it stays put while the clock runs. */
export function fitTo(marks: Mark[], fitted: Fitted): Stretch {
  const { from, to } = episodeOf(marks, fitted);
  return rounded(fitted.all ? from : Math.max(from, to - LONGEST), to);
}

/**
 * What goes on: from the first attempt of what is still open to the last that may come; or else the latest episode, up
 * to now if that was recently. Retries that are not made belong to no episode. While an advance is played, the episode
 * of the newest attempt comes first.
 */
function episodeOf(marks: Mark[], { now, newest, all }: Fitted): Stretch {
  const open = new Set(marks.filter(({ kind }) => kind === "planned").map(({ eventId }) => eventId));
  const past = marks.filter(({ kind }) => kind === "attempt");
  let from = now - 10 * MINUTE;
  let to = now + 10 * MINUTE;
  if (all && marks.length > 0)
    return { from: Math.min(marks[0]!.at, now), to: Math.max(marks.at(-1)!.at, now) };
  if (open.size > 0) {
    from = episodeStart(past, Math.min(...first(marks, open), now));
    to = Math.max(now, marks.at(-1)!.at);
  } else if (past.length > 0) {
    const { at, end } = past.at(-1)!;
    from = episodeStart(past, at);
    to = now - end < RECENT ? Math.max(now, end) : end;
  }
  if (newest !== undefined && newest < from)
    return { from: episodeStart(past, newest), to: episodeEnd(past, newest) };
  return { from, to };
}

/** Around the drawing, as a part of it; at least so many places, and pixels enough for half a mark. */
const MARGIN = 0.04;
const LEAST_MARGIN = 12;
const HALF_MARK = 26;
/** A scale up to this width is shown whole. */
const WHOLE = 640;

/** The same on a compressed scale, where everything and now are shown if there is room. In places of the scale. */
export function fitCompressed(scale: Scale & { width: number }, marks: Mark[], fitted: Fitted): Stretch {
  const end = Math.max(scale.width, Math.ceil(scale.place(fitted.now)));
  const whole = end <= WHOLE || marks.length === 0 || fitted.all;
  const episode = episodeOf(marks, fitted);
  const first = whole ? 0 : Math.max(0, scale.place(episode.from));
  const last = whole || end - first <= WHOLE ? end : scale.place(episode.to);
  const part = Math.max(MARGIN, fitted.width ? HALF_MARK / fitted.width : 0);
  const pad = Math.max(LEAST_MARGIN, (last - first) * part);
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

/** Goes on from an instant as long as marks follow each other closely. */
function episodeEnd(past: Mark[], instant: number): number {
  let last = instant;
  for (const { at, end } of past) if (at > last && at - last <= EPISODE_GAP) last = end;
  return last;
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
