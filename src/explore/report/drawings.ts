import { type Excerpt, excerptOf } from "../../reports/timeline/excerpt.ts";
import { instantsOf } from "../../story/contents.ts";
import type { SentAttempt } from "../attempt.ts";
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
    { title: "As found", excerpt: namingLosses(excerptOf(found.timeline), found.attempts) },
  ];
  const instants = drawings.flatMap(({ excerpt }) => instantsOf(excerpt, Date.parse(excerpt.timeline.now)));
  return { instants, drawings };
}

const LOSSES = new Set<SentAttempt["deviation"]>(["lost", "answer-lost", "outage"]);

/** The platform saw a connection that failed. Here the reader is shown why: the schedule lost the request or its answer. */
function namingLosses(excerpt: Excerpt, attempts: readonly SentAttempt[]): Excerpt {
  const lost = new Set<string | undefined>(
    attempts.filter(({ deviation }) => LOSSES.has(deviation)).map(({ id }) => id),
  );
  const marks = excerpt.marks.map((mark) => (lost.has(mark.deliveryId) ? { ...mark, label: "lost" } : mark));
  return { ...excerpt, marks };
}
