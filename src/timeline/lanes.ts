import type { Mark } from "./marks.ts";

/** The most lanes by default; an event that finds none free shares the last one. */
export const MOST_LANES = 10;

/** The most lanes of the page, where a person can scroll. */
export const MOST_LANES_OF_PAGE = 40;

/** An event's stay on the timeline, from its first attempt to the last that may come, in virtual milliseconds. */
export interface Thread {
  eventId: string;
  event: string;
  from: number;
  /** The end of the latest attempt; the rest is in the future. */
  made: number;
  to: number;
  lane: number;
  /** Whether every lane was occupied at its beginning. */
  crowded: boolean;
}

/** The beginning and end of a thread's need for its lane. */
type Stay = (thread: Thread) => { from: number; to: number };

interface Layout {
  /** Returns the stay in any unit; by default, virtual milliseconds. */
  stay?: Stay;
  /** How many lanes there is room for: each event takes the one that has been free for longest. */
  own?: number;
  /** The most lanes. */
  most?: number;
  /** Lanes of a drawing of the same events at another time: an event gets its lane from there while that is free. */
  wanted?: ReadonlyMap<string, Thread> | undefined;
}

/**
 * Gives each event a lane: one of those there is room for, or else, as a profiler does, the first free one at its beginning. The lanes follow only from the marks, so a
 * live drawing equals one of all data.
 * @param marks in order of time
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

/** The events of the marks, in the order of their beginnings. */
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

/** The lane that has been free for longest; of several, the first. */
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

/** The number of lanes of the threads, at least one. */
export function laneCount(threads: ReadonlyMap<string, Thread>): number {
  let most = 0;
  for (const { lane } of threads.values()) most = Math.max(most, lane);
  return most + 1;
}
