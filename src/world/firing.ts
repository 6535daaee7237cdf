import { lacksRoom } from "../errors/disk-full.ts";
import { invalidState, type SandboxError } from "../errors/errors.ts";
import type { Clock } from "./clock.ts";
import { closedError } from "./database.ts";
import { iso } from "./duration.ts";
import type { Job, JobGroup } from "./jobs.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import type { Store } from "./store.ts";
import type { Timer, Timers } from "./timers.ts";

/** Does what is due, in a transaction. Returns a function that starts further work outside the transaction. */
export type TimerHandler = (timer: Timer) => undefined | (() => Job);

/** Work outside the world that a timer requested. It starts once the timer's transaction is committed. */
export interface Start {
  timer: Timer;
  start: () => Job;
}

/** Decides for each timer whether it still fires in this batch. */
export type Gate = (timer: Timer) => boolean;

/** How many timers are read at once: few while each one changes what follows, many while none does. */
const SMALLEST_BATCH = 16;
const LARGEST_BATCH = 1_024;
/** How many jobs are started before the event loop gets a turn. */
const JOBS_AT_ONCE = 64;

interface Parts {
  store: Store;
  clock: Clock;
  timers: Timers;
  journal: Journal;
}

export type Firing = ReturnType<typeof createFiring>;

/** Fires timers in transactions, and stops the world at a timer that cannot be run. */
export function createFiring({ store, clock, timers, journal }: Parts) {
  const handlers = new Map<string, TimerHandler>();
  let closed = false;
  let stopped = false;
  /** Whether it stopped only because there was no room on the disk. */
  let isFull = false;
  /** The timer that is running, or ran last. */
  let current: Timer | undefined;
  /** The earliest instant from which the timers that were read may have changed. */
  let changedFrom = Number.POSITIVE_INFINITY;
  let batch = SMALLEST_BATCH;

  timers.onChange((due) => {
    changedFrom = Math.min(changedFrom, due ?? Number.NEGATIVE_INFINITY);
  });

  function callHandler(timer: Timer): (() => Job) | undefined {
    const handler = handlers.get(timer.kind);
    if (!handler) throw new Error(`No handler for timers of kind ${timer.kind}`);
    return handler(timer);
  }

  /** Fires one batch of what is due up to `target`, as long as the gate accepts the timers and none of them changes. */
  function fireBatch(target: number, starts: Start[], gate: Gate): void {
    const newestId = timers.newestId();
    let last: Timer | undefined;
    current = undefined;
    changedFrom = Number.POSITIVE_INFINITY;
    let whole = true;
    for (const timer of timers.due(target, batch)) {
      whole = changedFrom >= timer.due && starts.length < JOBS_AT_ONCE && gate(timer);
      if (!whole) break;
      last = timer;
      current = timer;
      const start = callHandler(timer);
      if (start) starts.push({ timer, start });
    }
    if (last) timers.removeFired(last, newestId);
    if (whole) batch = Math.min(batch * 4, LARGEST_BATCH);
    else batch = starts.length >= JOBS_AT_ONCE ? JOBS_AT_ONCE : SMALLEST_BATCH;
  }

  /**
   * Stops the world, because something due in it cannot run, and records that in its journal. A failing handler has met data that
   * Sandglass did not write, or has a bug: neither may end the other worlds.
   * @returns the error for callers who wait
   */
  function stop(error: unknown, timer: Timer | undefined): SandboxError {
    if (closed) return closedError();
    stopped = true;
    isFull = lacksRoom(error);
    // The timer is fine, and there is no room for a journal entry, either.
    if (isFull) return error as SandboxError;
    console.error(error);
    const reason = (error as Error).message;
    try {
      store.transaction(() => {
        clock.set({ mode: "paused" });
        journal.append("world.stopped", {
          reason,
          timer: timer ? { kind: timer.kind, key: timer.key, due_at: iso(timer.due) } : null,
        });
      });
    } catch (unwritten) {
      console.error(unwritten);
    }
    const what = timer ? `its timer ${timer.kind} of ${timer.key} cannot be run` : "it cannot go on";
    return invalidState(`The world stopped at ${iso(clock.now())}, as ${what}: ${reason}.`, {
      command: "Take it back: npx sandglass snapshot restore <name>",
      library: "Take it back with reset() or restore(snapshot).",
      http: "Take it back with POST /_sandbox/reset, or restore another snapshot.",
    });
  }

  return {
    handle: (kind: string, handler: TimerHandler): void => void handlers.set(kind, handler),

    /**
     * Fires a batch of what is due up to `target` in a transaction. If it fails, its timers are tried one by one, so that all
     * before the failing timer are done, and the world stops there.
     * @param openGate makes the gate of each try
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
          // A commit can fail too, after the batch has grown.
          if (wasSingle || lacksRoom(error)) throw stop(error, current);
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
          failure ??= stop(error, timer);
        }
      }
      if (failure) throw failure;
    },

    stop,

    /** Whether something due could not run. Then no timer fires by itself until `allow` is called. */
    get stopped(): boolean {
      return stopped;
    },

    /** Whether it can continue as soon as there is room to write. */
    get waitsForRoom(): boolean {
      return stopped && isFull;
    },

    /** Allows another try, after the clock was set, the world restored, or an advance requested. */
    allow(): void {
      stopped = false;
    },

    close(): void {
      closed = true;
    },
  };
}
