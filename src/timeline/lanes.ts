import type { Mark } from "./marks.ts";

/** More lanes than this are not drawn; an event that finds none free shares the last one. */
export const MOST_LANES = 10;

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

/**
 * Gives each event a lane, as a profiler does: the first that is free where it begins. An event stays in the lane that
 * it first got, so that nothing moves as data comes in. Events older than all of those get the first lane that is free
 * where they end.
 * @param marks in order of time
 * @param lanes the lanes of events that have one; the others are added
 * @param stay in any unit; virtual milliseconds by default
 */
export function layOut(
  marks: readonly Mark[],
  lanes = new Map<string, number>(),
  stay: Stay = (thread) => thread,
): Map<string, Thread> {
  const threads = threadsOf(marks);
  layOutOlder([...threads.values()], lanes, stay);
  const takenUntil: number[] = [];
  for (const thread of threads.values()) {
    const { from, to } = stay(thread);
    thread.lane =
      lanes.get(thread.eventId) ?? firstFree((lane) => !(takenUntil[lane]! >= from)) ?? MOST_LANES - 1;
    thread.crowded = takenUntil[thread.lane]! >= from;
    lanes.set(thread.eventId, thread.lane);
    takenUntil[thread.lane] = Math.max(takenUntil[thread.lane] ?? Number.NEGATIVE_INFINITY, to);
  }
  for (const id of lanes.keys()) if (!threads.has(id)) lanes.delete(id);
  return threads;
}

/** Gives lanes to the events that begin before every one that has a lane, from the latest to the oldest. */
function layOutOlder(threads: readonly Thread[], lanes: Map<string, number>, stay: Stay): void {
  const older = threads.findIndex(({ eventId }) => lanes.has(eventId));
  if (older <= 0) return;
  const takenFrom: number[] = [];
  const take = (thread: Thread, lane: number) => {
    takenFrom[lane] = Math.min(takenFrom[lane] ?? Number.POSITIVE_INFINITY, stay(thread).from);
  };
  for (const thread of threads.slice(older)) {
    const lane = lanes.get(thread.eventId);
    if (lane !== undefined) take(thread, lane);
  }
  for (const thread of threads.slice(0, older).reverse()) {
    const { to } = stay(thread);
    const lane = firstFree((one) => !(takenFrom[one]! <= to)) ?? MOST_LANES - 1;
    lanes.set(thread.eventId, lane);
    take(thread, lane);
  }
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
