import type { Static } from "typebox";
import { conflict } from "../errors/errors.ts";
import type { AdvancePreview, ClockAdvance } from "../operations/clock.ts";
import type { InputOf, MethodsOf } from "../operations/index.ts";
import { checkPace } from "../world/clock.ts";
import { type ClockMessage, clockMessage } from "../world/clock-message.ts";
import { iso, LAST_INSTANT, parseInstant } from "../world/duration.ts";
import type { JournalEntry } from "../world/journal.ts";
import type { AdvanceRequest, AdvanceResult } from "../world/scheduler.ts";
import type { Timer } from "../world/timers.ts";
import type { World } from "../world/world.ts";
import type { AnyArea, Parts } from "./areas.ts";
import { ANYWHERE, checkUntil } from "./entry-names.ts";

/** The maximum number of due timers that a dry run lists. */
const MOST_LISTED = 1_000;

/**
 * Operations on a world's clock. Instants are in virtual milliseconds. See docs/architecture.md, "Time".
 * @throws SandboxError `invalid_duration`, `invalid_time`, `bad_request`, `conflict` if setting the clock was
 * interrupted
 */
export interface ClockControls
  extends Omit<MethodsOf<"clock", "cancelAdvance" | "set" | "pause" | "resume">, "advance"> {
  now(): number;
  /**
   * Runs everything due up to the target. If the awaited entry did not occur, `happened_at` is when it last occurred.
   */
  advance(request: InputOf<"clock.advance">): Promise<AdvanceResult & { happened_at?: string }>;
  /** Whether anything is due that does not belong to the seeded history. */
  hasOwnTimers(): boolean;
  /** Predicts what an advance would cause, without changing anything. */
  preview(request: ClockAdvance): Promise<Static<typeof AdvancePreview>>;
  /** The clock's state as the live stream sends it. */
  message(): ClockMessage;
  /**
   * Calls the listener when the clock moves (`moved`) or is set, and when the next due timer may have changed.
   * @returns a function that unsubscribes
   */
  onChange(listener: (moved: boolean) => void): () => void;
}

export function createClockControls(world: World, areas: readonly AnyArea[], parts: Parts): ClockControls {
  const { clock, journal, scheduler, timers } = world;

  /** Whether a timer concerns only the seeded history. */
  const isSeeded = (timer: Timer) => parts.all.some((part) => part.isSeeded?.(timer));
  const isOwn = (timer: Timer) => !isSeeded(timer);

  /** Predicts the attempts and events that timers would cause up to an instant. */
  async function outlook(until: number): Promise<Static<typeof AdvancePreview>["would_cause"]> {
    const attempts = await parts.webhooks.attemptsUntil(until);
    const events: Record<string, number> = {};
    for (const part of parts.all) Object.assign(events, await part.outlook?.(until, attempts.announce));
    return { attempts: attempts.count(), events };
  }

  function firstOwn(): Timer | undefined {
    const first = timers.first();
    if (!first || isOwn(first)) return first;
    for (const timer of timers.walk(LAST_INSTANT)) if (isOwn(timer)) return timer;
    return undefined;
  }

  /**
   * The latest entry with the awaited name. If there is one, the advance does not wait for another entry that concerns
   * only demo data.
   */
  const lastEntry = ({ until }: AdvanceRequest): JournalEntry | undefined =>
    typeof until === "string" && !ANYWHERE.includes(until)
      ? journal.list({ types: [until], order: "desc", limit: 1 })[0]
      : undefined;

  const preview: ClockControls["preview"] = async ({ own, ...request }) => {
    const happened = lastEntry(checkUntil(request, areas));
    const { from, to, target } = scheduler.preview(request, own || happened ? isOwn : undefined);
    return {
      from,
      to,
      dry_run: true,
      would_fire: timers.due(target, MOST_LISTED).map((timer) => {
        const { due, kind, key, payload } = timer;
        return { due_at: iso(due), kind, key, payload, seeded: isSeeded(timer) };
      }),
      would_fire_count: timers.countDue(target),
      would_cause: await outlook(target),
    };
  };

  const set: ClockControls["set"] = async ({ now, ...pace }) => {
    const to = now === undefined ? undefined : parseInstant(now);
    checkPace(pace);
    if (to !== undefined) {
      const advanced = await scheduler.advance({ to });
      if (advanced.cancelled)
        throw conflict(
          `The advance to ${iso(to)} was cancelled at ${advanced.to}; nothing else was changed.`,
          "Set the clock again to continue.",
        );
    }
    clock.set(pace);
    scheduler.resume();
    return clock.state();
  };

  return {
    state: clock.state,
    now: clock.now,

    async advance({ own, dryRun, ...request }) {
      // The result type is for calls without dryRun. Callers that pass dryRun expect a preview.
      if (dryRun) return (await preview({ own, ...request })) as never;
      const happened = lastEntry(checkUntil(request, areas));
      const result = await scheduler.advance(request, own || happened ? isOwn : undefined);
      return result.reached || !happened ? result : { ...result, happened_at: happened.at };
    },

    hasOwnTimers: () => firstOwn() !== undefined,

    preview,

    async cancelAdvance() {
      const cancelled = await scheduler.cancelAdvance();
      return { cancelled, now: clock.state().now };
    },

    set,
    pause: () => set({ mode: "paused" }),
    async resume() {
      const { mode, rate } = clock.state();
      return mode === "paused" ? set({ mode: rate === 1 ? "live" : "scaled" }) : clock.state();
    },

    message: () => clockMessage(world, firstOwn()),

    onChange(listener) {
      const stops = [clock.onChange(() => listener(true)), journal.subscribe(() => listener(false))];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
