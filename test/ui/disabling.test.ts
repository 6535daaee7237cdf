import { expect, test } from "vitest";
import { disablingOf } from "../../ui/models/webhooks/disabling.ts";
import { attempt, iso, timeline } from "../support/timelines.ts";

const failed = (minutes: number, event: string, failures: number) =>
  attempt(minutes, { event_id: event, consecutive_failures: failures });

/** Ten minutes of failures, the third of which disables the endpoint. */
const disabled = timeline({
  status: "disabled",
  counter: { consecutive_failures: 3, threshold: 3, counts: "attempts" },
  attempts: [
    attempt(0, { event_id: "a", status: "success", consecutive_failures: 0 }),
    failed(1, "b", 1),
    failed(2, "c", 2),
    attempt(3, { event_id: "t", trigger: "test", status: "success" }),
    failed(4, "b", 3),
  ],
  skipped: [
    { event_id: "b", event: "payment.completed", attempt: 3, reason: "endpoint_disabled", at: iso(4) },
    { event_id: "c", event: "payment.completed", attempt: 2, reason: "endpoint_disabled", at: iso(4) },
  ],
  changes: [
    { type: "created", reason: null, at: iso(-5) },
    { type: "disabled", reason: "consecutive_failures", at: iso(4) },
    { type: "mail", reason: "Webhook endpoint disabled", at: iso(4) },
  ],
});

test("the notice about a disabled endpoint is empty if the endpoint was never disabled", () => {
  expect(disablingOf(timeline())).toBeUndefined();
});

test("the notice about a disabled endpoint shows the time, reason, e-mail, skipped retries and missed events", () => {
  expect(disablingOf(disabled)).toEqual({
    at: iso(4),
    reason: "consecutive_failures",
    failures: 3,
    mail: "Webhook endpoint disabled",
    skipped: 2,
    unsent: 0,
    enabledAt: undefined,
    missed: 2,
    missedSince: iso(1),
    recovered: 0,
  });
});

test("the notice about a disabled endpoint stops counting at the failure that disabled it", () => {
  const more = { ...disabled, attempts: [...disabled.attempts, failed(4, "c", 4)] };
  expect(disablingOf(more)).toMatchObject({ failures: 3, missed: 2 });
});

test("the notice about a disabled endpoint shows recovered events once it is enabled and they arrive", () => {
  const delivered = (event: string) => attempt(20, { event_id: event, status: "success", trigger: "manual" });
  const enabled = (...events: string[]) =>
    disablingOf({
      ...disabled,
      status: "enabled",
      attempts: [...disabled.attempts, ...events.map(delivered)],
      changes: [...disabled.changes, { type: "enabled", reason: "dashboard", at: iso(10) }],
    });
  expect(enabled("b")).toMatchObject({ enabledAt: iso(10), missed: 1, missedSince: iso(2), recovered: 1 });
  expect(enabled("b", "c")).toMatchObject({ missed: 0, missedSince: undefined, recovered: 2 });
});

test("the notice about a disabled endpoint separates causes from later attempts at the same instant", () => {
  const retried = attempt(4, {
    delivery_id: "retried",
    event_id: "b",
    status: "success",
    trigger: "manual",
    consecutive_failures: 0,
  });
  expect(
    disablingOf({
      ...disabled,
      status: "enabled",
      attempts: [...disabled.attempts, retried],
      changes: [...disabled.changes, { type: "enabled", reason: "dashboard", at: iso(4) }],
    }),
  ).toMatchObject({ failures: 3, enabledAt: iso(4), missed: 1, recovered: 1 });
});

test("the notice about a disabled endpoint separates unsent events from skipped retries because only failures can be retried", () => {
  const unsent = ["x", "y"].map((id) => ({
    event_id: id,
    event: "payment.completed",
    attempt: 1,
    reason: "endpoint_disabled" as const,
    at: iso(5),
  }));
  const more = { ...disabled, skipped: [...disabled.skipped, ...unsent] };
  expect(disablingOf(more)).toMatchObject({ skipped: 2, unsent: 2, missed: 2, missedSince: iso(1) });
});

test("the notice about a disabled endpoint does not count events skipped after it was enabled again", () => {
  const later = { event_id: "d", event: "payment.completed", attempt: 2, at: iso(30) } as const;
  expect(
    disablingOf({
      ...disabled,
      status: "deleted",
      skipped: [...disabled.skipped, { ...later, reason: "endpoint_deleted" }],
      changes: [
        ...disabled.changes,
        { type: "enabled", reason: "dashboard", at: iso(10) },
        { type: "deleted", reason: "api", at: iso(30) },
      ],
    }),
  ).toMatchObject({ skipped: 2, missed: 2 });
});
