/** How long the way to an event takes, real milliseconds. */
const STEP_MS = 180;
/** An advance that causes something takes this long to show, at least and at most. */
const LEAST_MS = 1_200;
const MOST_MS = 2_500;
/** One in which nothing happens is a sweep of the line. */
const SWEEP_MS = 600;
/** So long the line rests where an endpoint is disabled, and at so many such places at most. */
const REST_MS = 600;
const MOST_RESTS = 3;

/** How an advance is shown: from stop to stop, in the same time each. */
export interface Score {
  /** Virtual milliseconds, in order: where it begins, each instant at which something happened, and where it ends. */
  stops: number[];
  /** The stops at which the line rests, by their places in the list, in order. */
  rests: number[];
  /** Real milliseconds. */
  duration: number;
}

/** What is shown at a moment of a score, virtual milliseconds. */
export interface Shown {
  line: number;
  /** The latest stop that it reached: nothing later is drawn. */
  until: number;
}

/**
 * @param instants at which something happened, in any order
 * @param disabled those at which an endpoint was disabled, in order: the line rests there
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

/** Slow where something happens, fast between. */
const ease = (part: number): number => part * part * (3 - 2 * part);

/** @param elapsed real milliseconds since it began */
export function shownAt({ stops, rests, duration }: Score, elapsed: number): Shown {
  const last = stops.length - 1;
  const step = (duration - rests.length * REST_MS) / last;
  let moved = elapsed;
  for (const rest of rests) if (moved > rest * step) moved = Math.max(rest * step, moved - REST_MS);
  const place = Math.min(last, Math.max(0, moved / step));
  // A rest is a product of the step: it may come out a little before its stop.
  const index = Math.floor(place + 1e-9);
  const until = stops[index]!;
  if (index === last) return { line: until, until };
  return { line: until + (stops[index + 1]! - until) * ease(place - index), until };
}
