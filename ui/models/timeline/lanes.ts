import type { Mark } from "./marks.ts";

/** More lanes than this are not drawn; what has no lane of its own shares the last one. */
export const MOST_LANES = 10;

/** An event's stay on the timeline: from its first attempt to the last that may come. */
export interface Thread {
  eventId: string;
  event: string;
  from: number;
  /** The end of the latest attempt; what is beyond lies ahead. */
  made: number;
  to: number;
  lane: number;
}

/** The events of the marks, in the order in which they begin. */
function threadsOf(marks: Mark[]): Map<string, Thread> {
  const threads = new Map<string, Thread>();
  for (const { eventId, event, kind, at, end } of marks) {
    let thread = threads.get(eventId);
    if (!thread) {
      thread = { eventId, event, from: at, made: at, to: end, lane: -1 };
      threads.set(eventId, thread);
    }
    thread.to = Math.max(thread.to, end);
    if (kind === "attempt") thread.made = Math.max(thread.made, end);
  }
  return threads;
}

/**
 * Gives each event a lane, as a profiler does: the first that is free when it begins. An event keeps the lane it
 * was once given, so that nothing moves as data comes in.
 * @param kept the lanes given so far; it is added to
 */
export function layOut(marks: Mark[], kept: Map<string, number>): Map<string, Thread> {
  const threads = threadsOf(marks);
  const takenUntil: number[] = [];
  for (const thread of threads.values()) {
    const lane = kept.get(thread.eventId) ?? firstFree(takenUntil, thread.from);
    kept.set(thread.eventId, lane);
    thread.lane = lane;
    takenUntil[lane] = Math.max(takenUntil[lane] ?? Number.NEGATIVE_INFINITY, thread.to);
  }
  for (const id of kept.keys()) if (!threads.has(id)) kept.delete(id);
  return threads;
}

function firstFree(takenUntil: number[], from: number): number {
  for (let lane = 0; lane < MOST_LANES; lane += 1)
    if ((takenUntil[lane] ?? Number.NEGATIVE_INFINITY) < from) return lane;
  return MOST_LANES - 1;
}
