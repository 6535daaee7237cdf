import { MINUTE } from "../../src/timeline/duration.ts";
import type { Timeline, TimelineAttempt } from "../../src/timeline/schemas.ts";

/** Made-up timelines, used to test marks, lanes and labels. */

export const START = Date.parse("2026-01-15T09:00:00.000Z");
export const iso = (minutes: number) => new Date(START + minutes * MINUTE).toISOString();

export function attempt(minutes: number, over: Partial<TimelineAttempt> = {}): TimelineAttempt {
  const status = over.status ?? "failed";
  return {
    delivery_id: `del_${over.event_id ?? "a"}_${minutes}`,
    event_id: "a",
    event: "payment.completed",
    attempt: 1,
    trigger: "automatic",
    retry_of: null,
    resend_of: null,
    response_code: status === "success" ? 200 : 503,
    error: status === "success" ? null : "status",
    error_detail: null,
    started_at: iso(minutes),
    ended_at: iso(minutes),
    duration_ms: 0,
    consecutive_failures: null,
    next_attempt_at: null,
    ...over,
    status,
  };
}

export function timeline(over: Partial<Timeline> = {}): Timeline {
  return {
    webhook_id: "wh_1",
    now: iso(2),
    status: "enabled",
    counter: { consecutive_failures: 2, threshold: 10, counts: "attempts" },
    retry_delays: [MINUTE, 10 * MINUTE, 60 * MINUTE],
    attempts: [attempt(0, { consecutive_failures: 1 }), attempt(1, { attempt: 2, consecutive_failures: 2 })],
    earlier: { attempts: 0, since: null, slices: [] },
    planned: [{ event_id: "a", event: "payment.completed", attempt: 3, due_at: iso(11) }],
    skipped: [],
    forecast: {
      attempts: [
        { event_id: "a", attempt: 3, due_at: iso(11) },
        { event_id: "a", attempt: 4, due_at: iso(71) },
      ],
      disabled_at: null,
    },
    changes: [{ type: "created", reason: null, at: iso(-5) }],
    ...over,
  };
}

/** An empty forecast. */
export const NONE = { attempts: [], disabled_at: null };
