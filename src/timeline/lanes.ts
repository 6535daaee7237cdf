import type { Mark } from "./marks.ts";

/** The default maximum number of lanes. An event without a free lane shares the last one. */
export const MOST_LANES = 10;

/** The maximum number of lanes on the page, where the user can scroll. */
export const MOST_LANES_OF_PAGE = 40;

/** An event on the timeline, from its first attempt to its last possible one, in virtual milliseconds. */
export interface Thread {
  eventId: string;
  event: string;
  from: number;
  /** The end of the latest attempt made. */
  made: number;
  to: number;
  lane: number;
  /** Whether every lane was occupied when it started. */
  crowded: boolean;
}

/** When a thread starts and stops occupying its lane. */
type Stay = (thread: Thread) => { from: number; to: number };

interface Layout {
  /** Returns when a thread occupies its lane, in any unit; by default, virtual milliseconds. */
  stay?: Stay;
  /** The number of visible lanes. Each event gets the lane that has been free the longest. */
  own?: number;
  most?: number;
  /** The lanes of the same events in another drawing; an event keeps that lane if it is free. */
  wanted?: ReadonlyMap<string, Thread> | undefined;
}

/**
 * Assigns each event a lane: a visible one if possible, or else, as in a profiler, the first one free when it starts.
 * Lanes depend only on the marks, so a live drawing matches one made from all data.
 * @param marks in chronological order
 */
export function layOut(
  marks: readonly Mark[],
  { stay = (thread) => thread, own = 0, most = MOST_LANES, wanted }: Layout = {},
): Map<string, Thread> {
  const threads = threadsOf(marks);
  const takenUntil: number[] = [];
  for (const thread of threads.values()) {
    const { from, to } = stay(thread);
    const isFree = (lane: number) => !(takenUntil[lane]! >= from);
    const asked = wanted?.get(thread.eventId)?.lane ?? longestFree(takenUntil, own);
    thread.lane = (asked !== undefined && isFree(asked) ? asked : firstFree(isFree, most)) ?? most - 1;
    thread.crowded = !isFree(thread.lane);
    takenUntil[thread.lane] = Math.max(takenUntil[thread.lane] ?? Number.NEGATIVE_INFINITY, to);
  }
  return threads;
}

/** The marks' events, ordered by their start. */
function threadsOf(marks: readonly Mark[]): Map<string, Thread> {
  const threads = new Map<string, Thread>();
  for (const { eventId, event, kind, at, end } of marks) {
    let thread = threads.get(eventId);
    if (!thread) {
      thread = { eventId, event, from: at, made: at, to: end, lane: -1, crowded: false };
      threads.set(eventId, thread);
    }
    thread.to = Math.max(thread.to, end);
    if (kind === "attempt") thread.made = Math.max(thread.made, end);
  }
  return threads;
}

/** The lane that has been free the longest; if several have been free equally long, the first. */
function longestFree(takenUntil: readonly number[], lanes: number): number | undefined {
  let found: number | undefined;
  for (let lane = 0; lane < lanes; lane += 1) {
    if (takenUntil[lane] === undefined) return lane;
    if (found === undefined || takenUntil[lane]! < takenUntil[found]!) found = lane;
  }
  return found;
}

function firstFree(isFree: (lane: number) => boolean, most: number): number | undefined {
  for (let lane = 0; lane < most; lane += 1) if (isFree(lane)) return lane;
  return undefined;
}

/** The number of lanes that the threads use, at least one. */
export function laneCount(threads: ReadonlyMap<string, Thread>): number {
  let most = 0;
  for (const { lane } of threads.values()) most = Math.max(most, lane);
  return most + 1;
}
