import { type Excerpt, excerptOf } from "../../reports/timeline/excerpt.ts";
import { instantsOf } from "../../story/contents.ts";
import type { DrawnRun } from "../exploration.ts";

/** What is drawn of an exploration with a finding: the calm run above the found one. */
export interface Drawings {
  /** Everything that has a place on the axis that both share. */
  instants: number[];
  drawings: { title: string; excerpt: Excerpt }[];
}

export function drawingsOf(calm: DrawnRun, found: DrawnRun): Drawings {
  const drawings = [
    { title: "When everything goes well", excerpt: excerptOf(calm.timeline) },
    { title: "As found", excerpt: excerptOf(found.timeline) },
  ];
  const instants = drawings.flatMap(({ excerpt }) => instantsOf(excerpt, Date.parse(excerpt.timeline.now)));
  return { instants, drawings };
}
