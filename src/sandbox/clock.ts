import { SandboxError } from "../errors/errors.ts";
import { type ClockMode, checkPace } from "../world/clock.ts";
import { type ClockMessage, clockMessage } from "../world/clock-message.ts";
import { iso, LAST_INSTANT } from "../world/duration.ts";
import type { JournalEntry } from "../world/journal.ts";
import type { AdvanceRequest, AdvanceResult } from "../world/scheduler.ts";
import type { Timer } from "../world/timers.ts";
import type { World } from "../world/world.ts";
import type { AnyArea } from "./areas.ts";
import { ANYWHERE, checkUntil } from "./entry-names.ts";

/** The most due timers that a dry run lists. */
const MOST_LISTED = 1_000;

/** How far to advance, as a user writes it. */
export interface ClockAdvance extends AdvanceRequest {
  /** With `until: next`: stop only for something that is not about the seeded past, if there is any. */
  own?: boolean | undefined;
}

/**
 * The operations on a world's clock.
 * @param outlookUntil the effects of timers up to an instant
 * @param isSeeded whether a timer is only about the seeded past
 */
export function createClockControls<Outlook>(
  world: World,
  areas: readonly AnyArea[],
  outlookUntil: (target: number) => Promise<Outlook>,
  isSeeded: (timer: Timer) => boolean,
) {
  const { clock, journal, scheduler, timers } = world;

  const isOwn = (timer: Timer) => !isSeeded(timer);

  function firstOwn(): Timer | undefined {
    const first = timers.first();
    if (!first || isOwn(first)) return first;
    for (const timer of timers.walk(LAST_INSTANT)) if (isOwn(timer)) return timer;
    return undefined;
  }

  /**
   * The latest entry with the name that an advance waits for. If there is one, demo data alone does not make it wait for
   * another.
   */
  const lastEntry = ({ until }: AdvanceRequest): JournalEntry | undefined =>
    typeof until === "string" && !ANYWHERE.includes(until)
      ? journal.list({ types: [until], order: "desc", limit: 1 })[0]
      : undefined;

  return {
    state: clock.state,
    now: clock.now,
    isSeeded,

    async advance({ own, ...request }: ClockAdvance): Promise<AdvanceResult & { happened_at?: string }> {
      const happened = lastEntry(checkUntil(request, areas));
      const result = await scheduler.advance(request, own || happened ? isOwn : undefined);
      return result.reached || !happened ? result : { ...result, happened_at: happened.at };
    },

    /** Whether anything is due that is not about the seeded past. */
    hasOwnTimers: (): boolean => firstOwn() !== undefined,

    /** The timers that an advance would find due first, and all of its effects. Changes nothing. */
    async preview({ own, ...request }: ClockAdvance) {
      const happened = lastEntry(checkUntil(request, areas));
      const { from, to, target } = scheduler.preview(request, own || happened ? isOwn : undefined);
      const due = { first: timers.due(target, MOST_LISTED), count: timers.countDue(target) };
      return { from, to, due, outlook: await outlookUntil(target) };
    },

    /** Ends the advance in progress, if there is one, and returns the clock's state then. */
    async cancelAdvance() {
      const cancelled = await scheduler.cancelAdvance();
      return { cancelled, now: clock.state().now };
    },

    /** Changes mode and rate. A later `now` is advanced to, so that everything due until then runs. */
    async set(change: { mode?: ClockMode; rate?: number; now?: number }) {
      const { now, ...pace } = change;
      checkPace(pace);
      if (now !== undefined) {
        const { cancelled, to } = await scheduler.advance({ to: now });
        if (cancelled)
          throw new SandboxError(
            "conflict",
            `The advance to ${iso(now)} was ended at ${to}; nothing else was changed.`,
            "Set the clock again to go on.",
          );
      }
      clock.set(pace);
      scheduler.resume();
      return clock.state();
    },

    /** The clock's state in the form of the live stream. */
    message: (): ClockMessage => clockMessage(world, firstOwn()),

    /**
     * Calls back when the clock was moved or set, and when a journal entry may have changed the next due timer.
     * @param listener gets whether the clock itself changed
     * @returns ends that
     */
    onChange(listener: (moved: boolean) => void): () => void {
      const stops = [clock.onChange(() => listener(true)), journal.subscribe(() => listener(false))];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
