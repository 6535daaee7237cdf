import { type Group, groupMarks, mergeGroups, NEAR } from "../../../src/timeline/groups.ts";
import type { Thread } from "../../../src/timeline/lanes.ts";
import { countBefore, type Mark } from "../../../src/timeline/marks.ts";
import type { Timeline } from "../../api-types.ts";
import { toMs } from "../format.ts";
import type { Stretch } from "./fit.ts";

/** The groups in a lane that overlap a period of time. */
export function visible(groups: Group[], from: number, to: number): Group[] {
  const low = countBefore(groups, from);
  const first = low > 0 && groups[low - 1]!.end >= from ? low - 1 : low;
  let last = first;
  while (last < groups.length && groups[last]!.at <= to) last += 1;
  return groups.slice(first, last);
}

/** The maximum number of groups in a view. More could not be distinguished, and would be slow to draw. */
const MOST_SHOWN = 200;

/**
 * Groups each lane's marks for a scale. If a view would be too crowded, marks that are further apart are merged as
 * well. The groups do not depend on which part is visible, so panning never changes them.
 * @param places the position of each mark on the scale
 * @param size pixels per unit of the scale and the view's width, both in unscaled pixels
 */
export function groupToFit(
  marks: readonly Mark[],
  threads: ReadonlyMap<string, Thread>,
  places: readonly number[],
  { pixels, width }: { pixels: number; width: number },
): Group[][] {
  let groups = groupMarks(marks, threads, (_, index) => places[index]! * pixels);
  for (let near = 2 * NEAR; near < width && mostIn(groups, width) > MOST_SHOWN; near *= 2)
    groups = groups.map((lane) => mergeGroups(lane, near));
  return groups;
}

/** The approximate maximum number of groups in any view. */
function mostIn(lanes: readonly Group[][], width: number): number {
  const counts = new Map<number, number>();
  for (const groups of lanes)
    for (const { x } of groups ?? []) {
      const half = Math.floor((2 * x) / width);
      counts.set(half, (counts.get(half) ?? 0) + 1);
    }
  let most = 0;
  for (const [half, count] of counts) most = Math.max(most, count + (counts.get(half + 1) ?? 0));
  return most;
}

/** The number of attempts in a slice of time that succeeded, failed, are in progress or are planned. */
export interface Slice {
  good: number;
  bad: number;
  pending: number;
  ahead: number;
}

/**
 * Counts the attempts of a whole timeline in slices, for the scrubber.
 * @param earlier the numbers of attempts that have not been read
 */
export function densityOf(
  marks: Mark[],
  earlier: Timeline["earlier"]["slices"],
  { from, to }: Stretch,
  slices: number,
): Slice[] {
  const found = Array.from({ length: Math.max(1, slices) }, () => ({
    good: 0,
    bad: 0,
    pending: 0,
    ahead: 0,
  }));
  const width = (to - from) / found.length;
  const sliceAt = (at: number) =>
    found[Math.min(found.length - 1, Math.max(0, Math.floor((at - from) / width)))]!;
  for (const { from: start, to: end, success, failed, pending } of earlier) {
    const slice = sliceAt((toMs(start) + toMs(end)) / 2);
    slice.good += success;
    slice.bad += failed;
    slice.pending += pending;
  }
  for (const { at, kind, tone } of marks) {
    const slice = sliceAt(at);
    if (kind === "planned" || kind === "forecast") slice.ahead += 1;
    else if (kind === "attempt" && tone !== "none") slice[tone] += 1;
  }
  return found;
}
