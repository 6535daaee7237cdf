import { deviationOf } from "./deviations/index.ts";
import type { Schedule } from "./schedule.ts";

/** One of several equal parts of all schedules; the first has the index 1. */
export interface Share {
  index: number;
  count: number;
}

/**
 * The schedules of one part. All parts have about the same number of requests, because each request has to be waited for if the
 * subscriber works on after its answers.
 * @param schedules those with one deviation
 * @param attempts the number in the calm run
 */
export function shareOf(
  schedules: readonly Schedule[],
  attempts: number,
  { index, count }: Share,
): Schedule[] {
  const requestsIn = ([one]: Schedule): number =>
    attempts + { one: 1, all: attempts, none: 0 }[deviationOf(one!.kind).copies ?? "none"];
  const parts = Array.from({ length: count }, () => ({ requests: 0, own: new Set<Schedule>() }));
  // Assign the largest first, each to the part with the least so far.
  for (const schedule of schedules.toSorted((one, other) => requestsIn(other) - requestsIn(one))) {
    const part = parts.reduce((least, next) => (next.requests < least.requests ? next : least));
    part.requests += requestsIn(schedule);
    part.own.add(schedule);
  }
  return schedules.filter((schedule) => parts[index - 1]!.own.has(schedule));
}
