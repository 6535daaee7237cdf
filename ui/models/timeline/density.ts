import type { Mark } from "../../../src/story/marks.ts";
import type { Timeline } from "../../api-types.ts";
import { toMs } from "../format.ts";
import type { Stretch } from "./fit.ts";

/** How many attempts went well, failed, are under way or are still to come, in a slice of the whole time. */
export interface Slice {
  good: number;
  bad: number;
  pending: number;
  ahead: number;
}

/**
 * The whole of a timeline in so many slices: what the scrubber shows.
 * @param earlier what was counted of attempts that are not read
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
