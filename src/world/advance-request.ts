import { invalidDuration, invalidTime, misuse } from "../errors/errors.ts";
import { cannotGoBack, WAYS_BACK } from "./clock.ts";
import { iso, LAST_INSTANT, parseDuration, parseInstant } from "./duration.ts";
import type { Timer, Timers } from "./timers.ts";

/** How far to advance: exactly one of these fields. */
export type AdvanceRequest = { by?: unknown; to?: unknown; until?: unknown };

/** Whether `next` considers a timer. */
export type Matters = (timer: Timer) => boolean;

export interface AdvancePlan {
  /** The virtual instant up to which due work runs, in milliseconds. */
  target: number;
  /** Whether the clock stops at the target even if nothing is due then. */
  land: boolean;
  /** The type of the journal entry that ends the advance. */
  event?: string;
}

/**
 * Reads an advance request. See docs/guide/clock.md, "Advance".
 * @param from the clock's current time in virtual milliseconds
 * @param matters timers that `until: next` considers (if any is due) and that can cause an awaited entry; by default, all
 * @throws SandboxError `invalid_duration`, `invalid_time`, `bad_request`
 */
export function readAdvance(
  { by, to, until }: AdvanceRequest,
  from: number,
  timers: Timers,
  matters?: Matters,
): AdvancePlan {
  if ([by, to, until].filter((value) => value !== undefined).length !== 1) {
    throw misuse(
      "An advance needs exactly one of by, to and until.",
      'For example: {"by": "1h"}, {"to": "2026-02-01T00:00:00Z"} or {"until": "next"}.',
    );
  }
  if (isNegative(by))
    throw invalidDuration(`An advance by ${JSON.stringify(by)} would move the clock backwards.`, WAYS_BACK);
  if (by !== undefined) return { target: atMost(from + parseDuration(by)), land: true };
  if (to !== undefined) {
    const target = parseInstant(to);
    if (target >= from) return { target, land: true };
    throw cannotGoBack(from, target);
  }
  if (typeof until !== "string" || until === "") {
    throw misuse("until expects next, idle or the name of an event.", {
      command: "For example: --until webhook.disabled",
      library: 'For example: { until: "webhook.disabled" }.',
      http: 'For example: {"until": "webhook.disabled"}.',
    });
  }
  if (until === "next") {
    const next = (matters && firstOf(timers, matters)) ?? timers.first();
    return { target: next?.due ?? from, land: false };
  }
  if (until === "idle") return { target: LAST_INSTANT, land: false };
  return { target: LAST_INSTANT, land: false, event: until };
}

/** Whether the plan waits for an entry that no due timer can cause. */
export const isInVain = ({ event }: AdvancePlan, timers: Timers, matters?: Matters): boolean =>
  event !== undefined && matters !== undefined && !firstOf(timers, matters);

function firstOf(timers: Timers, matters: Matters): Timer | undefined {
  for (const timer of timers.walk(LAST_INSTANT)) if (matters(timer)) return timer;
  return undefined;
}

const isNegative = (by: unknown): boolean =>
  typeof by === "number" ? by < 0 : typeof by === "string" && /^\s*-/.test(by);

function atMost(instant: number): number {
  if (instant <= LAST_INSTANT) return instant;
  throw invalidTime(
    `That is after ${iso(LAST_INSTANT)}, the last instant that the clock can reach.`,
    "Advance by less.",
  );
}
