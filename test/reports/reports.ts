import type { EventType } from "../../src/payments/webhooks/event-types.ts";
import type { EndpointReport, ScenarioReport, StepReport } from "../../src/reports/scenario-report.ts";
import type { JournalEntry } from "../../src/world/journal.ts";

/** Made-up reports, used to test the formats. */

export type Timeline = EndpointReport["timeline"];
export type Attempt = Timeline["attempts"][number];

const START = Date.parse("2026-01-15T09:00:00.000Z");
export const MINUTE = 60_000;

/** The time when this many virtual minutes have passed since the start. */
export const at = (minutes: number): string => new Date(START + Math.round(minutes * MINUTE)).toISOString();

export function attempt(minutes: number, over: Partial<Attempt> = {}): Attempt {
  const status = over.status ?? "failed";
  const success = status === "success";
  return {
    delivery_id: `del_${over.event_id ?? "evt_one1"}_${minutes}`,
    event_id: "evt_one1",
    event: "payment.completed",
    attempt: 1,
    trigger: "automatic",
    retry_of: null,
    resend_of: null,
    response_code: success ? 200 : status === "pending" ? null : 503,
    error: status === "failed" ? "status" : null,
    error_detail: null,
    started_at: at(minutes),
    ended_at: status === "pending" ? null : at(minutes),
    duration_ms: status === "pending" ? null : 12,
    consecutive_failures: null,
    next_attempt_at: null,
    ...over,
    status,
  };
}

/** Attempts in chronological order, with the counter after each attempt. */
export function counted(attempts: Attempt[], start = 0): Attempt[] {
  let failures = start;
  return attempts.map((one) => {
    if (one.status === "pending" || one.trigger === "test") return one;
    failures = one.status === "success" ? 0 : failures + 1;
    return { ...one, consecutive_failures: failures };
  });
}

export function timeline(over: Partial<Timeline> = {}): Timeline {
  return {
    webhook_id: "wh_0001",
    now: at(0),
    status: "enabled",
    counter: { consecutive_failures: 0, threshold: 10, counts: "attempts" },
    retry_delays: [60_000, 600_000, 3_600_000],
    attempts: [],
    earlier: { attempts: 0, since: null, slices: [] },
    planned: [],
    skipped: [],
    forecast: { attempts: [], disabled_at: null },
    changes: [{ type: "created", reason: null, at: at(0) }],
    ...over,
  };
}

export function endpoint(over: Partial<EndpointReport> = {}): EndpointReport {
  return {
    id: "wh_0001",
    url: "http://127.0.0.1:4400/_sandbox/inbox/shop",
    description: null,
    events: ["payment.completed"],
    timeline: timeline(),
    ...over,
  };
}

let seq = 0;

export function entry(type: string, minutes: number, data: Record<string, unknown> = {}): JournalEntry {
  seq += 1;
  return { seq, type, at: at(minutes), wall: "2026-11-21T13:00:00.000Z", data };
}

export function failed(minutes: number, number: number, over: Record<string, unknown> = {}): JournalEntry {
  return entry("delivery.failed", minutes, {
    id: `del_${number}`,
    webhook_id: "wh_0001",
    event_id: "evt_one1",
    event: "payment.completed",
    attempt: number,
    trigger: "automatic",
    started_at: at(minutes),
    response_code: 503,
    error: "status",
    next_attempt_at: null,
    consecutive_failures: number,
    ...over,
  });
}

export function step(title: string, over: Partial<StepReport> = {}): StepReport {
  return {
    title,
    position: null,
    result: "passed",
    started_at: at(0),
    ended_at: at(0),
    wall: { duration_ms: 3 },
    expectations: 1,
    ledger: [],
    log: [],
    ...over,
  };
}

export function scenario(over: Partial<ScenarioReport> = {}): ScenarioReport {
  return {
    name: "retry-and-recover",
    title: "Retry and recover",
    description: "A receiver that is down for a while gets its event all the same.",
    file: "scenarios/retry-and-recover.ts",
    status: "passed",
    params: {},
    subscriber: null,
    seed: "default",
    started_at: at(0),
    ended_at: at(71),
    wall: { started_at: "2026-11-21T13:00:00.123Z", duration_ms: 210 },
    expectations: 4,
    steps: [step("An endpoint is made"), step("A payment succeeds")],
    failure: null,
    calls: [],
    log: [],
    endpoints: [],
    mail: [],
    ...over,
  };
}

/** A scenario that failed at its third step, which expected a fourth attempt. */
export function failedScenario(over: Partial<ScenarioReport> = {}): ScenarioReport {
  return scenario({
    name: "retries-exhausted",
    title: "Retries exhausted",
    description: "Four attempts, and then the platform gives an event up.",
    file: "scenarios/retries-exhausted.ts",
    status: "failed",
    params: { status: 503, label: "shop" },
    ended_at: at(11),
    expectations: 3,
    steps: [
      step("The receiver is down", {
        ledger: [entry("fault.set", 0, { target: "webhook:wh_0001", spec: { status: 503 } })],
      }),
      step("A payment succeeds", {
        ledger: [entry("payment.completed", 0, { id: "pay_1" }), failed(0, 1, { next_attempt_at: at(1) })],
      }),
      step("Three retries follow", {
        result: "failed",
        ended_at: at(11),
        wall: { duration_ms: 41 },
        log: [{ at: at(0), text: "Waiting for the retries" }],
        ledger: [failed(1, 2, { next_attempt_at: at(11) }), failed(11, 3, { next_attempt_at: at(71) })],
      }),
    ],
    failure: {
      code: "expectation",
      message: "expect(received).toBe(expected)\n\nExpected: 4\nReceived: 3",
      hint: "Advance the clock by 1 h more.",
      step: "Three retries follow",
      position: { file: "scenarios/retries-exhausted.ts", line: 31, column: 24 },
    },
    endpoints: [endpoint({ timeline: openTimeline() })],
    ...over,
  });
}

/** A timeline with three failed attempts and a planned retry, after which the endpoint would not be disabled yet. */
export function openTimeline(): Timeline {
  return timeline({
    now: at(11),
    counter: { consecutive_failures: 3, threshold: 10, counts: "attempts" },
    attempts: counted([
      attempt(0, { next_attempt_at: at(1) }),
      attempt(1, { attempt: 2, next_attempt_at: at(11) }),
      attempt(11, { attempt: 3, next_attempt_at: at(71) }),
    ]),
    planned: [{ event_id: "evt_one1", event: "payment.completed", attempt: 4, due_at: at(71) }],
    forecast: { attempts: [{ event_id: "evt_one1", attempt: 4, due_at: at(71) }], disabled_at: null },
  });
}

/** A timeline of three days: an endpoint fails until it is disabled, is enabled by hand, and has a new event ahead. */
export function longTimeline(): Timeline {
  const DAY = 24 * 60;
  const row = (event_id: string, from: number, event: EventType): Attempt[] =>
    [0, 1.5, 12, 72.5].map((minutes, index) =>
      attempt(from + minutes, {
        event_id,
        event,
        attempt: index + 1,
        ...(index === 0
          ? { error: "timeout", response_code: null, ended_at: at(from + 0.5), duration_ms: 30_000 }
          : {}),
        ...(index === 2 ? { error: "connection_refused", response_code: null } : {}),
      }),
    );
  const late = 2 * DAY + 30;
  return timeline({
    now: at(3 * DAY + 2),
    counter: { consecutive_failures: 8, threshold: 10, counts: "attempts" },
    attempts: counted(
      [
        attempt(0, { event_id: "evt_test", event: "payment.completed", trigger: "test", status: "success" }),
        attempt(1, { event_id: "evt_aaaa", status: "success" }),
        ...row("evt_bbbb", 10, "payment.completed"),
        ...row("evt_cccc", 30, "checkout.completed"),
        ...row("evt_dddd", 95, "payment.completed").slice(0, 2),
        attempt(late, {
          event_id: "evt_dddd",
          attempt: 2,
          trigger: "manual",
          status: "success",
          retry_of: "del_1",
        }),
        attempt(late + 5, { event_id: "evt_eeee", event: "payment.failed" }),
        ...Array.from({ length: 6 }, (_, index) =>
          attempt(3 * DAY - 6 + index, { event_id: `evt_f00${index}`, next_attempt_at: at(3 * DAY + 10) }),
        ),
        attempt(3 * DAY + 2, { event_id: "evt_gggg", status: "pending", attempt: 1 }),
      ].sort((a, b) => (a.started_at < b.started_at ? -1 : 1)),
    ),
    planned: [
      { event_id: "evt_f000", event: "payment.completed", attempt: 2, due_at: at(3 * DAY + 10) },
      { event_id: "evt_f001", event: "payment.completed", attempt: 2, due_at: at(3 * DAY + 11) },
    ],
    skipped: [
      {
        event_id: "evt_dddd",
        event: "payment.completed",
        attempt: 3,
        reason: "endpoint_disabled",
        at: at(96.5),
      },
    ],
    forecast: {
      attempts: [
        { event_id: "evt_f000", attempt: 2, due_at: at(3 * DAY + 10) },
        { event_id: "evt_f001", attempt: 2, due_at: at(3 * DAY + 11) },
        { event_id: "evt_f000", attempt: 3, due_at: at(3 * DAY + 20) },
      ],
      disabled_at: at(3 * DAY + 11),
    },
    changes: [
      { type: "created", reason: null, at: at(0) },
      { type: "disabled", reason: "consecutive_failures", at: at(96.5) },
      { type: "mail", reason: "Webhook endpoint disabled after 10 failed deliveries", at: at(96.5) },
      { type: "enabled", reason: "dashboard", at: at(late - 1) },
    ],
  });
}
