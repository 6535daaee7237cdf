import { describe, expect, test } from "vitest";
import { marksOf } from "../../src/timeline/marks.ts";
import type { TimelineAttempt } from "../../ui/api-types.ts";
import { timelineAt } from "../../ui/models/timeline/as-of.ts";
import { attempt, iso, NONE, START, timeline } from "../support/timelines.ts";

const at = (minutes: number) => START + minutes * 60_000;

/** An event that fails at 0, 1 and 11 minutes, and is delivered at 71 minutes. */
const recovered = timeline({
  now: iso(80),
  counter: { consecutive_failures: 0, threshold: 3, counts: "attempts" },
  attempts: [
    attempt(0, { attempt: 1, consecutive_failures: 1 }),
    attempt(1, { attempt: 2, consecutive_failures: 2 }),
    attempt(11, { attempt: 3, consecutive_failures: 3 }),
    attempt(71, { attempt: 4, status: "success", trigger: "manual", consecutive_failures: 0 }),
  ],
  planned: [],
  forecast: NONE,
  skipped: [
    { event_id: "a", event: "payment.completed", attempt: 4, reason: "endpoint_disabled", at: iso(11) },
  ],
  changes: [
    { type: "created", reason: null, at: iso(-5) },
    { type: "disabled", reason: "consecutive_failures", at: iso(11) },
    { type: "mail", reason: "Webhook endpoint disabled", at: iso(11) },
    { type: "enabled", reason: null, at: iso(70) },
  ],
});

const drawn = (minutes: number) =>
  marksOf(timelineAt(recovered, at(minutes))).map(
    ({ kind, attempt: number, at: when }) => `${kind} ${number} at ${(when - START) / 60_000}`,
  );

describe("an endpoint as of an earlier time", () => {
  test("an endpoint viewed as of an earlier time shows the attempts up to then, and the retries planned at that time", () => {
    expect(drawn(-1)).toEqual([]);
    expect(drawn(0)).toEqual(["attempt 1 at 0", "planned 2 at 1", "forecast 3 at 11"]);
    expect(drawn(5)).toEqual(["attempt 1 at 0", "attempt 2 at 1", "planned 3 at 11"]);
    expect(drawn(20)).toEqual(["attempt 1 at 0", "attempt 2 at 1", "attempt 3 at 11", "skipped 4 at 11"]);
    expect(drawn(80)).toEqual([...drawn(20), "attempt 4 at 71"]);
  });

  test.each([
    [-6, "disabled", 0, null],
    [0, "enabled", 1, iso(11)],
    [5, "enabled", 2, iso(11)],
    [11, "disabled", 3, null],
    [70, "enabled", 0, null],
    [80, "enabled", 0, null],
  ])("an endpoint shows its state and counter as of minute %i", (minutes, status, failures, disabledAt) => {
    const then = timelineAt(recovered, at(minutes));
    if (minutes >= -5) expect(then.status).toBe(status);
    expect([then.counter.consecutive_failures, then.forecast.disabled_at]).toEqual([failures, disabledAt]);
    expect(then.changes.every((change) => Date.parse(change.at) <= at(minutes))).toBe(true);
  });

  test.each<[string, number, Partial<TimelineAttempt>[], number[]]>([
    ["no retry after a successful manual retry", 0.7, [{ status: "success" }], []],
    ["the same retry after a failed manual retry", 0.7, [{}], [1]],
    ["no retry that is due at exactly that time", 1, [], []],
  ])("an endpoint viewed as of an earlier time shows %s", (_what, minutes, byHand, due) => {
    const then = timelineAt(
      timeline({
        now: iso(1),
        attempts: [
          attempt(0, { next_attempt_at: iso(1) }),
          ...byHand.map((over) => attempt(0.5, { trigger: "manual", ...over })),
        ],
        planned: [],
      }),
      at(minutes),
    );
    expect(then.planned.map(({ due_at: instant }) => (Date.parse(instant) - START) / 60_000)).toEqual(due);
    expect(then.planned.every(({ attempt: number }) => number === 2)).toBe(true);
  });

  test("an endpoint shows a retry from when it was planned, even if its attempt was later retried manually", () => {
    const retried = timeline({
      now: iso(9),
      attempts: [attempt(0), attempt(1, { attempt: 2 }), attempt(5, { attempt: 2, trigger: "manual" })],
      planned: [],
    });
    expect(timelineAt(retried, at(0.5)).planned).toMatchObject([{ attempt: 2, due_at: iso(1) }]);
  });

  test("an endpoint viewed as of an earlier time shows an unfinished attempt as in progress", () => {
    const slow = timeline({
      attempts: [attempt(0, { ended_at: iso(0.5), error: "timeout", response_code: null })],
      planned: [],
    });
    expect(timelineAt(slow, at(0.25)).attempts[0]).toMatchObject({ status: "pending", ended_at: null });
    expect(timelineAt(slow, at(0.25)).planned).toEqual([]);
    expect(timelineAt(slow, at(0.5)).planned).toMatchObject([{ attempt: 2, due_at: iso(1.5) }]);
  });
});
