import { lacksRoom } from "../errors/disk-full.ts";
import { SandboxError } from "../errors/errors.ts";
import { type AdvanceRequest, isInVain, type Matters, readAdvance } from "./advance-request.ts";
import { closedError } from "./database.ts";
import { iso } from "./duration.ts";
import type { JournalEntry } from "./journal.ts";
import type { Patience } from "./patience.ts";
import { createWalk, type WalkParts } from "./walk.ts";

export interface AdvanceResult {
  /** The virtual time before and after the advance, in ISO 8601. */
  from: string;
  to: string;
  /** How long the advance took, in real milliseconds. */
  wall_ms: number;
  /**
   * Whether the advance reached the requested time or, if an entry type was requested, whether such an entry was
   * written.
   */
  reached: boolean;
  /** Whether the advance was cancelled early, at `to`. */
  cancelled: boolean;
  /** The journal entries that the advance caused, in order. */
  ledger: JournalEntry[];
}

export interface AdvanceProgress {
  /** The virtual instant at which the advance started, in milliseconds. */
  from: number;
  /** The virtual instant at which the advance ends, in milliseconds; undefined if that depends on events. */
  to: number | undefined;
  /** The number of journal entries that the advance has caused so far. */
  entries: number;
  /** The number of requests that the clock is waiting for. */
  waiting: number;
  /** Whether a cancellation was requested. The current instant still completes. */
  ending: boolean;
}

interface Underway {
  from: number;
  to: number | undefined;
  ledger: JournalEntry[];
  cancelled: boolean;
  ended?: Promise<unknown>;
}

/** Advances the clock. The caller ensures that only one advance runs at a time. */
export function createAdvances({ patience, ...parts }: WalkParts & { patience: Patience }) {
  const { clock, timers, jobs, lifecycle } = parts;
  const walkTo = createWalk(parts);
  let moving = false;
  /** The requested advance that is running. */
  let underway: Underway | undefined;

  /**
   * @param advance the requested advance; if omitted, this only runs timers that are due now while the clock is paused
   */
  async function move(
    request: AdvanceRequest,
    advance?: Underway,
    matters?: Matters,
  ): Promise<AdvanceResult> {
    const wallStart = clock.wall();
    const ledger = advance?.ledger;
    moving = true;
    underway = advance;
    lifecycle.allow();
    patience.begin();
    try {
      await jobs.quiet();
      const from = clock.now();
      clock.freeze(from);
      const plan = readAdvance(request, from, timers, matters);
      if (advance) Object.assign(advance, { from, to: plan.land ? plan.target : undefined });
      const reached = watchFor(plan.event, ledger ?? []);
      const isEnough = () => advance?.cancelled || reached() || isInVain(plan, timers, matters);
      await walkTo(plan.target, ledger, isEnough);
      if (lifecycle.closed) throw closedError();
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
      throw error instanceof SandboxError && !lacksRoom(error) ? error : lifecycle.stop(error);
    } finally {
      moving = false;
      underway = undefined;
      patience.end();
      if (!lifecycle.closed) clock.thaw();
    }
  }

  return {
    get moving(): boolean {
      return moving;
    },

    /** @throws SandboxError `invalid_duration`, `invalid_time`, `bad_request` for a request that cannot be read */
    check: (request: AdvanceRequest): void => void readAdvance(request, clock.now(), timers),

    advance(request: AdvanceRequest, matters?: Matters): Promise<AdvanceResult> {
      const advance: Underway = { from: clock.now(), to: undefined, ledger: [], cancelled: false };
      const result = move(request, advance, matters);
      advance.ended = result.catch(() => undefined);
      return result;
    },

    /** Runs everything due now, without moving the clock. */
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
      const plan = readAdvance(request, from, timers, matters);
      const target = isInVain(plan, timers, matters) ? from : plan.target;
      const { land } = plan;
      return { from: iso(from), to: iso(land ? target : (timers.lastDue(target) ?? from)), target };
    },
  };
}

/**
 * Returns a function that reports whether the advance has caused an entry of this type. Each entry is checked only
 * once.
 */
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
