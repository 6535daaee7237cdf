import { lacksRoom } from "../errors/disk-full.ts";
import { wallTimer } from "./clock.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import type { Store } from "./store.ts";

/**
 * If no other outcome arrives for this many real milliseconds, the outcomes so far are shown, because the rest may take
 * a while.
 */
const SHOWS_AFTER_MS = 20;

export interface Outcome {
  /** Writes only the response, which depends on no other job, so that readers see it while the group is still open. */
  show?: () => void;
  /** Writes the response and everything that follows from it. */
  commit: () => void;
}

/** Work that waits for the outside world, for example an HTTP request in progress. */
export interface Job {
  /** Resolves when the outside world has responded. It never rejects. */
  outcome: Promise<Outcome>;
  /** Gives the job at most `ms` more real milliseconds, after which it counts as timed out. */
  hurry(ms: number): void;
}

/** Jobs whose outcomes are written together. */
export interface JobGroup {
  jobs: Job[];
  /**
   * Shows outcomes while other jobs are open. Resolves once all are committed, in one transaction, in the order in
   * which the jobs were added; with false if they were dropped, because the world was restored or ended in the
   * meantime.
   */
  settle(): Promise<boolean>;
}

export type Jobs = ReturnType<typeof createJobs>;

/** @param settleTimeout real milliseconds that a job gets once a caller waits for quiet */
export function createJobs(store: Store, journal: Journal, settleTimeout: number) {
  const inFlight = new Set<Job[]>();
  const whenQuieter: (() => void)[] = [];
  /** Increases when the world is restored or ends: earlier outcomes then write nothing. */
  let epoch = 0;
  /** Outcomes that could not be written because there was no room, with their epoch. */
  let late: { born: number; write: () => void }[] = [];

  /** @param ledger gets the entries that the outcomes cause */
  function open(ledger?: JournalEntry[]): JobGroup {
    const born = epoch;
    const jobs: Job[] = [];
    inFlight.add(jobs);
    const early = showEarly(store, () => born === epoch);

    return {
      jobs,
      async settle() {
        try {
          const outcomes = await Promise.all(jobs.map(early.outcomeOf));
          if (born !== epoch) return false;
          const write = () =>
            store.transaction(() => {
              for (const { commit } of outcomes) commit();
            });
          try {
            journal.collect(ledger, write);
          } catch (error) {
            if (lacksRoom(error)) late.push({ born, write });
            throw error;
          }
          return true;
        } finally {
          early.cancel();
          inFlight.delete(jobs);
          for (const resolve of whenQuieter.splice(0)) resolve();
        }
      },
    };
  }

  function hurry(ms: number): void {
    for (const jobs of inFlight) for (const job of jobs) job.hurry(ms);
  }

  return {
    open,

    get busy(): boolean {
      return inFlight.size > 0;
    },

    get count(): number {
      let count = 0;
      for (const jobs of inFlight) count += jobs.length;
      return count;
    },

    /** Starts jobs as a separate group; their outcomes are written once all have arrived. Resolves like `settle`. */
    async launch(starts: readonly (() => Job)[]): Promise<boolean> {
      const jobs = starts.map((start) => start());
      const group = open();
      group.jobs.push(...jobs);
      return group.settle();
    },

    /** Waits until no job is in progress. Jobs get at most `settleTimeout` more. */
    async quiet(): Promise<void> {
      while (inFlight.size > 0) {
        hurry(settleTimeout);
        await new Promise<void>((resolve) => void whenQuieter.push(resolve));
      }
    },

    /** Writes the outcomes that did not fit before. If there is still no room, they keep waiting. */
    writeLate(): void {
      const outcomes = late;
      late = [];
      for (const outcome of outcomes)
        try {
          if (outcome.born === epoch) outcome.write();
        } catch (error) {
          if (!lacksRoom(error)) throw error;
          late.push(outcome);
        }
    },

    /** Discards everything in progress without writing it. */
    drop(): void {
      epoch += 1;
      late = [];
      hurry(0);
    },
  };
}

/**
 * Shows outcomes of a group, in the order they arrived, while others are open. @param isCurrent whether they still
 * count
 */
function showEarly(store: Store, isCurrent: () => boolean) {
  let unseen: Outcome[] = [];
  let cancel = () => {};

  function showUnseen(): void {
    const outcomes = unseen;
    unseen = [];
    if (!isCurrent()) return;
    try {
      store.transaction(() => {
        for (const { show } of outcomes) show?.();
      });
    } catch {
      // The commit will run into the same error and report it.
    }
  }

  return {
    async outcomeOf(job: Job): Promise<Outcome> {
      const outcome = await job.outcome;
      unseen.push(outcome);
      cancel();
      cancel = wallTimer(SHOWS_AFTER_MS, showUnseen);
      return outcome;
    },
    cancel: () => cancel(),
  };
}
