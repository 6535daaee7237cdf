import { type Excerpt, excerptOf } from "../../reports/timeline/excerpt.ts";
import { instantsOf } from "../../timeline/contents.ts";
import { namingLosses } from "../../timeline/marks.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import { deviationIn } from "../schedules/deviations/index.ts";
import { type Level, sumOfCounts } from "../schedules/exploration.ts";
import type { DrawnRun, EndpointTimeline } from "../schedules/run.ts";
import { comparedIn } from "./verdict.ts";

/** A level, plus the number of schedules whose state was compared. */
export const levelView = (level: Level) => ({
  ...{ deviations: level.deviations, schedules: level.schedules, ...sumOfCounts([level]) },
  compared: comparedIn([level]),
});

/** An exploration's timelines: the calm run above the found run. */
interface Drawings {
  /** All instants on the shared axis. */
  instants: number[];
  drawings: { title: string; excerpt: Excerpt }[];
}

export function drawingsOf(calm: DrawnRun, found: DrawnRun): Drawings {
  const asFound = (title: string, timeline: EndpointTimeline) => {
    const whole = excerptOf(timeline);
    return { title, excerpt: { ...whole, marks: namingLosses(whole.marks, lostOf(found.attempts)) } };
  };
  const drawings = [
    { title: "When everything goes well", excerpt: excerptOf(calm.timeline) },
    asFound("As found", found.timeline),
    ...(found.second ? [asFound("As found: the second endpoint", found.second)] : []),
  ];
  const instants = drawings.flatMap(({ excerpt }) => instantsOf(excerpt, Date.parse(excerpt.timeline.now)));
  return { instants, drawings };
}

const lostOf = (attempts: readonly SentAttempt[]): string[] =>
  attempts.filter((sent) => deviationIn(sent)?.isLoss).map(({ id }) => id);
