import { describe, expect, test } from "vitest";
import { counterCurve, curveSince, curveTop, staircase } from "../../src/timeline/counter.ts";
import { HOUR, MINUTE } from "../../src/timeline/duration.ts";
import { groupMarks, sharesOf } from "../../src/timeline/groups.ts";
import { timeText } from "../../src/timeline/instant.ts";
import { layOut } from "../../src/timeline/lanes.ts";
import { countBefore, groupWords, marksOf, markWords } from "../../src/timeline/marks.ts";
import type { Timeline } from "../../src/timeline/schemas.ts";
import { bandsOf } from "../../src/timeline/states.ts";
import { attempt, iso, NONE, START, timeline } from "../support/timelines.ts";

describe("marks of a timeline", () => {
  test("a timeline contains each past, planned and forecast attempt once, in order", () => {
    const marks = marksOf(timeline());
    expect(marks.map(({ kind, at, label, event }) => [kind, (at - START) / MINUTE, label, event])).toEqual([
      ["attempt", 0, "503", "payment.completed"],
      ["attempt", 1, "503", "payment.completed"],
      ["planned", 11, "3", "payment.completed"],
      ["forecast", 71, "4", "payment.completed"],
    ]);
    expect(countBefore(marks, START + 1)).toBe(1);
    expect(countBefore(marks, START + HOUR * 2)).toBe(4);
  });

  test.each([
    [
      { error: "timeout", response_code: null, ended_at: iso(0.5), duration_ms: 30_000 },
      "T/O",
      "timed out after 30 s",
    ],
    [{ error: "connection_refused", response_code: null }, "REF", "failed: connection refused after 0 ms"],
    [{ status: "success", duration_ms: 7 }, "200", "succeeded with 200 after 7 ms"],
    [
      { status: "pending", ended_at: null, duration_ms: null, response_code: null, error: null },
      "…",
      "is waiting for its response",
    ],
    [{ error: "invalid_response", response_code: 200 }, "200", "failed with 200 after 0 ms"],
  ] as const)("a mark describes how its attempt ended: %o", (over, label, words) => {
    const [mark] = marksOf(timeline({ attempts: [attempt(0, over)], planned: [], forecast: NONE }));
    expect(mark!.label).toBe(label);
    expect(markWords(mark!, timeText)).toBe(`Attempt 1 of payment.completed ${words}, at 09:00:00`);
  });
});

describe("groups of marks", () => {
  const marks = marksOf(timeline({ attempts: [attempt(0), attempt(1, { status: "success" }), attempt(2)] }));
  const threads = layOut(marks);
  const grouped = (pixelsPerMinute: number, unit = 1) =>
    groupMarks(marks, threads, (at) => (at * pixelsPerMinute) / MINUTE / unit)[0]!;

  test("marks that are close together form a group, distant ones do not, and forecast ones are separate", () => {
    expect(grouped(40).map(({ marks: { length }, roomy }) => [length, roomy])).toEqual([
      [1, true],
      [1, true],
      [1, true],
      [1, true],
      [1, true],
    ]);
    const near = grouped(4);
    expect(near.map(({ marks: { length }, kind, tone }) => [length, kind, tone])).toEqual([
      [3, "attempt", "bad"],
      [1, "planned", "none"],
      [1, "forecast", "none"],
    ]);
    expect(sharesOf(near[0]!)).toEqual({ bad: 67, pending: 0 });
    expect(groupWords(near[0]!.marks, timeText)).toBe("3 attempts, 2 failed, from 09:00:00 to 09:02:00");
    expect(
      grouped(14)
        .slice(0, 3)
        .map(({ roomy }) => roomy),
    ).toEqual([false, false, false]);
    expect(grouped(14, 2)).toHaveLength(4);
  });

  test("marks distinguish an event never sent from a skipped retry", () => {
    const skip = (attempt: number) => ({
      event_id: `e${attempt}`,
      event: "x",
      attempt,
      reason: null,
      at: iso(1),
    });
    const all = marksOf(timeline({ attempts: [], planned: [], forecast: NONE, skipped: [skip(1), skip(2)] }));
    expect(all.map(({ label, result }) => `${label} ${result.split(":")[0]}`)).toEqual([
      "∅ never sent",
      "× not made",
    ]);
  });

  test("a group omits skipped retries next to the last attempt", () => {
    const skipped = [{ event_id: "a", event: "payment.completed", attempt: 2, reason: null, at: iso(0.1) }];
    const all = marksOf(timeline({ attempts: [attempt(0)], planned: [], forecast: NONE, skipped }));
    const lay = layOut(all);
    expect(groupMarks(all, lay, (at) => (at * 40) / MINUTE)[0]).toHaveLength(1);
    expect(groupMarks(all, lay, (at) => (at * 4_000) / MINUTE)[0]).toHaveLength(2);
  });
});

describe("the counter over time", () => {
  const values = (over: Partial<Timeline>) => {
    const { past, ahead } = counterCurve(timeline(over));
    return [past.map(({ value }) => value), ahead.map(({ value }) => value)];
  };

  test("the counter curve shows the number stored with each attempt, and 0 after enabling", () => {
    expect(values({})).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(
      values({
        attempts: [
          attempt(0, { consecutive_failures: 6 }),
          attempt(1, { trigger: "test" }),
          attempt(2, { status: "success", consecutive_failures: 0 }),
          attempt(3, { consecutive_failures: 1 }),
          attempt(5, { consecutive_failures: 1 }),
          attempt(6, { status: "pending", ended_at: null }),
        ],
        changes: [{ type: "enabled", reason: "dashboard", at: iso(4) }],
        counter: { consecutive_failures: 1, threshold: 10, counts: "attempts" },
      })[0],
    ).toEqual([6, 0, 1, 0, 1]);
  });

  test("the counter curve starts below the first known attempt, or at an earlier value", () => {
    const attempts = [attempt(0, { consecutive_failures: 6 }), attempt(2, { consecutive_failures: 7 })];
    const curve = counterCurve(timeline({ attempts }));
    expect(curve.start).toBe(5);
    const since = (minutes: number) => {
      const { start, past } = curveSince(curve, START + minutes * MINUTE);
      return [start, past.map(({ value }) => value)];
    };
    expect([since(-1), since(1), since(3)]).toEqual([
      [5, [6, 7]],
      [6, [7]],
      [7, []],
    ]);
  });

  test("the counter curve rises only for exhausted events if the sender counts those", () => {
    const counter = { consecutive_failures: 0, threshold: 10, counts: "exhausted" } as const;
    const attempts = [attempt(0, { consecutive_failures: 0 }), attempt(1, { consecutive_failures: 0 })];
    expect(values({ counter, attempts })).toEqual([[0, 0], [1]]);
  });

  test("the counter curve has only visible corners and extends to a nearby threshold", () => {
    const scale = { x: (at: number) => at, y: (value: number) => 10 - value };
    const steps = [
      { at: 10, value: 3 },
      { at: 10.2, value: 0 },
      { at: 20, value: 1 },
    ];
    expect(staircase(steps, 0, 2, scale)).toBe("M0 8H10V7V10H20V9");
    const top = (threshold: number, start: number) => curveTop({ start, past: steps, ahead: [] }, threshold);
    expect([top(10, 2), top(100, 2), top(100, 60)]).toEqual([10, 4.5, 100]);
  });
});

test("a timeline's bands show when an endpoint was enabled, including before the first attempt", () => {
  const bands = (status: Timeline["status"], ...changes: [type: string, minutes: number][]) =>
    bandsOf(
      timeline({
        status,
        changes: changes.map(([type, minutes]) => ({ type, reason: null, at: iso(minutes) })),
      } as Partial<Timeline>),
    ).map(({ from, to, state }) => [(from - START) / MINUTE, to && (to - START) / MINUTE, state]);
  const always = Number.NEGATIVE_INFINITY;
  expect(bands("disabled", ["created", 0], ["updated", 1], ["disabled", 5], ["mail", 5])).toEqual([
    [0, 5, "enabled"],
    [5, undefined, "disabled"],
  ]);
  expect(bands("enabled")).toEqual([[always, undefined, "enabled"]]);
  expect(bands("deleted", ["enabled", 1], ["deleted", 2])).toEqual([
    [always, 1, "disabled"],
    [1, 2, "enabled"],
  ]);
  expect(bands("deleted")).toEqual([]);
});
