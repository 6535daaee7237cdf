import type { Mark } from "./marks.ts";

/** More lanes than this are not drawn; an event that finds none free shares the last one. */
export const MOST_LANES = 10;

/** So many events have a lane each on the page, whether or not one before them has ended. */
export const OWN_LANES = 6;

/** An event's stay on the timeline, from its first attempt to the last that may come, virtual milliseconds. */
export interface Thread {
  eventId: string;
  event: string;
  from: number;
  /** The end of the latest attempt; what is beyond lies ahead. */
  made: number;
  to: number;
  lane: number;
  /** Whether every lane was taken where it begins. */
  crowded: boolean;
}

/** Where a thread begins to need its lane, and where it leaves it to the next. */
type Stay = (thread: Thread) => { from: number; to: number };

interface Layout {
  /** In any unit; virtual milliseconds by default. */
  stay?: Stay;
  /** How many events have a lane each. */
  own?: number;
  /** Lanes of a drawing of the same events at another time: an event has its lane there while that is free. */
  wanted?: ReadonlyMap<string, Thread> | undefined;
}

/**
 * Gives each event a lane, as a profiler does: the first that is free where it begins. The lanes follow from the marks
 * alone, so what is drawn as data comes in is what is drawn of all of it.
 * @param marks in order of time
 */
export function layOut(
  marks: readonly Mark[],
  { stay = (thread) => thread, own = 0, wanted }: Layout = {},
): Map<string, Thread> {
  const threads = threadsOf(marks);
  const takenUntil: number[] = [];
  let index = 0;
  for (const thread of threads.values()) {
    const { from, to } = stay(thread);
    const isFree = (lane: number) => !(takenUntil[lane]! >= from);
    const asked = wanted?.get(thread.eventId)?.lane ?? (index < own ? index : undefined);
    thread.lane = (asked !== undefined && isFree(asked) ? asked : firstFree(isFree)) ?? MOST_LANES - 1;
    thread.crowded = !isFree(thread.lane);
    takenUntil[thread.lane] = Math.max(takenUntil[thread.lane] ?? Number.NEGATIVE_INFINITY, to);
    index += 1;
  }
  return threads;
}

/** The events of the marks, in the order in which they begin. */
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

function firstFree(isFree: (lane: number) => boolean): number | undefined {
  for (let lane = 0; lane < MOST_LANES; lane += 1) if (isFree(lane)) return lane;
  return undefined;
}

/** How many lanes the threads take, at least one. */
export function laneCount(threads: ReadonlyMap<string, Thread>): number {
  let most = 0;
  for (const { lane } of threads.values()) most = Math.max(most, lane);
  return most + 1;
}
