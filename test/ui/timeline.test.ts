import { signal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import type { Timeline, TimelineAttempt } from "../../ui/api-types.ts";
import { HOUR, MINUTE, SECOND } from "../../ui/models/format.ts";
import { counterCurve } from "../../ui/models/timeline/counter.ts";
import { join, KEPT_ATTEMPTS } from "../../ui/models/timeline/data.ts";
import { densityOf } from "../../ui/models/timeline/density.ts";
import { fitTo } from "../../ui/models/timeline/fit.ts";
import { type Group, groupMarks, sharesOf, visible } from "../../ui/models/timeline/groups.ts";
import { layOut, MOST_LANES } from "../../ui/models/timeline/lanes.ts";
import { countBefore, type Mark, marksOf } from "../../ui/models/timeline/marks.ts";
import { staircase } from "../../ui/models/timeline/staircase.ts";
import { bandsOf, flagsOf } from "../../ui/models/timeline/states.ts";
import { ticksOf } from "../../ui/models/timeline/ticks.ts";
import { createView } from "../../ui/models/timeline/view.ts";
import { groupWords, markWords } from "../../ui/models/timeline/words.ts";

const START = Date.parse("2026-01-15T09:00:00.000Z");
const iso = (minutes: number) => new Date(START + minutes * MINUTE).toISOString();

function attempt(minutes: number, over: Partial<TimelineAttempt> = {}): TimelineAttempt {
  const status = over.status ?? "failed";
  return {
    delivery_id: `del_${over.event_id ?? "a"}_${minutes}`,
    event_id: "a",
    event: "payment.completed",
    attempt: 1,
    trigger: "automatic",
    retry_of: null,
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

function timeline(over: Partial<Timeline> = {}): Timeline {
  return {
    webhook_id: "wh_1",
    now: iso(2),
    status: "enabled",
    counter: { consecutive_failures: 2, threshold: 10, counts: "attempts" },
    attempts: [attempt(0), attempt(1, { attempt: 2 })],
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

describe("marks", () => {
  test("are what was, what is planned and what would follow, in order, each once", () => {
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
    [{ status: "success", duration_ms: 7 }, "200", "was answered 200 after 7 ms"],
    [
      { status: "pending", ended_at: null, duration_ms: null, response_code: null, error: null },
      "…",
      "waits for its answer",
    ],
    [{ error: "invalid_response", response_code: 200 }, "200", "failed with 200 after 0 ms"],
  ] as const)("say how an attempt ended: %o", (over, label, words) => {
    const [mark] = marksOf(timeline({ attempts: [attempt(0, over)], planned: [], forecast: NONE }));
    expect(mark!.label).toBe(label);
    expect(markWords(mark!, START)).toBe(`Attempt 1 of payment.completed ${words}, at 09:00:00`);
  });
});

const NONE = { attempts: [], disabled_at: null };

describe("lanes", () => {
  const events = (count: number, minutes: (index: number) => number): Mark[] =>
    marksOf(
      timeline({
        planned: [],
        forecast: NONE,
        attempts: Array.from({ length: count }, (_, index) =>
          attempt(minutes(index), { event_id: `e${index}`, delivery_id: `d${index}`, status: "success" }),
        ),
      }),
    );

  test("what comes one after the other shares a lane; what comes together does not", () => {
    const lanesOf = (marks: Mark[]) => [...layOut(marks, new Map()).values()].map(({ lane }) => lane);
    expect(lanesOf(events(3, (index) => index))).toEqual([0, 0, 0]);
    expect(lanesOf(events(3, () => 0))).toEqual([0, 1, 2]);
    expect(Math.max(...lanesOf(events(40, () => 0)))).toBe(MOST_LANES - 1);
  });

  test("an event keeps its lane as data comes in", () => {
    const kept = new Map<string, number>();
    layOut(
      events(3, () => 0),
      kept,
    );
    const later = layOut(
      events(5, (index) => (index < 3 ? 0 : 1)),
      kept,
    );
    expect([...later.values()].map(({ lane }) => lane)).toEqual([0, 1, 2, 0, 1]);
  });

  test("a thread reaches from the first attempt over the latest to the last that may come", () => {
    const [thread] = layOut(marksOf(timeline()), new Map()).values();
    expect([thread!.from, thread!.made, thread!.to].map((at) => (at - START) / MINUTE)).toEqual([0, 1, 71]);
  });
});

describe("groups", () => {
  const marks = marksOf(timeline({ attempts: [attempt(0), attempt(1, { status: "success" }), attempt(2)] }));
  const threads = layOut(marks, new Map());
  const grouped = (pixelsPerMinute: number, unit = 1) =>
    groupMarks(marks, threads, pixelsPerMinute / MINUTE, unit)[0]!;

  test("marks stand alone where there is room, and are one where there is not; ghosts apart", () => {
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
    expect(groupWords(near[0]!, START)).toBe("3 attempts, 2 failed, from 09:00:00 to 09:02:00");
    expect(
      grouped(14)
        .slice(0, 3)
        .map(({ roomy }) => roomy),
    ).toEqual([false, false, false]);
    expect(grouped(14, 2)).toHaveLength(4);
  });

  test("that the rest is skipped is not drawn beside the last attempt", () => {
    const skipped = [{ event_id: "a", event: "payment.completed", attempt: 2, reason: null, at: iso(0.1) }];
    const all = marksOf(timeline({ attempts: [attempt(0)], planned: [], forecast: NONE, skipped }));
    const lay = layOut(all, new Map());
    expect(groupMarks(all, lay, 40 / MINUTE)[0]).toHaveLength(1);
    expect(groupMarks(all, lay, 4_000 / MINUTE)[0]).toHaveLength(2);
  });

  test("only those that touch what is seen are drawn", () => {
    const many = groupMarks(marks, threads, 40 / MINUTE)[0]!;
    const seen = (from: number, to: number) =>
      visible(many, START + from * MINUTE, START + to * MINUTE).map(({ at }) => (at - START) / MINUTE);
    expect(seen(-10, 100)).toEqual([0, 1, 2, 11, 71]);
    expect(seen(0.5, 12)).toEqual([1, 2, 11]);
    expect(seen(80, 90)).toEqual([]);
  });

  test("of ten thousand, far fewer are drawn", () => {
    const attempts = Array.from({ length: 10_000 }, (_, index) =>
      attempt(index / 3, { event_id: `e${Math.floor(index / 4)}`, delivery_id: `d${index}` }),
    );
    const all = marksOf(timeline({ attempts, planned: [], forecast: NONE }));
    const groups = groupMarks(all, layOut(all, new Map()), 1 / MINUTE);
    expect(groups.flat().reduce((sum, { marks: { length } }) => sum + length, 0)).toBe(10_000);
    const seen = groups.flatMap((lane) => visible(lane, START, START + 1_200 * MINUTE));
    expect(seen.length).toBeLessThan(1_200);
  });
});

describe("the counter over time", () => {
  const values = (over: Partial<Timeline>) => {
    const { past, ahead } = counterCurve(timeline(over));
    return [past.map(({ value }) => value), ahead.map(({ value }) => value)];
  };

  test("counts failures, is set to 0 by a success or by hand, and leaves tests out", () => {
    expect(values({})).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(
      values({
        attempts: [
          attempt(0),
          attempt(1, { trigger: "test" }),
          attempt(2, { status: "success" }),
          attempt(3),
          attempt(5),
        ],
        changes: [{ type: "enabled", reason: "dashboard", at: iso(4) }],
        counter: { consecutive_failures: 1, threshold: 10, counts: "attempts" },
      })[0],
    ).toEqual([1, 0, 1, 0, 1]);
  });

  test("is read back from where it stands when the beginning is not known", () => {
    expect(values({ counter: { consecutive_failures: 7, threshold: 10, counts: "attempts" } })[0]).toEqual([
      6, 7,
    ]);
  });

  test("counts only events that are used up where that is the rule", () => {
    const counter = { consecutive_failures: 0, threshold: 10, counts: "exhausted" } as const;
    const attempts = [attempt(0, { next_attempt_at: iso(1) }), attempt(1, { next_attempt_at: iso(11) })];
    expect(values({ counter, attempts })).toEqual([[], [1]]);
  });

  test("is drawn with no more corners than can be seen", () => {
    const scale = { x: (at: number) => at, y: (value: number) => 10 - value };
    const steps = [
      { at: -5, value: 2 },
      { at: 10, value: 3 },
      { at: 10.2, value: 0 },
      { at: 20, value: 1 },
      { at: 90, value: 9 },
    ];
    expect(staircase(steps, 0, 50, scale)).toBe("M0 8 H10 V7 V10 H20 V9 H50");
  });
});

describe("the stretch that fits", () => {
  const minutes = (marks: Mark[], now: number) => {
    const { from, to } = fitTo(marks, START + now * MINUTE);
    return [(from - START) / MINUTE, (to - START) / MINUTE];
  };

  test("holds what is open, from its first attempt to its last, and stays put while the clock runs", () => {
    const marks = marksOf(timeline());
    expect(minutes(marks, 2)).toEqual([-5, 80]);
    expect(minutes(marks, 30)).toEqual(minutes(marks, 2));
  });

  test("holds the latest episode when nothing is open, however long ago, or just what is around now", () => {
    const quiet = marksOf(
      timeline({ planned: [], forecast: NONE, attempts: [attempt(-400), attempt(0), attempt(30)] }),
    );
    const [from, to] = minutes(quiet, 60);
    expect(from).toBeLessThanOrEqual(0);
    expect(from).toBeGreaterThan(-60);
    expect(to).toBeGreaterThanOrEqual(60);
    const later = minutes(quiet, 10_000);
    expect(later[0]).toBeLessThanOrEqual(0);
    expect(later[0]).toBeGreaterThan(-60);
    expect(later[1]).toBeGreaterThanOrEqual(30);
    expect(later[1]).toBeLessThan(60);
    expect(minutes([], 0)).toEqual([-12, 12]);
  });
});

describe("the view", () => {
  const machine = { now: () => 0, every: () => () => {}, frame: () => () => {}, moves: () => false };
  const open = () => {
    const fit = signal({ from: START, to: START + HOUR });
    const view = createView(machine, fit);
    view.width.value = 1_000;
    return { view, fit };
  };

  test("follows what fits until somebody takes hold of it", () => {
    const { view, fit } = open();
    fit.value = { from: START, to: START + 2 * HOUR };
    view.follow(true);
    expect(view.span.value).toBe(2 * HOUR);
    view.panBy(MINUTE);
    fit.value = { from: START, to: START + 3 * HOUR };
    view.follow(true);
    expect([view.span.value, view.fitting.value]).toEqual([2 * HOUR, false]);
    view.refit();
    expect([view.span.value, view.fitting.value]).toEqual([3 * HOUR, true]);
  });

  test("zooms around a place that stays, from seconds to days", () => {
    const { view } = open();
    view.zoomBy(0.5, 0.25);
    expect(view.from.value + view.span.value * 0.25).toBe(START + HOUR / 4);
    view.zoomBy(1e-9);
    expect(view.span.value).toBe(4 * SECOND);
    view.zoomBy(1e12);
    expect(view.span.value).toBe(400 * 24 * HOUR);
  });

  test("keeps exactly its scale while it is panned", () => {
    const { view } = open();
    const pixels = view.pixels.value;
    for (let step = 0; step < 1_000; step += 1) view.panBy(0.1234 * step);
    expect(view.pixels.value).toBe(pixels);
  });

  test("moves as little as it takes to see an instant", () => {
    const { view } = open();
    view.reveal(START + HOUR / 2);
    expect([view.from.value, view.fitting.value]).toEqual([START, true]);
    view.reveal(START + 5 * HOUR);
    expect(view.to.value).toBeGreaterThan(START + 5 * HOUR);
    expect(view.span.value).toBe(HOUR);
  });
});

test("ticks are round, far enough apart, and name the day where it begins", () => {
  const labels = (hours: number) =>
    ticksOf(START, START + hours * HOUR, 1_000 / (hours * HOUR)).map(({ label }) => label);
  expect(labels(1).slice(0, 3)).toEqual(["09:00", "09:10", "09:20"]);
  expect(labels(1 / 120).slice(0, 3)).toEqual(["09:00:00", "09:00:05", "09:00:10"]);
  expect(labels(24)).toContain("16 Jan");
  expect(labels(24 * 7)[0]).toBe("16 Jan");
});

test("bands and flags tell when an endpoint was on, off, and may be off", () => {
  const told = timeline({
    status: "disabled",
    changes: [
      { type: "created", reason: null, at: iso(0) },
      { type: "updated", reason: "url", at: iso(1) },
      { type: "disabled", reason: "consecutive_failures", at: iso(5) },
      { type: "mail", reason: "Webhook endpoint disabled", at: iso(5) },
    ],
    forecast: { attempts: [], disabled_at: iso(20) },
  });
  expect(
    bandsOf(told).map(({ from, to, state }) => [(from - START) / MINUTE, to && (to - START) / MINUTE, state]),
  ).toEqual([
    [0, 5, "enabled"],
    [5, undefined, "disabled"],
  ]);
  expect(flagsOf(told, START).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    "created: Created at 09:00:00",
    "updated: Changed at 09:01:00: url",
    "disabled: Disabled at 09:05:00: too many failures in a row",
    "mail: E-mail at 09:05:00: Webhook endpoint disabled",
    "forecast: Disabled at 09:20:00, at 10 failures in a row, if every attempt until then fails",
  ]);
});

test("the scrubber's slices hold every attempt", () => {
  const slices = densityOf(marksOf(timeline()), { from: START, to: START + 100 * MINUTE }, 10);
  expect(slices.map(({ bad }) => bad)).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(slices.reduce((sum, { ahead }) => sum + ahead, 0)).toBe(2);
});

test("attempts under way count neither as delivered nor as failed", () => {
  const marks = marksOf(timeline({ attempts: [attempt(0, { status: "pending" }), attempt(1)] }));
  const [slice] = densityOf(marks, { from: START, to: START + 100 * MINUTE }, 10);
  expect(slice).toEqual({ good: 0, bad: 1, pending: 1, ahead: 0 });
  const [[group]] = groupMarks(marks, layOut(marks, new Map()), 1 / MINUTE) as [[Group]];
  expect(sharesOf(group)).toEqual({ bad: 50, pending: 50 });
});

test("what is read anew replaces what was known, and the oldest go", () => {
  const known = [attempt(0, { status: "pending", delivery_id: "x" }), attempt(1, { delivery_id: "y" })];
  const joined = join(known, [
    attempt(0, { status: "failed", delivery_id: "x" }),
    attempt(2, { delivery_id: "z" }),
  ]);
  expect(joined.map(({ delivery_id: id, status }) => `${id} ${status}`)).toEqual([
    "y failed",
    "x failed",
    "z failed",
  ]);
  const many = Array.from({ length: KEPT_ATTEMPTS }, (_, index) =>
    attempt(index, { delivery_id: `d${index}` }),
  );
  expect(join(many, [attempt(0, { delivery_id: "new" })])).toHaveLength(KEPT_ATTEMPTS);
});
