import { type AdvanceProgress, type AdvanceResult, createAdvances } from "./advance.ts";
import type { AdvanceRequest, Matters } from "./advance-request.ts";
import { afterPendingIo, type Clock, wallTimer } from "./clock.ts";
import { createFiring, type TimerHandler } from "./firing.ts";
import { createJobs, type Job, type Outcome } from "./jobs.ts";
import type { Journal } from "./journal.ts";
import { createLifecycle } from "./lifecycle.ts";
import { createPatience, type Patience } from "./patience.ts";
import { createQueue } from "./queue.ts";
import type { Store } from "./store.ts";
import type { Timers } from "./timers.ts";

export type { AdvanceProgress, AdvanceRequest, AdvanceResult, Job, Outcome, TimerHandler };

/**
 * Runs timers: automatically when the clock reaches them, or one by one in an awaited advance. See docs/architecture.md, "Time".
 */
export interface Scheduler {
  handle(kind: string, handler: TimerHandler): void;
  /**
   * Starts jobs concurrently, outside any timer, and resolves once their outcomes are written (in order, unless the clock
   * is running). Resolves with false if they were dropped because the world was restored or closed.
   */
  run(starts: readonly (() => Job)[]): Promise<boolean>;
  /**
   * Moves the clock and runs everything due until then, in order; resolves when all work there is done. Advances of a world queue
   * up. See docs/architecture.md, "Time".
   * @throws SandboxError `invalid_duration`, `invalid_time`, `bad_request`; `invalid_state` if something due cannot run, which
   *   only happens with data that Sandglass did not write
   * @param matters the timers that `until: next` considers (if any is due) and that can cause an awaited entry; by default,
   *   all
   */
  advance(request: AdvanceRequest, matters?: Matters): Promise<AdvanceResult>;
  /** Whether an advance is in progress, or a due timer is about to run while the clock is paused. */
  readonly busy: boolean;
  progress(): AdvanceProgress | undefined;
  /**
   * Ends the advance in progress between two instants: once everything due at its current instant is done and written.
   * Queued advances follow. Resolves once it has ended; with false if no advance was in progress.
   */
  cancelAdvance(): Promise<boolean>;
  /** Returns an advance's start and end, and the instant up to which it would run timers. Changes nothing. */
  preview(request: AdvanceRequest, matters?: Matters): { from: string; to: string; target: number };
  /** Runs `work` between advances, never during one. @throws SandboxError `invalid_state` if the sandbox was closed */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** How long outgoing requests may stay open. */
  patience: Pick<Patience, "for" | "note">;
  start(): void;
  /** Continues after the clock was changed or the world restored, even if a timer could not run before. */
  resume(): void;
  /** Discards work in progress without writing it, and fires no more timers. */
  close(): void;
}

interface SchedulerParts {
  store: Store;
  clock: Clock;
  timers: Timers;
  journal: Journal;
  /** Real milliseconds that an open request gets while the clock is advanced or paused. */
  settleTimeout: number;
}

export function createScheduler({ store, clock, timers, journal, settleTimeout }: SchedulerParts): Scheduler {
  let started = false;
  const lifecycle = createLifecycle(store, clock, journal);
  const jobs = createJobs(store, journal, settleTimeout);
  const patience = createPatience(clock, settleTimeout);
  const firing = createFiring(store, timers, journal, lifecycle);
  const advances = createAdvances({ clock, timers, jobs, firing, patience, lifecycle });
  const queue = createQueue(() => lifecycle.closed);
  let catchUpQueued = false;
  let cancelWait = () => {};
  /** When the awaited timer is due. If that timer is cancelled, the wait merely ends early. */
  let waitsFor = Number.POSITIVE_INFINITY;

  timers.onChange((due = Number.POSITIVE_INFINITY) => {
    if (due < waitsFor) waitForNext();
  });
  store.onCommitted(() => {
    // Retry work that did not fit before, now that something else could be written.
    if (!lifecycle.waitsForRoom || advances.moving) return;
    lifecycle.allow();
    jobs.writeLate();
    clock.thaw();
    waitForNext();
  });
  store.onRestore(() => {
    lifecycle.allow();
    jobs.drop();
    waitForNext();
  });

  const isIdle = () => started && !advances.moving && !lifecycle.stopped;

  /** Schedules the next due timer: at its wall time, or immediately while the clock is paused. */
  function waitForNext(): void {
    if (!isIdle()) return;
    cancelWait();
    const next = timers.first();
    waitsFor = next?.due ?? Number.POSITIVE_INFINITY;
    if (!next) return;
    if (clock.running) cancelWait = wallTimer(clock.wallUntil(next.due), fireReached);
    else if (next.due <= clock.now()) catchUpSoon();
  }

  function catchUpSoon(): void {
    if (catchUpQueued) return;
    catchUpQueued = true;
    afterPendingIo(() => {
      catchUpQueued = false;
      // Not awaited: the journal reports a failing timer.
      if (started) queue.add(() => advances.catchUp().finally(waitForNext)).catch(() => undefined);
    });
  }

  /** Fires the timers that the running clock has reached. It must not throw, because it is not awaited. */
  function fireReached(): void {
    if (!isIdle()) return;
    try {
      for (const { timer, start } of firing.fireDue(clock.now(), undefined, () => () => true))
        jobs.launch([start]).catch((error) => void lifecycle.stop(error, timer));
      waitForNext();
    } catch (error) {
      if (!lifecycle.stopped) lifecycle.stop(error);
    }
  }

  return {
    handle: firing.handle,
    async run(starts) {
      // While the clock is running, order does not matter: each outcome is committed when it arrives.
      const groups = clock.running ? starts.map((start) => [start]) : [starts];
      return (await Promise.all(groups.map(jobs.launch))).every(Boolean);
    },
    advance(request, matters) {
      advances.check(request);
      return queue.add(() => advances.advance(request, matters).finally(waitForNext));
    },
    get busy() {
      return catchUpQueued || queue.busy;
    },
    progress: advances.progress,
    cancelAdvance: advances.cancel,
    preview: advances.preview,
    exclusive: queue.add,
    patience,
    start() {
      started = true;
      waitForNext();
    },
    resume() {
      lifecycle.allow();
      waitForNext();
    },
    close() {
      started = false;
      lifecycle.close();
      cancelWait();
      jobs.drop();
    },
  };
}
