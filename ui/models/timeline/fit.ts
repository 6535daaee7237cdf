import { compressedScale, type TimeScale } from "../../../src/timeline/axis.ts";
import type { Mark } from "../../../src/timeline/marks.ts";
import { HOUR, MINUTE } from "../format.ts";

/** How time is laid out: long gaps are drawn short. */
export interface Scale extends TimeScale {
  /** From the first instant to the last. */
  width: number;
  /** The least and the most that a view shows, in the unit of its places. */
  shortest: number;
  longest: number;
  /** Since when everything is on it, virtual milliseconds: before, attempts may be missing. */
  since: number;
  /** The instants that have a line of their own. */
  instants: readonly number[];
}

const SHORTEST_WIDTH = 8;
const ROOM = 600;

export function compressed(wanted: readonly number[], since = Number.NEGATIVE_INFINITY): Scale {
  const scale = compressedScale(wanted);
  return { ...scale, since, shortest: SHORTEST_WIDTH, longest: scale.width + ROOM };
}

export interface Stretch {
  from: number;
  to: number;
}

/** Attempts further apart than this belong to different episodes. */
const EPISODE_GAP = 90 * MINUTE;

/** An episode that ended longer ago than this is shown without the quiet time since. */
const RECENT = 3 * HOUR;

export interface Fitted {
  /** Where the clock is, or will be once an advance has been played. */
  now: number;
  /** The newest attempt that the line has reached while an advance is played: it is never out of sight. */
  newest?: number | undefined;
  /** An outage or a story that was played: while it is the latest, it is shown whole. */
  played?: Stretch | undefined;
  /** Whether everything is shown, and not only what goes on. */
  all?: boolean;
  /** The width of the view, pixels of the usual size; 0 before it is known. */
  width?: number;
}

/**
 * What goes on: from the first attempt of what is still open to the last that may come; or else the latest episode, up
 * to now if that was recently. Retries that are not made belong to no episode. While an advance is played, the episode
 * of the newest attempt comes first.
 */
function episodeOf(marks: Mark[], { now, newest, played, all }: Fitted): Stretch {
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
  if (!played || (past.at(-1)?.at ?? 0) > played.to) return { from, to };
  return { from: Math.min(from, played.from), to: Math.max(to, played.to) };
}

/** Around the drawing, as a part of it; at least so many places, and pixels enough for half a mark. */
const MARGIN = 0.04;
const LEAST_MARGIN = 12;
const HALF_MARK = 26;
/** The width of `15 Jan 09:00`, and the most of a view that is left free for it. */
const DAY_LABEL = 120;
const MOST_MARGIN = 0.15;
/** Less than this before the beginning of the scale, the view begins with the scale. */
const CUT = 80;
/** A scale up to this width is shown whole. */
const WHOLE = 640;

/** The width in pixels that shows attempts a minute apart as two. */
const LEGIBLE = 1;

/**
 * The stretch that shows what goes on, or everything and now if there is room. In places of the scale. Where there is no room for
 * all that may come, what has happened and the next retry have the width.
 */
export function fitTo(scale: Scale, marks: Mark[], fitted: Fitted): Stretch {
  const end = Math.max(scale.width, Math.ceil(scale.place(fitted.now)));
  const whole = end <= WHOLE || marks.length === 0 || fitted.all;
  const episode = episodeOf(marks, fitted);
  const begin = scale.place(episode.from);
  // What came shortly before would be cut at the edge.
  const first = whole || begin < CUT ? 0 : begin;
  const last = whole || end - first <= WHOLE ? end : scale.place(episode.to);
  const next = marks.find(({ kind, at }) => kind === "planned" && at >= fitted.now)?.at ?? fitted.now;
  const made = Math.max(next, fitted.now, marks.findLast(({ kind }) => kind === "attempt")?.end ?? 0);
  const legible = fitted.all || !fitted.width ? Number.POSITIVE_INFINITY : first + fitted.width / LEGIBLE;
  const until = Math.min(last, Math.max(legible, scale.place(made)));
  const part = Math.max(MARGIN, fitted.width ? HALF_MARK / fitted.width : 0);
  const pad = Math.max(LEAST_MARGIN, (until - first) * part);
  // The name of an event that begins at the end needs room, and so does the day.
  const day = fitted.width ? Math.min(DAY_LABEL / fitted.width, MOST_MARGIN) * (until - first) : 0;
  return { from: first - pad, to: until + Math.max(2.5 * pad, day) };
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
