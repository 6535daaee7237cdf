import { compressedAxis } from "../../../src/timeline/axis.ts";
import { axisLines } from "../../../src/timeline/axis-labels.ts";
import { type Group, groupMarks } from "../../../src/timeline/groups.ts";
import { laneCount, layOut, type Thread } from "../../../src/timeline/lanes.ts";
import { type Mark, marksOf, namingLosses } from "../../../src/timeline/marks.ts";
import type { Timeline } from "../../api-types.ts";
import type { ExplorationFinding } from "./api.ts";

/** A character of a caption or an axis, pixels. */
const CHARACTER = 7;
/** How far a lane stays taken after the last mark in it, pixels. */
const MARGIN = 30;

/** An endpoint's timeline as it is drawn beside another one. */
export interface Drawing {
  lanes: number;
  threads: Thread[];
  groups: Group[];
}

/** Timelines on one axis; places are pixels. */
export interface Drawn {
  x: (at: number) => number;
  axis: { x: number; label: string | undefined; day: boolean }[];
  calm: Drawing;
  found: Drawing;
  /** Of the second endpoint with the same URL; null without one. */
  second: Drawing | null;
}

const instantsOf = (timeline: Timeline, marks: readonly Mark[]): number[] => [
  Date.parse(timeline.changes[0]?.at ?? timeline.now),
  Date.parse(timeline.now),
  ...marks.flatMap(({ at, end }) => [at, end]),
];

/** Lays out the calm run and the found one, of both endpoints if it has two, on the same axis. @param width pixels */
export function drawRuns(
  { timelines, lost }: Pick<ExplorationFinding, "timelines" | "lost">,
  width: number,
): Drawn {
  const calm = marksOf(timelines.calm);
  const foundMarks = (timeline: Timeline) => namingLosses(marksOf(timeline), lost);
  const found = foundMarks(timelines.found);
  const second = timelines.second && foundMarks(timelines.second);
  const axis = compressedAxis(
    [...instantsOf(timelines.calm, calm), ...instantsOf(timelines.found, [...found, ...(second ?? [])])],
    width,
    width,
  );
  const x = (at: number) => Math.round(axis.x(at));
  const draw = (marks: readonly Mark[]): Drawing => {
    const threads = layOut(marks, undefined, (thread) => ({
      from: axis.x(thread.from),
      to: Math.max(axis.x(thread.to) + MARGIN, axis.x(thread.from) + thread.event.length * CHARACTER),
    }));
    return {
      lanes: laneCount(threads),
      threads: [...threads.values()],
      groups: groupMarks(marks, threads, x).flat(),
    };
  };
  const room = { apart: 24, gap: 8, width: (label: string) => label.length * CHARACTER };
  return {
    x,
    axis: axisLines(axis.instants, x, room).map(({ x: place, label, day }) => ({
      x: place,
      label,
      day: day ?? false,
    })),
    calm: draw(calm),
    found: draw(found),
    second: second && draw(second),
  };
}
