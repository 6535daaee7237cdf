import type { Duration } from "../config/types.ts";
import type { JournalEntry, JournalEntryName } from "./journal.ts";
import type { ClockMode } from "./words.ts";

/**
 * The virtual clock of a world. It never goes back; `restore` and `reset` take the whole world back.
 * @example
 * const clock: Clock = sandbox.clock;
 * await clock.advance("2h");
 */
export interface Clock {
  /** How the clock runs, and the virtual time. */
  state(): Promise<ClockState>;
  /** The virtual time, ISO 8601. */
  now(): Promise<string>;
  /**
   * Moves the clock and runs everything due until then, real webhook deliveries included. Resolves once
   * nothing more is in flight.
   */
  advance(by: Duration | AdvanceTarget): Promise<Advance>;
  /**
   * Ends the advance in progress between two instants; that one then resolves with `cancelled: true` and what it caused
   * so far. Resolves once it has ended, and at once if none is in progress.
   */
  cancelAdvance(): Promise<AdvanceCancellation>;
  /** What an advance would find due and cause. Changes nothing. */
  preview(by: Duration | AdvanceTarget): Promise<AdvancePreview>;
  pause(): Promise<ClockState>;
  /** Lets the clock run again at the rate it had. */
  resume(): Promise<ClockState>;
  /** Changes mode, rate and time together. The clock is advanced to a later `now`; an earlier one is refused. */
  set(change: ClockChange): Promise<ClockState>;
}

/**
 * Where a clock stands and how it runs.
 * @example
 * const { mode, now }: ClockState = await sandbox.clock.state();
 */
export interface ClockState {
  mode: ClockMode;
  /** Virtual seconds in a real second: 1 when live, and the rate that `resume` goes back to when paused. */
  rate: number;
  /** The virtual time, ISO 8601. */
  now: string;
}

/**
 * A change of a clock. What is left out stays; a rate alone makes a live clock a scaled one.
 * @example
 * await sandbox.clock.set({ mode: "scaled", rate: 60 });
 */
export interface ClockChange {
  mode?: ClockMode;
  rate?: number;
  /** Virtual time to advance to: ISO 8601, or milliseconds since the epoch. */
  now?: string | number;
}

/**
 * How far an advance goes: by a duration, to an instant, or until something happens. `next` is the next thing due,
 * or with `own` the next one that is not about the seeded past alone. `idle` is when nothing is due any more.
 * @example
 * const target: AdvanceTarget = { until: "webhook.disabled" };
 */
export type AdvanceTarget =
  | { by: Duration }
  | { to: string | number }
  | { until: "next" | "idle" | JournalEntryName }
  | { until: "next"; own: boolean };

/**
 * What an advance did.
 * @example
 * const { reached, ledger }: Advance = await sandbox.clock.advance({ until: "delivery.failed" });
 */
export interface Advance {
  /** Virtual time before, ISO 8601. */
  from: string;
  /** Virtual time after, ISO 8601. */
  to: string;
  /** Real milliseconds that it took. */
  wall_ms: number;
  /** Whether it got as far as asked; with the name of an entry, whether that happened. */
  reached: boolean;
  /** Whether it was cancelled before its end, at `to`. */
  cancelled: boolean;
  /** The journal entries that it caused, in order. */
  ledger: JournalEntry[];
}

/**
 * What the end of an advance came to.
 * @example
 * const { cancelled }: AdvanceCancellation = await sandbox.clock.cancelAdvance();
 */
export interface AdvanceCancellation {
  /** Whether an advance was in progress. */
  cancelled: boolean;
  /** The virtual time, ISO 8601. */
  now: string;
}

/**
 * What an advance would find due, and what it would cause.
 * @example
 * const { would_fire }: AdvancePreview = await sandbox.clock.preview("1d");
 */
export interface AdvancePreview {
  from: string;
  to: string;
  dry_run: true;
  /** What is due first, in order: the first 1,000. */
  would_fire: {
    due_at: string;
    kind: string;
    key: string;
    payload: Record<string, unknown>;
    /** Whether it is about the demo data alone. */
    seeded: boolean;
  }[];
  /** How many are due first, with those that are not listed. */
  would_fire_count: number;
  /** Everything that would follow: webhook attempts, fewest and most, and events by their names. */
  would_cause: { attempts: { least: number; most: number }; events: Record<string, number> };
}
