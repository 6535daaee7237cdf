import type { Axis } from "./axis.ts";
import type { Mark, MarkTone } from "./marks.ts";

/** More lanes than this are not drawn; what finds no room shares the last one. */
export const MOST_LANES = 12;
/** Marks of a lane nearer to each other than this are drawn as one, pixels. */
const NEAR = 10;
/** A mark has its code written in it when so much room is left to its neighbours. */
const ROOM = 37;
/** How far a lane stays taken after the last mark in it. */
const MARGIN = 30;
/** A character of a caption. */
const CHARACTER = 7;

/** An event's stay on the timeline, from its first attempt to the last that may come: where, in pixels. */
export interface Thread {
  lane: number;
  from: number;
  /** Where the latest attempt ended; what is beyond lies ahead. */
  made: number;
  to: number;
  /** Its event; empty where it has to share a lane. */
  caption: string;
}

/** One or more marks that are drawn as one thing. */
export interface Group {
  lane: number;
  x: number;
  marks: Mark[];
  tone: MarkTone;
  roomy: boolean;
}

export interface Lanes {
  threads: Thread[];
  groups: Group[];
  /** How many there are. */
  count: number;
  /** How many events have to share the last one. */
  sharing: number;
}

/**
 * Gives each event a lane, as a profiler does: the first that is free where it begins; and groups what would be
 * drawn upon each other.
 * @param marks in order of time
 * @param captionOf what is written above an event's marks
 */
export function layOut(marks: readonly Mark[], axis: Axis, captionOf: (mark: Mark) => string): Lanes {
  const threads = new Map<string, Thread>();
  const places = marks.map(({ at }) => Math.round(axis.x(at)));
  marks.forEach((mark, index) => {
    const { eventId, kind, end } = mark;
    const x = places[index]!;
    const until = Math.round(axis.x(end));
    let thread = threads.get(eventId);
    if (!thread) {
      thread = { lane: -1, from: x, made: x, to: until, caption: captionOf(mark) };
      threads.set(eventId, thread);
    }
    thread.to = Math.max(thread.to, until);
    if (kind === "attempt") thread.made = Math.max(thread.made, until);
  });

  const takenUntil: number[] = [];
  let crowded = false;
  for (const thread of threads.values()) {
    const free = firstFree(takenUntil, thread.from);
    thread.lane = free ?? MOST_LANES - 1;
    crowded ||= free === undefined;
    const written = thread.from + thread.caption.length * CHARACTER;
    takenUntil[thread.lane] = Math.max(takenUntil[thread.lane] ?? 0, thread.to + MARGIN, written);
  }
  const sharing = crowded ? [...threads.values()].filter(({ lane }) => lane === MOST_LANES - 1) : [];
  for (const thread of sharing) thread.caption = "";
  return {
    threads: [...threads.values()],
    groups: group(marks, places, (mark) => threads.get(mark.eventId)!.lane),
    count: Math.max(1, takenUntil.length),
    sharing: sharing.length,
  };
}

function firstFree(takenUntil: number[], from: number): number | undefined {
  for (let lane = 0; lane < MOST_LANES; lane += 1)
    if ((takenUntil[lane] ?? Number.NEGATIVE_INFINITY) < from) return lane;
  return undefined;
}

/** What can share a drawing: attempts with attempts, ghosts with ghosts. */
const family = ({ kind }: Mark): string => (kind === "attempt" || kind === "skipped" ? kind : "ghost");
const BADNESS: MarkTone[] = ["none", "good", "pending", "bad"];

function group(marks: readonly Mark[], places: number[], laneOf: (mark: Mark) => number): Group[] {
  const groups: Group[] = [];
  const open: Group[] = [];
  marks.forEach((mark, index) => {
    const lane = laneOf(mark);
    const x = places[index]!;
    const last = open[lane];
    const away = last ? x - last.x : Number.POSITIVE_INFINITY;
    if (last && away < NEAR && family(last.marks[0]!) === family(mark)) {
      last.marks.push(mark);
      if (BADNESS.indexOf(mark.tone) > BADNESS.indexOf(last.tone)) last.tone = mark.tone;
      return;
    }
    // That the rest is not made is told where the last attempt is, if that is just here.
    if (last && mark.kind === "skipped" && last.marks[0]!.kind === "attempt" && away < ROOM / 2) return;
    if (last) last.roomy &&= away >= ROOM;
    const next: Group = { lane, x, marks: [mark], tone: mark.tone, roomy: away >= ROOM };
    groups.push(next);
    open[lane] = next;
  });
  return groups;
}
