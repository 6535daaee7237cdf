import { SandboxError } from "../errors.ts";
import { afterPendingIo, type Clock, wallTimer } from "./clock.ts";
import { iso, LAST_INSTANT, parseDuration, parseInstant } from "./duration.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import type { Store } from "./store.ts";
import type { Timer, Timers } from "./timers.ts";

/** Work that waits for the outside world, for example an HTTP request under way. */
export interface Job {
  /** Resolves with what to write once the world outside answered. It never rejects. */
  outcome: Promise<() => void>;
  /** Gives it at most `ms` more of real time, after which it counts as timed out. */
  hurry(ms: number): void;
}

/** Does what is due, in a transaction. Work outside is returned as a function that starts it afterwards. */
export type TimerHandler = (timer: Timer) => undefined | (() => Job);

export type AdvanceRequest = { by?: unknown; to?: unknown; until?: unknown };

export interface AdvanceResult {
  /** Virtual time before and after, ISO 8601. */
  from: string;
  to: string;
  /** Real milliseconds it took. */
  wall_ms: number;
  /** With `until`: whether the awaited thing happened. */
  reached: boolean;
  /** What it caused, in order. */
  ledger: JournalEntry[];
}

/** Runs timers: as the clock reaches them, or one by one, awaited, in an advance. */
export interface Scheduler {
  handle(kind: string, handler: TimerHandler): void;
  /** Starts a job outside any timer and resolves once its outcome is written. */
  run(start: () => Job): Promise<void>;
  /**
   * Moves the clock and does all that falls due on the way, in order; answers when the world is quiet there.
   * Advances of a world queue up. Contract: "The virtual clock".
   * @throws SandboxError `invalid_duration`, `invalid_time`, `bad_request`
   */
  advance(request: AdvanceRequest): Promise<AdvanceResult>;
  /** What an advance would find due, changing nothing. */
  preview(request: AdvanceRequest): { from: string; to: string; timers: Timer[] };
  /** Runs `work` between advances, never during one. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Real milliseconds a request may stay open: the time-out, or less while nothing else can move. */
  patience(timeout: number): number;
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
  const inFlight = new Set<Job[]>();
  const whenQuieter: (() => void)[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  let advancing = false;
  let started = false;
  let closed = false;
  let epoch = 0;
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
    epoch += 1;
    for (const jobs of inFlight) for (const job of jobs) job.hurry(0);
    arm();
  });

  function fire(timer: Timer): (() => Job) | undefined {
    const handler = handlers.get(timer.kind);
    if (!handler) throw new Error(`No handler for timers of kind ${timer.kind}`);
    return handler(timer);
  }

  /** Fires what is due up to `target`, a batch of it, as long as `goOn` says so and nothing came in between. */
  function fireBatch(target: number, starts: (() => Job)[], goOn: (timer: Timer) => boolean): void {
    const newestId = timers.newestId();
    let last: Timer | undefined;
    changedFrom = Number.POSITIVE_INFINITY;
    let whole = true;
    for (const timer of timers.due(target, batch)) {
      whole = changedFrom >= timer.due && starts.length < JOBS_AT_ONCE && goOn(timer);
      if (!whole) break;
      last = timer;
      const start = fire(timer);
      if (start) starts.push(start);
    }
    if (last) timers.removeFired(last, newestId);
    if (whole) batch = Math.min(batch * 4, LARGEST_BATCH);
    else batch = starts.length >= JOBS_AT_ONCE ? JOBS_AT_ONCE : SMALLEST_BATCH;
  }

  /**
   * Opens a group of jobs: their outcomes are written in one transaction, in the order in which they were
   * added, once all are known; nothing is written after a restore.
   */
  function openGroup(ledger?: JournalEntry[]) {
    const born = epoch;
    const jobs: Job[] = [];
    inFlight.add(jobs);
    return {
      jobs,
      /** Resolves once the outcomes are written. */
      async settle(): Promise<void> {
        try {
          const commits = await Promise.all(jobs.map((job) => job.outcome));
          if (born !== epoch) return;
          journal.collect(ledger, () =>
            store.transaction(() => {
              for (const commit of commits) commit();
            }),
          );
        } finally {
          inFlight.delete(jobs);
          for (const resolve of whenQuieter.splice(0)) resolve();
        }
      },
    };
  }

  /** Starts a job on its own; its outcome is written as it comes. */
  function launch(start: () => Job): Promise<void> {
    const group = openGroup();
    group.jobs.push(start());
    return group.settle();
  }

  /** Waits until nothing is in flight; what still is gets `settleTimeout` at most. */
  async function quiet(): Promise<void> {
    while (inFlight.size > 0) {
      for (const jobs of inFlight) for (const job of jobs) job.hurry(settleTimeout);
      await new Promise<void>((resolve) => void whenQuieter.push(resolve));
    }
  }

  /** Runs what is due up to `target`, up to one batch, stopping after an instant that started jobs. */
  function runBatch(target: number, ledger: JournalEntry[] | undefined, stop: () => boolean): (() => Job)[] {
    const starts: (() => Job)[] = [];
    journal.collect(ledger, () =>
      store.transaction(() => {
        let instant = -1;
        fireBatch(target, starts, (timer) => {
          if (timer.due > instant && instant >= 0 && (starts.length > 0 || stop())) return false;
          instant = Math.max(timer.due, clock.now());
          clock.freeze(instant);
          return true;
        });
      }),
    );
    return starts;
  }

  /**
   * Runs all that is due up to `target`, instant by instant: what an instant starts runs side by side, and is
   * awaited and written before the clock moves on.
   */
  async function runUntil(
    target: number,
    ledger: JournalEntry[] | undefined,
    stop: () => boolean,
  ): Promise<void> {
    let group: ReturnType<typeof openGroup> | undefined;
    while (!closed) {
      const next = timers.first();
      const sameInstant = next !== undefined && next.due <= clock.now();
      if (!sameInstant && group) {
        await group.settle();
        group = undefined;
        await quiet();
      } else if (sameInstant || (next && next.due <= target && !stop())) {
        // While results of this instant are open, only what else is due at it may run.
        const starts = runBatch(group ? clock.now() : target, ledger, stop);
        if (starts.length > 0) group ??= openGroup(ledger);
        for (const start of starts) group!.jobs.push(start());
        await new Promise<void>((resolve) => afterPendingIo(resolve));
      } else return;
    }
  }

  async function move(request: AdvanceRequest, ledger: JournalEntry[] | undefined): Promise<AdvanceResult> {
    const wallStart = clock.wall();
    advancing = true;
    cancelPump();
    try {
      await quiet();
      const from = clock.now();
      clock.freeze(from);
      const plan = readRequest(request, from);
      const reached = watchFor(plan.event, ledger ?? []);
      await runUntil(plan.target, ledger, reached);
      while (inFlight.size > 0) {
        await quiet();
        await runUntil(plan.target, ledger, reached);
      }
      if (closed)
        throw new SandboxError(
          "invalid_state",
          "The sandbox was closed during the advance.",
          "Start it again.",
        );
      if (plan.land) clock.freeze(Math.max(plan.target, clock.now()));
      return {
        from: iso(from),
        to: iso(clock.now()),
        wall_ms: clock.wall() - wallStart,
        reached: plan.event === undefined || reached(),
        ledger: ledger ?? [],
      };
    } finally {
      advancing = false;
      if (!closed) {
        clock.thaw();
        arm();
      }
    }
  }

  function readRequest(
    { by, to, until }: AdvanceRequest,
    from: number,
  ): { target: number; land: boolean; event?: string } {
    if ([by, to, until].filter((value) => value !== undefined).length !== 1) {
      throw new SandboxError(
        "bad_request",
        "An advance takes exactly one of by, to and until.",
        'For example {"by": "1h"}, {"to": "2026-02-01T00:00:00Z"} or {"until": "next"}.',
      );
    }
    if (by !== undefined) return { target: atMost(from + parseDuration(by)), land: true };
    if (to !== undefined) {
      const target = parseInstant(to);
      if (target >= from) return { target, land: true };
      throw new SandboxError(
        "invalid_time",
        `The clock shows ${iso(from)} and cannot go back to ${iso(target)}.`,
        "Reset the world to return to the time it began at.",
      );
    }
    if (typeof until !== "string" || until === "") {
      throw new SandboxError(
        "bad_request",
        "until takes next, idle or the name of an event.",
        'For example {"until": "webhook.disabled"}.',
      );
    }
    if (until === "next") return { target: timers.first()?.due ?? from, land: false };
    if (until === "idle") return { target: LAST_INSTANT, land: false };
    return { target: LAST_INSTANT, land: false, event: until };
  }

  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  }

  /** Sees to it that what falls due by itself is run. */
  function arm(): void {
    if (!started || advancing) return;
    cancelPump();
    cancelPump = () => {};
    const next = timers.first();
    if (!next) return;
    if (next.due <= clock.now() && !clock.running) {
      if (pumpQueued) return;
      pumpQueued = true;
      afterPendingIo(() => {
        pumpQueued = false;
        if (started) enqueue(() => move({ by: 0 }, undefined)).catch(ignoreClose);
      });
    } else if (clock.running) {
      cancelPump = wallTimer(clock.wallUntil(next.due), pump);
    }
  }

  function pump(): void {
    if (!started || advancing) return;
    const starts: (() => Job)[] = [];
    store.transaction(() => fireBatch(clock.now(), starts, () => true));
    for (const start of starts) void launch(start);
    arm();
  }

  return {
    handle: (kind, handler) => void handlers.set(kind, handler),
    run: launch,
    advance: (request) => {
      readRequest(request, clock.now());
      return enqueue(() => move(request, []));
    },
    preview(request) {
      const from = clock.now();
      const { target, land } = readRequest(request, from);
      const due = timers.due(target);
      return { from: iso(from), to: iso(land ? target : (due.at(-1)?.due ?? from)), timers: due };
    },
    exclusive: enqueue,
    patience: (timeout) => (advancing || !clock.running ? Math.min(settleTimeout, timeout) : timeout),
    start() {
      started = true;
      arm();
    },
    rearm: arm,
    close() {
      started = false;
      closed = true;
      epoch += 1;
      cancelPump();
      for (const jobs of inFlight) for (const job of jobs) job.hurry(0);
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

/** An advance that nobody waits for may be cut off by a close; anything else is a fault. */
function ignoreClose(error: unknown): void {
  if (!(error instanceof SandboxError)) throw error;
}

function atMost(instant: number): number {
  if (instant <= LAST_INSTANT) return instant;
  throw new SandboxError(
    "invalid_time",
    `That is past ${iso(LAST_INSTANT)}, the last instant of the clock.`,
    "Advance by less.",
  );
}
