import { lacksRoom } from "../errors/disk-full.ts";
import type { SandboxError } from "../errors/errors.ts";
import type { Job, JobGroup } from "./jobs.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Store } from "./store.ts";
import type { Timer, Timers } from "./timers.ts";

/** Handles a due timer in a transaction. May return a function that starts further work outside the transaction. */
export type TimerHandler = (timer: Timer) => undefined | (() => Job);

/** Work outside the world that a timer requested. It starts once the timer's transaction is committed. */
export interface Start {
  timer: Timer;
  start: () => Job;
}

/** Decides for each timer whether it still fires in this batch. */
export type Gate = (timer: Timer) => boolean;

/** The batch size for reading timers: small while each timer affects later ones, large while none does. */
const SMALLEST_BATCH = 16;
const LARGEST_BATCH = 1_024;
/** How many jobs are started before the event loop gets a turn. */
const JOBS_AT_ONCE = 64;

export type Firing = ReturnType<typeof createFiring>;

/** Fires timers in transactions, and stops the world at a timer that cannot run. */
export function createFiring(store: Store, timers: Timers, journal: Journal, lifecycle: Lifecycle) {
  const handlers = new Map<string, TimerHandler>();
  /** The timer that is running, or ran last. */
  let current: Timer | undefined;
  /** The earliest instant from which the timers already read may be outdated. */
  let changedFrom = Number.POSITIVE_INFINITY;
  let batch = SMALLEST_BATCH;

  timers.onChange((due) => {
    changedFrom = Math.min(changedFrom, due ?? Number.NEGATIVE_INFINITY);
  });

  /** Fires one batch of timers due up to `target`, until the gate rejects one or the timers change. */
  function fireBatch(target: number, starts: Start[], gate: Gate): void {
    const newestId = timers.newestId();
    current = undefined;
    changedFrom = Number.POSITIVE_INFINITY;
    let whole = true;
    for (const timer of timers.due(target, batch)) {
      whole = changedFrom >= timer.due && starts.length < JOBS_AT_ONCE && gate(timer);
      if (!whole) break;
      current = timer;
      const handler = handlers.get(timer.kind);
      if (!handler) throw new Error(`No handler for timers of kind ${timer.kind}`);
      const start = handler(timer);
      if (start) starts.push({ timer, start });
    }
    if (current) timers.removeFired(current, newestId);
    if (whole) batch = Math.min(batch * 4, LARGEST_BATCH);
    else batch = starts.length >= JOBS_AT_ONCE ? JOBS_AT_ONCE : SMALLEST_BATCH;
  }

  return {
    handle: (kind: string, handler: TimerHandler): void => void handlers.set(kind, handler),

    /**
     * Fires a batch of timers due up to `target` in a transaction. If that fails, retries them one by one: those before the
     * failing timer are committed, and the world stops there.
     * @param openGate creates the gate for each try
     * @returns the work that the timers requested, to start now
     * @throws SandboxError `invalid_state`
     */
    fireDue(
      target: number,
      ledger: JournalEntry[] | undefined,
      openGate: (starts: readonly Start[]) => Gate,
    ): Start[] {
      const length = ledger?.length ?? 0;
      for (;;) {
        const starts: Start[] = [];
        const gate = openGate(starts);
        const wasSingle = batch === 1;
        try {
          journal.collect(ledger, () => store.transaction(() => fireBatch(target, starts, gate)));
          return starts;
        } catch (error) {
          if (ledger) ledger.length = length;
          // The commit itself can fail, too. By then, the batch may have grown.
          if (wasSingle || lacksRoom(error)) throw lifecycle.stop(error, current);
          batch = 1;
        }
      }
    },

    /**
     * Starts the work that a batch requested. A failing start does not delay the others.
     * @throws SandboxError `invalid_state`
     */
    beginAll(starts: readonly Start[], group: JobGroup): void {
      let failure: SandboxError | undefined;
      for (const { timer, start } of starts) {
        try {
          group.jobs.push(start());
        } catch (error) {
          failure ??= lifecycle.stop(error, timer);
        }
      }
      if (failure) throw failure;
    },
  };
}
