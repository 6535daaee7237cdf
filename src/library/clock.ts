import type { Static } from "typebox";
import type { Input } from "../http/shapes.ts";
import type * as schemas from "../operations/clock.ts";
import type { JournalEntryName } from "./journal.ts";
import type { Duration } from "./words.ts";

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
   * Ends the advance in progress between two instants; that advance then resolves with `cancelled: true` and its effects so far.
   * Resolves once it has ended, and immediately if none is in progress.
   */
  cancelAdvance(): Promise<AdvanceCancellation>;
  /** Predicts what is due in an advance, and its effects. Changes nothing. */
  preview(by: Duration | AdvanceTarget): Promise<AdvancePreview>;
  pause(): Promise<ClockState>;
  /** Lets the clock run again at its earlier rate. */
  resume(): Promise<ClockState>;
  /** Changes mode, rate and time together. The clock is advanced to a later `now`; an earlier one is refused. */
  set(change: ClockChange): Promise<ClockState>;
}

/**
 * The time of a clock, and how it runs.
 * @example
 * const { mode, now }: ClockState = await sandbox.clock.state();
 */
export type ClockState = Static<typeof schemas.ClockState>;

/**
 * A change of a clock. Omitted fields stay unchanged; a rate alone makes a live clock a scaled one.
 * @example
 * await sandbox.clock.set({ mode: "scaled", rate: 60 });
 */
export type ClockChange = Input<typeof schemas.ClockChange>;

/**
 * How far to advance: by a duration, to an instant, or until something happens. `next` is the next thing due, or with `own` the
 * next one that is not only about the seeded past. `idle` means until nothing more is due.
 * @example
 * const target: AdvanceTarget = { until: "webhook.disabled" };
 */
export type AdvanceTarget =
  | { by: Duration }
  | { to: string | number }
  | { until: "next" | "idle" | JournalEntryName }
  | { until: "next"; own: boolean };

/**
 * The result of an advance.
 * @example
 * const { reached, ledger }: Advance = await sandbox.clock.advance({ until: "delivery.failed" });
 */
export type Advance = Static<typeof schemas.AdvanceResult>;

/**
 * The result of cancelling an advance.
 * @example
 * const { cancelled }: AdvanceCancellation = await sandbox.clock.cancelAdvance();
 */
export type AdvanceCancellation = Static<typeof schemas.AdvanceCancelled>;

/**
 * What is due in an advance, and its predicted effects.
 * @example
 * const { would_fire }: AdvancePreview = await sandbox.clock.preview("1d");
 */
export type AdvancePreview = Static<typeof schemas.AdvancePreview>;
