import { lacksRoom } from "../errors/disk-full.ts";
import { wallTimer } from "./clock.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import type { Store } from "./store.ts";

/** Real milliseconds without a further outcome after which those that came show, as the others may take long. */
const SHOWS_AFTER_MS = 20;

/** What came of a job. */
export interface Outcome {
  /** Writes the answer alone, which depends on no other job: for readers, while others of its group are open. */
  show?: () => void;
  /** Writes the answer and all that follows from it. */
  commit: () => void;
}

/** Work that waits for the outside world, for example an HTTP request under way. */
export interface Job {
  /** Resolves once the world outside answered. It never rejects. */
  outcome: Promise<Outcome>;
  /** Gives it at most `ms` more of real time, after which it counts as timed out. */
  hurry(ms: number): void;
}

/** Jobs whose outcomes are written together. */
export interface JobGroup {
  jobs: Job[];
  /**
   * Shows outcomes while others are open. Resolves once all are committed, in one transaction, in the order in which the jobs
   * were added; with false where they were dropped, as the world was taken back or ended meanwhile.
   */
  settle(): Promise<boolean>;
}

/** The jobs of a world that are under way. */
export type Jobs = ReturnType<typeof createJobs>;

/** @param settleTimeout real milliseconds that a job gets once a caller waits for quiet */
export function createJobs(store: Store, journal: Journal, settleTimeout: number) {
  const inFlight = new Set<Job[]>();
  const whenQuieter: (() => void)[] = [];
  /** Rises when the world is taken back or ends: outcomes from before write nothing after. */
  let epoch = 0;
  /** What could not be written for lack of room, with the epoch that it belongs to. */
  let late: { born: number; write: () => void }[] = [];

  /** @param ledger gets the entries that the outcomes cause */
  function open(ledger?: JournalEntry[]): JobGroup {
    const born = epoch;
    const jobs: Job[] = [];
    inFlight.add(jobs);
    let unseen: Outcome[] = [];
    let cancelShow = () => {};

    async function outcomeOf(job: Job): Promise<Outcome> {
      const outcome = await job.outcome;
      unseen.push(outcome);
      cancelShow();
      cancelShow = wallTimer(SHOWS_AFTER_MS, showUnseen);
      return outcome;
    }

    function showUnseen(): void {
      const outcomes = unseen;
      unseen = [];
      if (born !== epoch) return;
      try {
        store.transaction(() => {
          for (const { show } of outcomes) show?.();
        });
      } catch {
        // The commit meets it again, and says so.
      }
    }

    return {
      jobs,
      async settle() {
        try {
          const outcomes = await Promise.all(jobs.map(outcomeOf));
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
          cancelShow();
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

    /** Whether any is under way. */
    get busy(): boolean {
      return inFlight.size > 0;
    },

    /** How many are under way. */
    get count(): number {
      let count = 0;
      for (const jobs of inFlight) count += jobs.length;
      return count;
    },

    /** Starts jobs on their own; their outcomes are written once all have come. Resolves as `settle` does. */
    async launch(starts: readonly (() => Job)[]): Promise<boolean> {
      const jobs = starts.map((start) => start());
      const group = open();
      group.jobs.push(...jobs);
      return group.settle();
    },

    /** Waits until none is under way; what still is gets `settleTimeout` at most. */
    async quiet(): Promise<void> {
      while (inFlight.size > 0) {
        hurry(settleTimeout);
        await new Promise<void>((resolve) => void whenQuieter.push(resolve));
      }
    },

    /** Writes the outcomes for which there was no room. What still finds none waits on. */
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

    /** Drops what is under way, unwritten. */
    drop(): void {
      epoch += 1;
      late = [];
      hurry(0);
    },
  };
}
