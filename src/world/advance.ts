import { lacksRoom } from "../errors/disk-full.ts";
import { SandboxError } from "../errors/errors.ts";
import { type AdvancePlan, type AdvanceRequest, type Matters, readAdvance } from "./advance-request.ts";
import { afterPendingIo, type Clock } from "./clock.ts";
import { closedError } from "./database.ts";
import { iso, LAST_INSTANT } from "./duration.ts";
import type { Firing, Start } from "./firing.ts";
import type { JobGroup, Jobs } from "./jobs.ts";
import type { JournalEntry } from "./journal.ts";
import type { Patience } from "./patience.ts";
import type { Timer, Timers } from "./timers.ts";

export interface AdvanceResult {
  /** Virtual time before and after, ISO 8601. */
  from: string;
  to: string;
  /** Real milliseconds it took. */
  wall_ms: number;
  /** Whether the advance got as far as requested; with an entry type, whether such an entry was written. */
  reached: boolean;
  /** Whether it was cancelled before its end, at `to`. */
  cancelled: boolean;
  /** The journal entries that it caused, in order. */
  ledger: JournalEntry[];
}

export interface AdvanceProgress {
  /** Virtual milliseconds at which it began. */
  from: number;
  /** Virtual milliseconds at which it ends; undefined if that depends on events. */
  to: number | undefined;
  /** Journal entries that it caused so far. */
  entries: number;
  /** How many requests the clock waits for. */
  waiting: number;
  /** Whether its end was requested: it finishes its last instant. */
  ending: boolean;
}

interface Underway {
  from: number;
  to: number | undefined;
  ledger: JournalEntry[];
  cancelled: boolean;
  ended?: Promise<unknown>;
}

interface Parts {
  clock: Clock;
  timers: Timers;
  jobs: Jobs;
  firing: Firing;
  patience: Patience;
  /** Whether the world was closed. */
  isClosed: () => boolean;
}

/** Moves the clock from instant to instant, and does what is due at each. The caller makes sure that only one runs at a time. */
export function createAdvances({ clock, timers, jobs, firing, patience, isClosed }: Parts) {
  let moving = false;
  /** The requested advance that runs now. */
  let underway: Underway | undefined;

  const read = (request: AdvanceRequest, from: number, matters?: Matters) =>
    readAdvance(request, from, () => nextTimer(matters)?.due);

  /** The earliest timer that matters. */
  function firstOf(matters: Matters): Timer | undefined {
    for (const timer of timers.walk(LAST_INSTANT)) if (matters(timer)) return timer;
    return undefined;
  }

  /** The earliest timer that matters; if none does, the earliest. */
  const nextTimer = (matters?: Matters): Timer | undefined => (matters && firstOf(matters)) ?? timers.first();

  /** Whether the plan waits for an entry, and nothing that could cause it is due. */
  const isInVain = ({ event }: AdvancePlan, matters?: Matters): boolean =>
    event !== undefined && matters !== undefined && !firstOf(matters);

  /** Fires a batch of what is due up to `target`, and ends it after an instant that requested jobs. */
  function fireInstants(
    target: number,
    ledger: JournalEntry[] | undefined,
    isEnough: () => boolean,
  ): Start[] {
    const from = clock.now();
    try {
      return firing.fireDue(target, ledger, (starts) => {
        clock.freeze(from);
        let instant = -1;
        return (timer) => {
          if (timer.due > instant && instant >= 0 && (starts.length > 0 || isEnough())) return false;
          instant = Math.max(timer.due, clock.now());
          clock.freeze(instant);
          return true;
        };
      });
    } catch (error) {
      // The clock never shows an instant whose work was rolled back. At a failing timer, it stays.
      if (lacksRoom(error)) clock.freeze(from);
      throw error;
    }
  }

  /**
   * Does everything that is due up to `target`, instant by instant: the jobs of an instant run side by side, and their outcomes
   * are written before the clock moves on.
   * @param isEnough whether to end before the next instant
   */
  async function walkTo(
    target: number,
    ledger: JournalEntry[] | undefined,
    isEnough: () => boolean,
  ): Promise<void> {
    let group: JobGroup | undefined;
    const settle = async () => {
      const ended = group;
      group = undefined;
      await ended?.settle();
    };
    try {
      while (!isClosed()) {
        const next = timers.first();
        const sameInstant = next !== undefined && next.due <= clock.now();
        if (!sameInstant && group) {
          await settle();
          await jobs.quiet();
        } else if (sameInstant || (next && next.due <= target && !isEnough())) {
          // While results of this instant are open, only timers of the same instant may run.
          const starts = fireInstants(group ? clock.now() : target, ledger, isEnough);
          if (starts.length > 0) {
            group ??= jobs.open(ledger);
            firing.beginAll(starts, group);
          }
          await new Promise<void>((resolve) => afterPendingIo(resolve));
        } else break;
      }
    } finally {
      // Results of begun jobs are written, whatever ended the walk.
      await settle();
    }
  }

  /** @param advance the advance that was requested; without it, timers that are due now run because the clock stands still */
  async function move(
    request: AdvanceRequest,
    advance?: Underway,
    matters?: Matters,
  ): Promise<AdvanceResult> {
    const wallStart = clock.wall();
    const ledger = advance?.ledger;
    moving = true;
    underway = advance;
    firing.allow();
    patience.begin();
    try {
      await jobs.quiet();
      const from = clock.now();
      clock.freeze(from);
      const plan = read(request, from, matters);
      if (advance) Object.assign(advance, { from, to: plan.land ? plan.target : undefined });
      const reached = watchFor(plan.event, ledger ?? []);
      const isEnough = () => advance?.cancelled || reached() || isInVain(plan, matters);
      await walkTo(plan.target, ledger, isEnough);
      while (jobs.busy) {
        await jobs.quiet();
        await walkTo(plan.target, ledger, isEnough);
      }
      if (isClosed()) throw closedError();
      const cancelled = advance?.cancelled ?? false;
      // Write the time before showing it: the disk may be full.
      if (plan.land && !cancelled && plan.target > clock.now()) clock.set({ now: plan.target });
      return {
        from: iso(from),
        to: iso(clock.now()),
        wall_ms: clock.wall() - wallStart,
        reached: plan.event === undefined ? !cancelled : reached(),
        cancelled,
        ledger: ledger ?? [],
      };
    } catch (error) {
      throw error instanceof SandboxError && !lacksRoom(error) ? error : firing.stop(error, undefined);
    } finally {
      moving = false;
      underway = undefined;
      patience.end();
      if (!isClosed()) clock.thaw();
    }
  }

  return {
    get moving(): boolean {
      return moving;
    },

    /** @throws SandboxError `invalid_duration`, `invalid_time`, `bad_request` for a request that cannot be read */
    check: (request: AdvanceRequest): void => void read(request, clock.now()),

    advance(request: AdvanceRequest, matters?: Matters): Promise<AdvanceResult> {
      const advance: Underway = { from: clock.now(), to: undefined, ledger: [], cancelled: false };
      const result = move(request, advance, matters);
      advance.ended = result.catch(() => undefined);
      return result;
    },

    /** Does what is due now, without moving the clock. */
    catchUp: (): Promise<AdvanceResult> => move({ by: 0 }),

    progress: (): AdvanceProgress | undefined =>
      underway && {
        from: underway.from,
        to: underway.to,
        entries: underway.ledger.length,
        waiting: jobs.count,
        ending: underway.cancelled,
      },

    async cancel(): Promise<boolean> {
      const advance = underway;
      if (!advance) return false;
      advance.cancelled = true;
      await advance.ended;
      return true;
    },

    preview(request: AdvanceRequest, matters?: Matters): { from: string; to: string; target: number } {
      const from = clock.now();
      const plan = read(request, from, matters);
      const target = isInVain(plan, matters) ? from : plan.target;
      const { land } = plan;
      return { from: iso(from), to: iso(land ? target : (timers.lastDue(target) ?? from)), target };
    },
  };
}

/** Returns a function that says whether the ledger has an entry of this type. Each entry is checked once. */
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
