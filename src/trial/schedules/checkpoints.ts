import type { CourierRun } from "./courier.ts";
import { platformKey, type Schedule } from "./schedule.ts";

/** A moment at which nothing more is due. What a person does then depends on what reached the subscriber. */
export interface Halt {
  /** The number of attempts before it. */
  after: number;
  /** Whether a person has nothing left to retry. */
  settled: boolean;
}

/** How far the platform is in a run. */
export interface Progress {
  /** How many pauses of the story are behind it; null once the story has ended. */
  story: number | null;
  /** How many deviations that a person is the cause of are behind it. */
  byHand: number;
  /** How often the clock was advanced to what is due next. */
  advances: number;
  /** The number of the first attempt after an outage; null before it. */
  recovery: number | null;
  /** How often a person retried what was undelivered at the end. */
  rounds: number;
  /** Whether there was nothing left to retry. */
  retriedAll: boolean;
  /** The events that the platform did not try to deliver, as the endpoint was disabled. */
  skipped: readonly string[];
  halts: readonly Halt[];
}

/** A moment of the run that was played last, at which another one can go on that was the same until then. */
export interface Checkpoint {
  run: CourierRun;
  /** How many attempts are behind it. */
  attempts: number;
  pauses: number;
  progress: Progress;
  /** What the platform has seen of the schedule. */
  key: string;
  /** Takes the world back there. */
  rewind: () => Promise<void>;
}

/** The checkpoints of the run that was played last: a world can go back to where it was, but not to another past. */
export interface Checkpoints {
  /** Adds the present moment of a run. */
  add(schedule: Schedule, run: CourierRun, progress: Progress): Promise<void>;
  /** Is called before the world moves on. */
  leave(): void;
  /** The latest checkpoint until which a run of the schedule is the same for the platform. */
  latestOf(schedule: Schedule): Checkpoint | undefined;
  /** Takes the world back; to its beginning without a checkpoint. */
  goBack(to: Checkpoint | undefined): Promise<void>;
}

/** @param mark marks the present moment of the world. @returns what takes it back there */
export function createCheckpoints(
  toBeginning: () => Promise<void>,
  mark: () => Promise<() => Promise<void>>,
): Checkpoints {
  const latest: Checkpoint[] = [];
  /** Whether the world is at the latest one. */
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
