import type { Static } from "typebox";
import type { Input } from "../http/shapes.ts";
import type * as schemas from "../operations/clock.ts";
import type { JournalEntryName } from "./journal.ts";
import type { Duration } from "./words.ts";

/**
 * A world's virtual clock. It never runs backwards; `restore` and `reset` take the whole world back in time.
 * @example
 * const clock: Clock = sandbox.clock;
 * await clock.advance("2h");
 */
export interface Clock {
  /** Returns the clock's mode, rate and virtual time. */
  state(): Promise<ClockState>;
  /** Returns the virtual time in ISO 8601 format. */
  now(): Promise<string>;
  /**
   * Advances the clock and runs everything that becomes due, including real webhook deliveries. Resolves once nothing
   * is in flight.
   */
  advance(by: Duration | AdvanceTarget): Promise<Advance>;
  /**
   * Stops the advance in progress, which then resolves with `cancelled: true` and its effects so far. Resolves once it
   * has stopped, or immediately if no advance is in progress.
   */
  cancelAdvance(): Promise<AdvanceCancellation>;
  /** Predicts what an advance would run, and its effects, without changing anything. */
  preview(by: Duration | AdvanceTarget): Promise<AdvancePreview>;
  pause(): Promise<ClockState>;
  /** Resumes the clock at the rate it had before. */
  resume(): Promise<ClockState>;
  /** Changes the mode, rate and time together. A later `now` advances the clock; an earlier one is rejected. */
  set(change: ClockChange): Promise<ClockState>;
}

/**
 * A clock's time, mode and rate.
 * @example
 * const { mode, now }: ClockState = await sandbox.clock.state();
 */
export type ClockState = Static<typeof schemas.ClockState>;

/**
 * A change to a clock. Omitted fields stay unchanged. A rate without a mode switches a live clock to `scaled`.
 * @example
 * await sandbox.clock.set({ mode: "scaled", rate: 60 });
 */
export type ClockChange = Input<typeof schemas.ClockChange>;

/**
 * How far to advance: by a duration, to an instant, or until something happens. `next` advances to the next thing that
 * is due; with `own`, things that only concern the seeded history do not count. `idle` advances until nothing more is
 * due.
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
 * What an advance would run, and its predicted effects.
 * @example
 * const { would_fire }: AdvancePreview = await sandbox.clock.preview("1d");
 */
export type AdvancePreview = Static<typeof schemas.AdvancePreview>;
