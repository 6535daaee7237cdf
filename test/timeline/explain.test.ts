import { describe, expect, test } from "vitest";
import { explainDelivery } from "../../src/timeline/explain.ts";
import type { ExplainedDelivery } from "../../src/timeline/schemas.ts";

const SURFACE = {
  at: (iso: string) => iso.slice(11, 19),
  retry: "Retry it.",
  endFault: "End the fault.",
  diagnose: "Diagnose it.",
};

function attempt(over: Partial<ExplainedDelivery["event_attempts"][number]> = {}) {
  return {
    delivery_id: "del_1",
    status: "failed",
    attempt: 1,
    trigger: "automatic",
    started_at: "2026-01-15T09:00:00.000Z",
    ...over,
  } as ExplainedDelivery["event_attempts"][number];
}

const story = (over: Partial<ExplainedDelivery> = {}): ExplainedDelivery =>
  ({
    id: "del_1",
    event_id: "evt_1",
    status: "failed",
    attempt: 1,
    trigger: "automatic",
    response_code: 503,
    error: "status",
    error_detail: "Returned 503; a delivery succeeds with 200 to 299.",
    simulated: null,
    signature: "valid",
    endpoint: { id: "wh_1", url: "", status: "enabled", consecutive_failures: 7, threshold: 10 },
    plan: { state: "exhausted", reason: null, attempts: 4, next_attempt_at: null },
    event_attempts: [attempt()],
    ...over,
  }) as ExplainedDelivery;

const later = (over: Partial<ExplainedDelivery["event_attempts"][number]>) =>
  attempt({ delivery_id: "del_2", attempt: 2, started_at: "2026-01-15T09:01:00.000Z", ...over });
const skipped = (reason: string) => ({
  plan: { state: "skipped" as const, reason, attempts: 1, next_attempt_at: null },
});

describe("explanations of the next attempt", () => {
  test.each<[name: string, over: Partial<ExplainedDelivery>, text: string]>([
    [
      "a retry",
      {
        plan: { state: "active", reason: null, attempts: 1, next_attempt_at: "2026-01-15T09:01:00.000Z" },
      },
      "Attempt 2 is due at 09:01:00. The endpoint has 7 failures in a row; 3 more would disable it.",
    ],
    [
      "no more attempts after a success",
      { status: "success", event_attempts: [attempt({ status: "success" })] },
      "Nothing more: the event has arrived, its retries are cancelled, and the counter is at 0.",
    ],
    [
      "no more attempts after a test",
      { trigger: "test", plan: null },
      "Nothing: a test is never retried, and changes no counter.",
    ],
    [
      "an attempt in progress",
      { status: "pending", completed_at: null },
      "What happens next depends on its result.",
    ],
    [
      "a response that waits for others at the same instant",
      { completed_at: null },
      "What happens next depends on its result.",
    ],
    [
      "no more attempts on a disabled endpoint",
      skipped("endpoint_disabled"),
      "The remaining attempts were skipped when the endpoint was disabled. Retry it.",
    ],
    [
      "no more attempts on a deleted endpoint",
      { ...skipped("endpoint_deleted"), endpoint: { ...story().endpoint, status: "deleted" } },
      "The remaining attempts were skipped when the endpoint was deleted.",
    ],
    [
      "an event that arrived later",
      { event_attempts: [attempt(), later({ status: "success" })] },
      "The event arrived later, at 09:01:00, with attempt 2.",
    ],
    [
      "an event that arrived although its endpoint is disabled",
      {
        ...skipped("endpoint_disabled"),
        event_attempts: [attempt(), later({ status: "success", trigger: "manual" })],
      },
      "The event arrived later, at 09:01:00, with a manual retry.",
    ],
    [
      "an event that had arrived earlier",
      {
        id: "del_2",
        trigger: "manual",
        event_attempts: [attempt({ status: "success" }), later({ trigger: "manual" })],
      },
      "The event had arrived before, at 09:00:00.",
    ],
    [
      "a later attempt in progress",
      { event_attempts: [attempt(), later({ status: "pending" })] },
      "Attempt 2 is waiting for its response.",
    ],
    [
      "an event whose attempts all failed",
      { event_attempts: [attempt(), later({})] },
      "1 later attempt failed, too; no attempts are left. Retry it.",
    ],
    ["the last attempt", {}, "That was the last attempt. Retry it."],
  ])("explain_delivery says what comes next: %s", (_name, over, text) =>
    expect(explainDelivery(story(over), SURFACE).next.text).toBe(text),
  );
});

describe("explanations of an attempt's outcome", () => {
  const fault = (name: string, called: boolean) => ({ simulated: { by: "fault" as const, name, called } });

  test.each<[name: string, over: Partial<ExplainedDelivery>, why: RegExp, fix: RegExp]>([
    ["the handler's own 503", {}, /^Returned 503.+The handler failed/, /subscriber's log/],
    [
      "an error response that mentions the signature",
      { response_code: 400, response_body: "No signatures found matching the expected signature" },
      /mentions the signature/,
      /^Diagnose it\.$/,
    ],
    [
      "an event that arrived later",
      { event_attempts: [attempt(), later({ status: "success" })] },
      /^Returned 503/,
      /^$/,
    ],
    [
      "a status set by a fault",
      fault("status:503", false),
      /fault status:503\. .+not called/,
      /^End the fault\.$/,
    ],
    [
      "a fault that also called the server",
      fault("timeout", true),
      /fault timeout\. .+was also called/,
      /End the fault/,
    ],
    [
      "an inbox",
      { simulated: { by: "inbox", name: "shop", called: true } },
      /own inbox 'shop' responded/,
      /behaviour of the inbox 'shop'/,
    ],
    [
      "the demo data",
      { simulated: { by: "seed", name: "sandglass", called: false } },
      /demo data: the sandbox made it up/,
      /^$/,
    ],
    ["a success", { status: "success", response_code: 204 }, /^It responded with 204 in time/, /^$/],
    [
      "the network policy",
      { error: "blocked_by_network_policy", response_code: null, error_detail: "erp.example is elsewhere." },
      /^erp\.example is elsewhere\.$/,
      /^$/,
    ],
  ])("explain_delivery explains an attempt's outcome: %s", (_name, over, why, fix) => {
    const explained = explainDelivery(story(over), SURFACE);
    expect(explained.why).toMatch(why);
    expect(explained.fix).toMatch(fix);
  });
});
