import { compressedScale, type TimeScale } from "../../../src/timeline/axis.ts";
import type { Mark } from "../../../src/timeline/marks.ts";
import { HOUR, MINUTE } from "../format.ts";

/** The layout of time, which shortens long gaps. */
export interface Scale extends TimeScale {
  /** The distance between the first and the last instant. */
  width: number;
  /** The minimum and maximum length of a view, in units of the scale. */
  shortest: number;
  longest: number;
  /** From this virtual time on, in milliseconds, the scale is complete. Before it, attempts may be missing. */
  since: number;
  /** The instants that have a line of their own on the axis. */
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

/** Attempts that are further apart than this belong to separate episodes. */
const EPISODE_GAP = 90 * MINUTE;

/** If an episode ended longer ago than this, the quiet period since then is not shown. */
const RECENT = 3 * HOUR;

export interface Fitted {
  /** The current time of the clock or, during an animation, its time after the advance. */
  now: number;
  /** The newest attempt that the line has reached during an animation. It is always kept in view. */
  newest?: number | undefined;
  /** The period of an outage or story. It is shown completely as long as it is the latest activity. */
  played?: Stretch | undefined;
  /** Whether to show everything rather than only the current episode. */
  all?: boolean;
  /** The width of the view in unscaled pixels; 0 until it is known. */
  width?: number;
}

/**
 * The current episode: from the first attempt of any open event to its last possible retry. If no event is open, the
 * latest episode, extended to now if it was recent. Skipped retries belong to no episode. During an animation, the
 * episode of the newest attempt takes precedence.
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

/** The margin as a fraction of the drawing. It is at least LEAST_MARGIN units, and enough pixels for half a mark. */
const MARGIN = 0.04;
const LEAST_MARGIN = 12;
const HALF_MARK = 26;
/** The width of a label such as `15 Jan 09:00`, and the maximum fraction of a view that is reserved for it. */
const DAY_LABEL = 120;
const MOST_MARGIN = 0.15;
/** If less than this would be cut off at the start, the view begins at the start of the scale. */
const CUT = 80;
/** Scales up to this width are always shown completely. */
const WHOLE = 640;

/** The number of pixels needed to show attempts that are one minute apart as two marks. */
const LEGIBLE = 1;

/**
 * The period that shows the current episode, or everything up to now if it fits, in units of the scale. If not all
 * planned retries fit, it shows the past and the next retry.
 */
export function fitTo(scale: Scale, marks: Mark[], fitted: Fitted): Stretch {
  const end = Math.max(scale.width, Math.ceil(scale.place(fitted.now)));
  const whole = end <= WHOLE || marks.length === 0 || fitted.all;
  const episode = episodeOf(marks, fitted);
  const begin = scale.place(episode.from);
  // Include marks shortly before the period, which would otherwise be cut off at the edge.
  const first = whole || begin < CUT ? 0 : begin;
  const last = whole || end - first <= WHOLE ? end : scale.place(episode.to);
  const next = marks.find(({ kind, at }) => kind === "planned" && at >= fitted.now)?.at ?? fitted.now;
  const made = Math.max(next, fitted.now, marks.findLast(({ kind }) => kind === "attempt")?.end ?? 0);
  const legible = fitted.all || !fitted.width ? Number.POSITIVE_INFINITY : first + fitted.width / LEGIBLE;
  const until = Math.min(last, Math.max(legible, scale.place(made)));
  const part = Math.max(MARGIN, fitted.width ? HALF_MARK / fitted.width : 0);
  const pad = Math.max(LEAST_MARGIN, (until - first) * part);
  // Leave room at the end for the date, and for the caption of an event that starts there.
  const day = fitted.width ? Math.min(DAY_LABEL / fitted.width, MOST_MARGIN) * (until - first) : 0;
  return { from: first - pad, to: until + Math.max(2.5 * pad, day) };
}

function* first(marks: Mark[], open: Set<string>): Generator<number> {
  for (const { eventId, at } of marks) if (open.has(eventId)) yield at;
}

/** Walks back from an instant as long as the marks are close together. */
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

/** Walks forward from an instant as long as the marks are close together. */
function episodeEnd(past: Mark[], instant: number): number {
  let last = instant;
  for (const { at, end } of past) if (at > last && at - last <= EPISODE_GAP) last = end;
  return last;
}
