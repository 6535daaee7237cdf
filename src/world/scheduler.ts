import { SandboxError } from "../errors/errors.ts";
import { type AdvanceRequest, readAdvance } from "./advance-request.ts";
import { afterPendingIo, type Clock, wallTimer } from "./clock.ts";
import { iso } from "./duration.ts";
import { createJobs, type Job, type JobGroup } from "./jobs.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { createPatience, type Patience } from "./patience.ts";
import type { Store } from "./store.ts";
import type { Timer, Timers } from "./timers.ts";

// Longer than other files: all of it is one closure, as firing, advancing and ending share the queue and the clock.

/** Does what is due, in a transaction. Work outside is returned as a function that starts it afterwards. */
export type TimerHandler = (timer: Timer) => undefined | (() => Job);

/** Work outside that a timer asked for, to be begun once its transaction is committed. */
interface Start {
  timer: Timer;
  start: () => Job;
}

export type { AdvanceRequest, Job };

export interface AdvanceResult {
  /** Virtual time before and after, ISO 8601. */
  from: string;
  to: string;
  /** Real milliseconds it took. */
  wall_ms: number;
  /** Whether it got as far as asked: with the name of an entry, whether that happened. */
  reached: boolean;
  /** Whether it was ended on the way; `to` is where. */
  cancelled: boolean;
  /** What it caused, in order. */
  ledger: JournalEntry[];
}

/** An advance under way. */
export interface AdvanceProgress {
  /** Virtual milliseconds at which it began. */
  from: number;
  /** Virtual milliseconds at which it ends; undefined where what happens decides. */
  to: number | undefined;
  /** Journal entries that it caused so far. */
  entries: number;
  /** Requests whose results the clock waits for. */
  waiting: number;
  /** Whether its end was asked for: it is at its last instant. */
  ending: boolean;
}

/** What is known of an advance while it runs. */
interface Underway {
  from: number;
  to: number | undefined;
  ledger: JournalEntry[];
  cancelled: boolean;
  ended?: Promise<unknown>;
}

/** Runs timers: as the clock reaches them, or one by one, awaited, in an advance. */
export interface Scheduler {
  handle(kind: string, handler: TimerHandler): void;
  /**
   * Starts a job outside any timer and resolves once its outcome is written; with false where it was dropped, as the
   * world was taken back or ended meanwhile.
   */
  run(start: () => Job): Promise<boolean>;
  /**
   * Moves the clock and does all that falls due on the way, in order; answers when the world is quiet there.
   * Advances of a world queue up. See docs/architecture.md, "Time".
   * @throws SandboxError `invalid_duration`, `invalid_time`, `bad_request`; `invalid_state` where something that is
   * due cannot be run, which only happens to data that Sandglass did not write
   */
  advance(request: AdvanceRequest): Promise<AdvanceResult>;
  /** The advance under way, if there is one. */
  progress(): AdvanceProgress | undefined;
  /**
   * Ends the advance under way between two instants: once all that is due at the one it is at is done and written.
   * Those that wait for their turn follow. Resolves once it has ended; with false where none was under way.
   */
  cancelAdvance(): Promise<boolean>;
  /** What an advance would find due, changing nothing. */
  preview(request: AdvanceRequest): { from: string; to: string; target: number; timers: Timer[] };
  /**
   * Runs `work` between advances, never during one.
   * @throws SandboxError `invalid_state` once the sandbox was closed
   */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** How long requests to the outside may stay open. */
  patience: Pick<Patience, "for" | "note">;
  /** Begins to fire timers by itself. */
  start(): void;
  /** Sees anew when the next timer is due, after the clock was changed. */
  rearm(): void;
  /** Drops what is in flight, unwritten, and fires nothing more. */
  close(): void;
}

/** How many timers are read at once: few while each one changes what follows, many while none does. */
const SMALLEST_BATCH = 16;
const LARGEST_BATCH = 1_024;
/** How many jobs are begun before the first of them get a chance to run. */
const JOBS_AT_ONCE = 64;

interface Parts {
  store: Store;
  clock: Clock;
  timers: Timers;
  journal: Journal;
  /** Real milliseconds that an open request gets while the clock is advanced or stands still. */
  settleTimeout: number;
}

export function createScheduler({ store, clock, timers, journal, settleTimeout }: Parts): Scheduler {
  const handlers = new Map<string, TimerHandler>();
  const jobs = createJobs(store, journal, settleTimeout);
  const patience = createPatience(clock, settleTimeout);
  let queue: Promise<unknown> = Promise.resolve();
  let advancing = false;
  /** The advance that was asked for and runs now. */
  let underway: Underway | undefined;
  let started = false;
  let closed = false;
  /** Something due could not be run: nothing is fired by itself until the clock is set or the world taken back. */
  let stopped = false;
  /** The timer that runs now, or ran last. */
  let firing: Timer | undefined;
  /** The earliest instant at which what is due is no longer what was read. */
  let changedFrom = Number.POSITIVE_INFINITY;
  let batch = SMALLEST_BATCH;
  let pumpQueued = false;
  let cancelPump = () => {};

  timers.onChange((due) => {
    changedFrom = Math.min(changedFrom, due ?? Number.NEGATIVE_INFINITY);
    arm();
  });
  store.onRestore(() => {
    stopped = false;
    jobs.drop();
    arm();
  });

  function fire(timer: Timer): (() => Job) | undefined {
    const handler = handlers.get(timer.kind);
    if (!handler) throw new Error(`No handler for timers of kind ${timer.kind}`);
    return handler(timer);
  }

  /** Fires what is due up to `target`, a batch of it, as long as `goOn` says so and nothing came in between. */
  function fireBatch(target: number, starts: Start[], goOn: (timer: Timer) => boolean): void {
    const newestId = timers.newestId();
    let last: Timer | undefined;
    firing = undefined;
    changedFrom = Number.POSITIVE_INFINITY;
    let whole = true;
    for (const timer of timers.due(target, batch)) {
      whole = changedFrom >= timer.due && starts.length < JOBS_AT_ONCE && goOn(timer);
      if (!whole) break;
      last = timer;
      firing = timer;
      const start = fire(timer);
      if (start) starts.push({ timer, start });
    }
    if (last) timers.removeFired(last, newestId);
    if (whole) batch = Math.min(batch * 4, LARGEST_BATCH);
    else batch = starts.length >= JOBS_AT_ONCE ? JOBS_AT_ONCE : SMALLEST_BATCH;
  }

  /**
   * Fires a batch in a transaction. One that fails is tried again timer by timer, so that all before the timer at
   * fault is done, and the world stops at that one.
   * @param begin gives `goOn` for each try
   * @throws SandboxError `invalid_state`
   */
  function fireDue(
    target: number,
    ledger: JournalEntry[] | undefined,
    begin: (starts: readonly Start[]) => (timer: Timer) => boolean,
  ): Start[] {
    const told = ledger?.length ?? 0;
    for (;;) {
      const starts: Start[] = [];
      const goOn = begin(starts);
      try {
        journal.collect(ledger, () => store.transaction(() => fireBatch(target, starts, goOn)));
        return starts;
      } catch (error) {
        if (ledger) ledger.length = told;
        if (batch === 1) throw stop(error, firing);
        batch = 1;
      }
    }
  }

  /**
   * Makes the world stand still, as something due in it cannot be run, and says so in its journal. A handler that
   * fails has met data that Sandglass did not write, or a fault of ours: neither may end the other worlds.
   * @returns what to tell who waits for it
   */
  function stop(error: unknown, timer: Timer | undefined): SandboxError {
    if (closed) return closedError();
    stopped = true;
    cancelPump();
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
    return new SandboxError(
      "invalid_state",
      `The world stopped at ${iso(clock.now())}, as ${what}: ${reason}.`,
      {
        command: "Take it back: sandglass snapshot restore <name>",
        library: "Take it back with reset() or restore(snapshot).",
        http: "Take it back with POST /_sandbox/reset, or restore another snapshot.",
      },
    );
  }

  /** Runs what is due up to `target`, up to one batch, stopping after an instant that started jobs. */
  function runBatch(target: number, ledger: JournalEntry[] | undefined, enough: () => boolean): Start[] {
    const from = clock.now();
    return fireDue(target, ledger, (starts) => {
      clock.freeze(from);
      let instant = -1;
      return (timer) => {
        if (timer.due > instant && instant >= 0 && (starts.length > 0 || enough())) return false;
        instant = Math.max(timer.due, clock.now());
        clock.freeze(instant);
        return true;
      };
    });
  }

  /** Begins what a batch asked for: one that fails holds up no other. */
  function beginAll(starts: readonly Start[], group: JobGroup): void {
    let failure: SandboxError | undefined;
    for (const { timer, start } of starts) {
      try {
        group.jobs.push(start());
      } catch (error) {
        failure ??= stop(error, timer);
      }
    }
    if (failure) throw failure;
  }

  /**
   * Runs all that is due up to `target`, instant by instant: what an instant starts runs side by side, and is
   * awaited and written before the clock moves on.
   * @param enough whether to stop before the next instant
   */
  async function runUntil(
    target: number,
    ledger: JournalEntry[] | undefined,
    enough: () => boolean,
  ): Promise<void> {
    let group: JobGroup | undefined;
    const settle = async () => {
      const ended = group;
      group = undefined;
      await ended?.settle();
    };
    try {
      while (!closed) {
        const next = timers.first();
        const sameInstant = next !== undefined && next.due <= clock.now();
        if (!sameInstant && group) {
          await settle();
          await jobs.quiet();
        } else if (sameInstant || (next && next.due <= target && !enough())) {
          // While results of this instant are open, only what else is due at it may run.
          const starts = runBatch(group ? clock.now() : target, ledger, enough);
          if (starts.length > 0) {
            group ??= jobs.open(ledger);
            beginAll(starts, group);
          }
          await new Promise<void>((resolve) => afterPendingIo(resolve));
        } else break;
      }
    } finally {
      // Whatever ended it: what was begun is written.
      await settle();
    }
  }

  /** @param advance one that was asked for; without it, what is due now is done because the clock stands still */
  async function move(request: AdvanceRequest, advance?: Underway): Promise<AdvanceResult> {
    const wallStart = clock.wall();
    const ledger = advance?.ledger;
    advancing = true;
    underway = advance;
    stopped = false;
    patience.begin();
    cancelPump();
    try {
      await jobs.quiet();
      const from = clock.now();
      clock.freeze(from);
      const plan = read(request, from);
      if (advance) Object.assign(advance, { from, to: plan.land ? plan.target : undefined });
      const reached = watchFor(plan.event, ledger ?? []);
      const enough = () => advance?.cancelled || reached();
      await runUntil(plan.target, ledger, enough);
      while (jobs.busy) {
        await jobs.quiet();
        await runUntil(plan.target, ledger, enough);
      }
      if (closed) throw closedError();
      const cancelled = advance?.cancelled ?? false;
      if (plan.land && !cancelled) clock.freeze(Math.max(plan.target, clock.now()));
      return {
        from: iso(from),
        to: iso(clock.now()),
        wall_ms: clock.wall() - wallStart,
        reached: plan.event === undefined ? !cancelled : reached(),
        cancelled,
        ledger: ledger ?? [],
      };
    } catch (error) {
      throw error instanceof SandboxError ? error : stop(error, undefined);
    } finally {
      advancing = false;
      underway = undefined;
      patience.end();
      if (!closed) {
        clock.thaw();
        arm();
      }
    }
  }

  const read = (request: AdvanceRequest, from: number) =>
    readAdvance(request, from, () => timers.first()?.due);

  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(async () => {
      if (closed) throw closedError();
      try {
        return await work();
      } catch (error) {
        throw closed ? closedError() : error;
      }
    });
    queue = result.catch(() => undefined);
    return result;
  }

  /** Sees to it that what falls due by itself is run. */
  function arm(): void {
    if (!started || advancing || stopped) return;
    cancelPump();
    cancelPump = () => {};
    const next = timers.first();
    if (!next) return;
    if (next.due <= clock.now() && !clock.running) {
      if (pumpQueued) return;
      pumpQueued = true;
      afterPendingIo(() => {
        pumpQueued = false;
        // What it cannot run is told in the journal, as nobody waits for it.
        if (started) enqueue(() => move({ by: 0 })).catch(() => undefined);
      });
    } else if (clock.running) {
      cancelPump = wallTimer(clock.wallUntil(next.due), pump);
    }
  }

  /** Fires what the running clock has reached. Nobody waits for it, so nothing may be thrown from here. */
  function pump(): void {
    if (!started || advancing || stopped) return;
    try {
      for (const { timer, start } of fireDue(clock.now(), undefined, () => () => true))
        jobs.launch(start).catch((error) => void stop(error, timer));
      arm();
    } catch (error) {
      if (!stopped) stop(error, undefined);
    }
  }

  return {
    handle: (kind, handler) => void handlers.set(kind, handler),
    run: jobs.launch,
    advance: (request) => {
      read(request, clock.now());
      return enqueue(() => {
        const advance: Underway = { from: clock.now(), to: undefined, ledger: [], cancelled: false };
        const result = move(request, advance);
        advance.ended = result.catch(() => undefined);
        return result;
      });
    },
    progress: () =>
      underway && {
        from: underway.from,
        to: underway.to,
        entries: underway.ledger.length,
        waiting: jobs.count,
        ending: underway.cancelled,
      },
    async cancelAdvance() {
      const advance = underway;
      if (!advance) return false;
      advance.cancelled = true;
      await advance.ended;
      return true;
    },
    preview(request) {
      const from = clock.now();
      const { target, land } = read(request, from);
      const due = timers.due(target);
      return { from: iso(from), to: iso(land ? target : (due.at(-1)?.due ?? from)), target, timers: due };
    },
    exclusive: enqueue,
    patience,
    start() {
      started = true;
      arm();
    },
    rearm() {
      stopped = false;
      arm();
    },
    close() {
      started = false;
      closed = true;
      cancelPump();
      jobs.drop();
    },
  };
}

/** Tells whether an event of this name is in the ledger yet; each entry is looked at once. */
function watchFor(event: string | undefined, ledger: JournalEntry[]): () => boolean {
  let seen = 0;
  let found = false;
  return () => {
    if (event === undefined) return false;
    while (!found && seen < ledger.length) {
      found = ledger[seen]!.type === event;
      seen += 1;
    }
    return found;
  };
}

const closedError = () =>
  new SandboxError("invalid_state", "The sandbox was closed meanwhile.", "Start it again.");
