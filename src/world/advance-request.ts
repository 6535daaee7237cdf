import { misuse, SandboxError } from "../errors/errors.ts";
import { cannotGoBack, WAYS_BACK } from "./clock.ts";
import { iso, LAST_INSTANT, parseDuration, parseInstant } from "./duration.ts";
import type { Timer } from "./timers.ts";

/** How far an advance goes: one of the three. */
export type AdvanceRequest = { by?: unknown; to?: unknown; until?: unknown };

/** Which timers `next` counts. */
export type Matters = (timer: Timer) => boolean;

/** What an advance comes down to. */
export interface AdvancePlan {
  /** Virtual milliseconds up to which what is due is done. */
  target: number;
  /** Whether the clock ends there, also when nothing is due at it. */
  land: boolean;
  /** The journal entry that ends it. */
  event?: string;
}

/**
 * Reads what an advance was asked for. See docs/guide/clock.md, "Advance".
 * @param from where the clock stands, virtual milliseconds
 * @param nextDue when the earliest timer is due
 * @throws SandboxError `invalid_duration`, `invalid_time`, `bad_request`
 */
export function readAdvance(
  { by, to, until }: AdvanceRequest,
  from: number,
  nextDue: () => number | undefined,
): AdvancePlan {
  if ([by, to, until].filter((value) => value !== undefined).length !== 1) {
    throw misuse(
      "An advance takes exactly one of by, to and until.",
      'For example {"by": "1h"}, {"to": "2026-02-01T00:00:00Z"} or {"until": "next"}.',
    );
  }
  if (isNegative(by))
    throw new SandboxError(
      "invalid_duration",
      `An advance by ${JSON.stringify(by)} would go back.`,
      WAYS_BACK,
    );
  if (by !== undefined) return { target: atMost(from + parseDuration(by)), land: true };
  if (to !== undefined) {
    const target = parseInstant(to);
    if (target >= from) return { target, land: true };
    throw cannotGoBack(from, target);
  }
  if (typeof until !== "string" || until === "") {
    throw misuse("until takes next, idle or the name of an event.", {
      command: "For example --until webhook.disabled",
      library: 'For example { until: "webhook.disabled" }.',
      http: 'For example {"until": "webhook.disabled"}.',
    });
  }
  if (until === "next") return { target: nextDue() ?? from, land: false };
  if (until === "idle") return { target: LAST_INSTANT, land: false };
  return { target: LAST_INSTANT, land: false, event: until };
}

const isNegative = (by: unknown): boolean =>
  typeof by === "number" ? by < 0 : typeof by === "string" && /^\s*-/.test(by);

function atMost(instant: number): number {
  if (instant <= LAST_INSTANT) return instant;
  throw new SandboxError(
    "invalid_time",
    `That is past ${iso(LAST_INSTANT)}, the last instant of the clock.`,
    "Advance by less.",
  );
}
