/** How long the way to an event takes, real milliseconds. */
const STEP_MS = 180;
/** An advance that causes something takes this long to show, at least and at most. */
const LEAST_MS = 1_200;
const MOST_MS = 2_500;
/** One in which nothing happens is a sweep of the line. */
const SWEEP_MS = 600;

/** How an advance is shown: from stop to stop, in the same time each. */
export interface Score {
  /** Virtual milliseconds, in order: where it begins, each instant at which something happened, and where it ends. */
  stops: number[];
  /** Real milliseconds. */
  duration: number;
}

/** What is shown at a moment of a score, virtual milliseconds. */
export interface Shown {
  /** Where the line is. */
  line: number;
  /** The latest stop that it reached: nothing later is drawn. */
  until: number;
}

/** @param instants at which something happened, in any order */
export function createScore(from: number, to: number, instants: Iterable<number>): Score {
  const between = [...new Set(instants)].filter((at) => at > from && at < to).sort((a, b) => a - b);
  const atEnd = [...instants].some((at) => at === to);
  const stops = [from, ...between, to];
  const quiet = between.length === 0 && !atEnd;
  const wanted = (stops.length - 1) * STEP_MS;
  return { stops, duration: quiet ? SWEEP_MS : Math.min(MOST_MS, Math.max(LEAST_MS, wanted)) };
}

/** Slow where something happens, fast between. */
const ease = (part: number): number => part * part * (3 - 2 * part);

/** @param elapsed real milliseconds since it began */
export function shownAt({ stops, duration }: Score, elapsed: number): Shown {
  const last = stops.length - 1;
  const place = Math.min(last, Math.max(0, (elapsed / duration) * last));
  const index = Math.floor(place);
  const until = stops[index]!;
  if (index === last) return { line: until, until };
  return { line: until + (stops[index + 1]! - until) * ease(place - index), until };
}
