/** The time between two stops, in real milliseconds. */
const STEP_MS = 180;
/** The minimum and maximum duration of the animation of an advance that causes something. */
const LEAST_MS = 1_200;
const MOST_MS = 2_500;
/** The duration of an animation in which nothing happens. */
const SWEEP_MS = 600;
/** How long the line pauses where an endpoint is disabled, and the maximum number of pauses. */
const REST_MS = 600;
const MOST_RESTS = 3;

/** How an advance is animated: from stop to stop, with the same time between any two stops. */
export interface Score {
  /** Virtual times in milliseconds, ascending: the start, each instant at which something happened, and the end. */
  stops: number[];
  /** The indexes of the stops at which the line pauses, ascending. */
  rests: number[];
  /** The duration in real milliseconds. */
  duration: number;
}

/** What is shown at one moment of the animation, in virtual milliseconds. */
export interface Shown {
  line: number;
  /** The latest stop that has been reached. Anything later is not drawn yet. */
  until: number;
}

/**
 * @param instants when something happened, in any order
 * @param disabled when an endpoint was disabled, ascending; the line pauses there
 */
export function createScore(
  from: number,
  to: number,
  instants: Iterable<number>,
  disabled: Iterable<number> = [],
): Score {
  const between = [...new Set(instants)].filter((at) => at > from && at < to).sort((a, b) => a - b);
  const atEnd = [...instants].some((at) => at === to);
  const stops = [from, ...between, to];
  const quiet = between.length === 0 && !atEnd;
  const wanted = (stops.length - 1) * STEP_MS;
  const rests = [...new Set(disabled)].map((at) => stops.indexOf(at)).filter((place) => place > 0);
  const moving = quiet ? SWEEP_MS : Math.min(MOST_MS, Math.max(LEAST_MS, wanted));
  rests.length = Math.min(rests.length, MOST_RESTS);
  return { stops, rests, duration: moving + rests.length * REST_MS };
}

/** Slows down near stops and speeds up between them. */
const ease = (part: number): number => part * part * (3 - 2 * part);

/** @param elapsed real milliseconds since the animation started */
export function shownAt({ stops, rests, duration }: Score, elapsed: number): Shown {
  const last = stops.length - 1;
  const step = (duration - rests.length * REST_MS) / last;
  let moved = elapsed;
  for (const rest of rests) if (moved > rest * step) moved = Math.max(rest * step, moved - REST_MS);
  const place = Math.min(last, Math.max(0, moved / step));
  // Allow for rounding: a computed pause may be slightly before its stop.
  const index = Math.floor(place + 1e-9);
  const until = stops[index]!;
  if (index === last) return { line: until, until };
  return { line: until + (stops[index + 1]! - until) * ease(place - index), until };
}
