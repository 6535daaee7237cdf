import { type Hint, invalidTime, misuse, type SandboxError } from "../errors/errors.ts";
import { iso, LAST_INSTANT } from "./duration.ts";
import type { Store } from "./store.ts";

/**
 * The only reader of wall time. The globals are read once, when this file loads, so that fake timers in the user's own process
 * never reach the sandbox.
 */
const readHrtime = process.hrtime.bind(process);
/**
 * In milliseconds. This is not `performance.now`, because loading Node's modules for it would cost each command a
 * millisecond.
 */
function readMonotonic(): number {
  const [seconds, nanoseconds] = readHrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
/** The machine's clock is read once, so that time passes evenly within a process even if the clock is changed later. */
const BEGAN_AT = Date.now() - readMonotonic();
const startTimer = setTimeout;
const stopTimer = clearTimeout;
const afterIo = setImmediate;
const stopAfterIo = clearImmediate;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Whether the globals are fake timers now. Libraries that read them at each use, as undici does before it reuses a connection,
 * then wait for a clock that does not move.
 */
export function timersAreFake(): boolean {
  return setImmediate !== afterIo;
}

/**
 * Whole milliseconds since the epoch: the machine's clock when the process started, plus the time since then. It never
 * goes backwards.
 */
export function wallNow(): number {
  return Math.floor(BEGAN_AT + readMonotonic());
}

/**
 * Calls `run` after `ms` of real time. For 0 or less, calls it after pending I/O: a timer would wait at least 1 ms.
 * The timer does not keep the process alive.
 * @returns a function that cancels the call
 */
export function wallTimer(ms: number, run: () => void): () => void {
  if (ms <= 0) {
    const soon = afterIo(run).unref();
    return () => stopAfterIo(soon);
  }
  const timer = startTimer(run, Math.min(Math.ceil(ms), LONGEST_TIMER_MS));
  timer.unref();
  return () => stopTimer(timer);
}

/** The maximum number of turns in a patient timer, and the minimum length of a turn in real milliseconds. */
const TURNS = 10;
const TURN_MS = 20;

/**
 * Like wallTimer, but waits in turns; between them, the process reads whatever has arrived. On a busy machine, a
 * process may be stalled for longer than a peer's timeout. That counts as one turn, so a response is not treated as
 * late only because it was read late.
 * @returns a function that cancels the call
 */
export function patientTimer(ms: number, run: () => void): () => void {
  const turns = Math.min(TURNS, Math.max(1, Math.floor(ms / TURN_MS)));
  let left = turns;
  let cancel = () => {};
  const next = () => {
    left -= 1;
    cancel = wallTimer(ms / turns, left === 0 ? run : next);
  };
  next();
  return () => cancel();
}

/** Keeps the process alive until the returned function is called. */
export function holdProcess(): () => void {
  const timer = startTimer(() => undefined, LONGEST_TIMER_MS);
  return () => stopTimer(timer);
}

/** Resolves after `ms` of real time. Unlike `wallTimer` it keeps the process alive, because a caller awaits it. */
export function wallSleep(ms: number): Promise<void> {
  return new Promise((resolve) => void startTimer(resolve, ms));
}

/** Calls `run` once pending I/O has been handled. */
export function afterPendingIo(run: () => void): void {
  afterIo(run);
}

export const CLOCK_TABLES = `create table clock (
  id integer primary key check (id = 1), mode text not null, rate real not null,
  anchor_virtual integer not null, anchor_wall integer not null
);`;

export const CLOCK_MODES = ["live", "scaled", "paused"] as const;
export type ClockMode = (typeof CLOCK_MODES)[number];
export const MAX_RATE = 1_000_000;

/** How to return to an earlier time, because the clock cannot go back. */
export const WAYS_BACK: Hint = {
  command: "The clock only goes forward. To go back: npx sandglass snapshot restore <name>",
  library: "The clock only goes forward. To go back, call restore(snapshot) or reset().",
  http: "The clock only goes forward. To go back, restore a snapshot or POST /_sandbox/reset.",
};

/** The error for a time in the past. */
export const cannotGoBack = (now: number, target: number): SandboxError =>
  invalidTime(`The clock shows ${iso(now)} and cannot go back to ${iso(target)}.`, WAYS_BACK);

export interface ClockState {
  mode: ClockMode;
  /** Virtual seconds per real second: 1 if live; if paused, the rate that `resume` restores. */
  rate: number;
  /** The virtual instant, ISO 8601. */
  now: string;
}

/** Omitted fields stay unchanged. Setting only a rate turns a live clock into a scaled one. */
export interface ClockChange {
  mode?: ClockMode | undefined;
  rate?: number | undefined;
  now?: number | undefined;
}

/** A world's virtual clock: an offset and a rate over wall time. It never goes backwards. */
export interface Clock {
  /** Virtual time, whole milliseconds since the epoch. */
  now(): number;
  /** Real time, whole milliseconds since the epoch. */
  wall(): number;
  /** Real milliseconds until the virtual clock shows `instant`; infinite while it is paused. */
  wallUntil(instant: number): number;
  state(): ClockState;
  readonly running: boolean;
  /**
   * Changes mode, rate and time together.
   * @throws SandboxError `invalid_time` for a `now` in the past, `bad_request` for a rate out of range
   */
  set(change: ClockChange): void;
  /** Holds the clock at an instant while an advance runs its timers. */
  freeze(instant: number): void;
  /** Lets the clock continue from where it was frozen. */
  thaw(): void;
  /** Stores the current instant and returns it: a snapshot taken now starts there. */
  anchor(): number;
  /** Calls the listener after a change of mode, rate or time, and after an advance. @returns a function that unsubscribes it */
  onChange(listener: () => void): () => void;
}

interface ClockRow {
  mode: ClockMode;
  rate: number;
  anchor_virtual: number;
  anchor_wall: number;
}

type Pace = Pick<ClockRow, "mode" | "rate">;

/** Checks that mode and rate are compatible, before anything changes. @throws SandboxError `bad_request` */
export function checkPace({ mode, rate }: Omit<ClockChange, "now">): void {
  if (mode !== "live" || rate === undefined || rate === 1) return;
  throw misuse(
    `A live clock always has rate 1, not ${rate}.`,
    "For any other rate, omit the mode or set it to scaled.",
  );
}

/** @throws SandboxError `bad_request` for a rate out of range */
function paceAfter(stored: Pace, change: ClockChange): Pace {
  const implied = change.rate === 1 ? "live" : "scaled";
  const mode = change.mode ?? (change.rate === undefined || stored.mode === "paused" ? stored.mode : implied);
  const rate = mode === "live" ? 1 : (change.rate ?? stored.rate);
  if (Number.isFinite(rate) && rate > 0 && rate <= MAX_RATE) return { mode, rate };
  throw misuse(
    `The rate must be above 0 and at most ${MAX_RATE}, not ${rate}.`,
    "For example, 60 means one minute per second. To stop the clock, pause it.",
  );
}

/**
 * @param initial used only if the store has no clock yet
 * @param goesOn whether a world file is reopened, in which case the real time since it was closed counts. A world that
 * starts from bytes continues at their instant.
 */
export function createClock(
  store: Store,
  initial: { mode: ClockMode; rate: number; now: number },
  goesOn: boolean,
): Clock {
  const read = store.sql<ClockRow>("select mode, rate, anchor_virtual, anchor_wall from clock");
  const write = store.sql(
    "insert or replace into clock (id, mode, rate, anchor_virtual, anchor_wall) values (1, ?, ?, ?, ?)",
  );
  let frozen: number | undefined;
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };

  /** A rollback restores the stored row. */
  const row = store.memo(() => read.get()!);

  /** Restarts counting from now. The new row is cached only after it was written. */
  function save(next: Omit<ClockRow, "anchor_wall">): void {
    const stored = row.get() as ClockRow | undefined;
    const isStored = stored?.rate === next.rate && stored.anchor_virtual === next.anchor_virtual;
    // The anchor of a paused clock does not matter.
    if (!isStored || stored.mode !== "paused" || next.mode !== "paused") {
      const saved = { ...next, anchor_wall: wallNow() };
      write.run(saved.mode, saved.rate, saved.anchor_virtual, saved.anchor_wall);
      row.set(saved);
    }
    tell();
  }

  const stored = read.get();
  if (!stored) save({ mode: initial.mode, rate: initial.rate, anchor_virtual: initial.now });
  // If the machine's clock was set back in the meantime, assume that no time has passed.
  else if (!goesOn || stored.anchor_wall > wallNow()) save(stored);
  store.onRestore(() => {
    frozen = undefined;
    save(row.get());
  });

  function now(): number {
    if (frozen !== undefined) return frozen;
    const { mode, rate, anchor_virtual: anchor, anchor_wall: since } = row.get();
    if (mode === "paused") return anchor;
    return Math.min(LAST_INSTANT, anchor + Math.floor((wallNow() - since) * rate));
  }

  return {
    now,
    wall: wallNow,
    wallUntil: (instant) =>
      row.get().mode === "paused"
        ? Number.POSITIVE_INFINITY
        : Math.max(0, (instant - now()) / row.get().rate),
    state: () => ({ mode: row.get().mode, rate: row.get().rate, now: iso(now()) }),
    get running() {
      return row.get().mode !== "paused" && frozen === undefined;
    },
    set(change) {
      const current = now();
      const target = change.now ?? current;
      if (target < current) throw cannotGoBack(current, target);
      save({ ...paceAfter(row.get(), change), anchor_virtual: target });
      if (frozen !== undefined) frozen = target;
    },
    freeze(instant) {
      const moved = instant !== frozen;
      frozen = instant;
      if (moved) tell();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    anchor() {
      const instant = now();
      save({ ...row.get(), anchor_virtual: instant });
      return instant;
    },
    thaw() {
      if (frozen === undefined) return;
      const instant = frozen;
      frozen = undefined;
      try {
        save({ ...row.get(), anchor_virtual: instant });
      } catch (error) {
        frozen = instant;
        throw error;
      }
    },
  };
}
