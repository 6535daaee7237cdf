import type { Mark } from "../../../src/story/marks.ts";
import type { Stretch } from "./fit.ts";

/** How many attempts went well, failed, are under way or are still to come, in a slice of the whole time. */
export interface Slice {
  good: number;
  bad: number;
  pending: number;
  ahead: number;
}

/** The whole of a timeline in so many slices: what the scrubber shows. */
export function densityOf(marks: Mark[], { from, to }: Stretch, slices: number): Slice[] {
  const found = Array.from({ length: Math.max(1, slices) }, () => ({
    good: 0,
    bad: 0,
    pending: 0,
    ahead: 0,
  }));
  const width = (to - from) / found.length;
  for (const { at, kind, tone } of marks) {
    const slice = found[Math.min(found.length - 1, Math.max(0, Math.floor((at - from) / width)))]!;
    if (kind === "planned" || kind === "forecast") slice.ahead += 1;
    else if (kind === "attempt" && tone !== "none") slice[tone] += 1;
  }
  return found;
}
