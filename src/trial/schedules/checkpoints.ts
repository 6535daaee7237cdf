import type { CourierRun } from "./courier.ts";
import { platformKey, type Schedule } from "./schedule.ts";

/** A moment when nothing more is due. A person's next action depends on what reached the subscriber. */
export interface Halt {
  after: number;
  /** Whether a person has nothing left to retry. */
  settled: boolean;
}

/** The platform's progress in a run. */
export interface Progress {
  /** The number of the story's pauses so far; null once the story has ended. */
  story: number | null;
  /** How many deviations by a person have happened so far. */
  byHand: number;
  advances: number;
  /** The number of the first attempt after an outage; null before that attempt. */
  recovery: number | null;
  /** How many times a person has retried undelivered events at the end. */
  rounds: number;
  /** Whether there was nothing left to retry. */
  retriedAll: boolean;
  /** The events that the platform did not deliver because the endpoint was disabled. */
  skipped: readonly string[];
  halts: readonly Halt[];
}

/** A moment in the latest run from which another run with the same history can continue. */
export interface Checkpoint {
  run: CourierRun;
  attempts: number;
  pauses: number;
  progress: Progress;
  /** The part of the schedule that the platform has seen so far. */
  key: string;
  /** Restores the world as it was at that moment. */
  rewind: () => Promise<void>;
}

/** The latest run's checkpoints. A world can return only to its own past. */
export interface Checkpoints {
  add(schedule: Schedule, run: CourierRun, progress: Progress): Promise<void>;
  /** Call this before the world continues. */
  leave(): void;
  /** The latest checkpoint up to which a schedule's run looks the same to the platform. */
  latestOf(schedule: Schedule): Checkpoint | undefined;
  /** Restores the world to a checkpoint, or to its beginning if there isn't one. */
  goBack(to: Checkpoint | undefined): Promise<void>;
}

/**
 * @param mark marks the world's current moment and returns a function that restores it
 */
export function createCheckpoints(
  toBeginning: () => Promise<void>,
  mark: () => Promise<() => Promise<void>>,
): Checkpoints {
  const latest: Checkpoint[] = [];
  let isThere = false;
  return {
    async add(schedule, run, progress) {
      const attempts = run.attempts.length;
      latest.push({
        ...{ run, attempts, pauses: run.pauses, progress: { ...progress } },
        key: platformKey(schedule, attempts),
        rewind: await mark(),
      });
      isThere = true;
    },
    leave() {
      isThere = false;
    },
    latestOf: (schedule) => latest.findLast(({ attempts, key }) => key === platformKey(schedule, attempts)),
    async goBack(to) {
      if (to && isThere && to === latest.at(-1)) return;
      await (to ? to.rewind() : toBeginning());
      latest.length = to ? latest.indexOf(to) + 1 : 0;
    },
  };
}
