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
   * Advances of a world queue up. Contract: control.md, "The virtual clock".
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

const BATCH = 256;

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
  const inFlight = new Set<{ job: Job; done: Promise<void> }>();
  let queue: Promise<unknown> = Promise.resolve();
  let advancing = false;
  let started = false;
  let closed = false;
  let epoch = 0;
  let changed = false;
  let pumpQueued = false;
  let cancelPump = () => {};

  timers.onSet(() => {
    changed = true;
    arm();
  });
  store.onRestore(() => {
    epoch += 1;
    inFlight.clear();
    arm();
  });

  function fire(timer: Timer): (() => Job) | undefined {
    if (!timers.take(timer)) return undefined;
    const handler = handlers.get(timer.kind);
    if (!handler) throw new Error(`No handler for timers of kind ${timer.kind}`);
    return handler(timer);
  }

  /** Starts jobs; their outcomes are written together in the given order, or each as it comes. */
  function launch(starts: (() => Job)[], ordered: boolean, ledger?: JournalEntry[]): Promise<void> {
    const born = epoch;
    const write = (commit: () => void) => {
      if (born === epoch) journal.collect(ledger, () => store.transaction(commit));
    };
    const jobs = starts.map((start) => start());
    const inOrder = ordered ? Promise.all(jobs.map((job) => job.outcome)) : undefined;
    const all = jobs.map((job, index) => {
      const commit = inOrder ? inOrder.then((outcomes) => outcomes[index]!) : job.outcome;
      const entry = { job, done: commit.then(write).finally(() => inFlight.delete(entry)) };
      inFlight.add(entry);
      return entry.done;
    });
    return Promise.all(all).then(() => undefined);
  }

  async function quiet(): Promise<void> {
    while (inFlight.size > 0) {
      for (const { job } of inFlight) job.hurry(settleTimeout);
      await Promise.all([...inFlight].map(({ done }) => done));
    }
  }

  /** Runs what is due up to `target`, up to one batch, stopping after an instant that started jobs. */
  function runBatch(target: number, ledger: JournalEntry[] | undefined, stop: () => boolean): (() => Job)[] {
    const starts: (() => Job)[] = [];
    journal.collect(ledger, () =>
      store.transaction(() => {
        changed = false;
        let instant = -1;
        for (const timer of timers.due(target, BATCH)) {
          if (timer.due > instant && instant >= 0 && (starts.length > 0 || stop())) return;
          instant = Math.max(timer.due, clock.now());
          clock.freeze(instant);
          const start = fire(timer);
          if (start) starts.push(start);
          if (changed) return;
        }
      }),
    );
    return starts;
  }

  async function runUntil(
    target: number,
    ledger: JournalEntry[] | undefined,
    stop: () => boolean,
  ): Promise<void> {
    while (!closed) {
      const next = timers.first();
      if (!next || next.due > target) return;
      if (next.due > clock.now() && stop()) return;
      const starts = runBatch(target, ledger, stop);
      if (starts.length > 0) await launch(starts, true, ledger);
      else await new Promise<void>((resolve) => afterPendingIo(resolve));
      await quiet();
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
      const awaited = plan.event;
      const reached = () =>
        awaited !== undefined && (ledger?.some((entry) => entry.type === awaited) ?? false);
      await runUntil(plan.target, ledger, reached);
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
        reached: awaited === undefined || reached(),
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
        "Restore a snapshot or reset the world to return to an earlier time.",
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
    store.transaction(() => {
      for (const timer of timers.due(clock.now(), BATCH)) {
        const start = fire(timer);
        if (start) starts.push(start);
      }
    });
    void launch(starts, false);
    arm();
  }

  return {
    handle: (kind, handler) => void handlers.set(kind, handler),
    run: (start) => launch([start], false),
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
      for (const { job } of inFlight) job.hurry(0);
    },
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
