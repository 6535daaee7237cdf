import { signal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../src/timeline/duration.ts";
import { type Group, groupMarks, sharesOf } from "../../src/timeline/groups.ts";
import { layOut } from "../../src/timeline/lanes.ts";
import { marksOf } from "../../src/timeline/marks.ts";
import { join, MOST_ATTEMPTS } from "../../ui/models/timeline/data.ts";
import { densityOf, groupToFit, visible } from "../../ui/models/timeline/drawn.ts";
import { compressed, fitTo, type Stretch } from "../../ui/models/timeline/fit.ts";
import { createView } from "../../ui/models/timeline/view.ts";
import { flagsOf, groupText } from "../../ui/models/timeline/words.ts";
import { EVEN } from "../support/scale.ts";
import { attempt, iso, NONE, START, timeline } from "../support/timelines.ts";

test("the timeline stays where the endpoint was disabled, and does not move on to skipped retries", () => {
  const failed = [0, 1, 11, 71].map((minutes) => attempt(minutes));
  const marks = marksOf(
    timeline({
      attempts: failed,
      planned: [],
      forecast: NONE,
      skipped: Array.from({ length: 30 }, (_, index) => ({
        event_id: `e${index}`,
        event: "checkout.expired",
        attempt: 1,
        at: iso(200 + 40 * index),
        reason: "endpoint_disabled",
      })),
    }),
  );
  const scale = compressed(marks.map(({ at }) => at));
  const fit = fitTo(scale, marks, { now: START + 24 * HOUR });
  const minutes = (place: number) => (scale.at(place) - START) / MINUTE;
  expect(minutes(fit.from)).toBeLessThan(0);
  expect(minutes(fit.to)).toBeGreaterThan(71);
  expect(minutes(fit.to)).toBeLessThan(400);
  const all = fitTo(scale, marks, { now: START + 24 * HOUR, all: true });
  expect(minutes(all.to)).toBeGreaterThan(24 * 60);
});

test("the timeline gives its width to past attempts and the next retry, not to retries days ahead", () => {
  const days = Array.from({ length: 24 }, (_, index) => ({
    event_id: "a",
    attempt: index + 3,
    due_at: iso(60 + 60 * index),
  }));
  const marks = marksOf(
    timeline({
      attempts: [attempt(0), attempt(1), attempt(2)],
      planned: [{ event_id: "a", event: "invoice.paid", attempt: 2, due_at: iso(60) }],
      forecast: { attempts: days, disabled_at: null },
    }),
  );
  const scale = compressed(marks.map(({ at }) => at));
  const now = START + 3 * MINUTE;
  const shown = (width: number, all = false) => {
    const { from, to } = fitTo(scale, marks, { now, width, all });
    return marks.filter(({ at }) => scale.place(at) >= from && scale.place(at) <= to).length;
  };
  expect(shown(400)).toBeGreaterThanOrEqual(4);
  expect(shown(400)).toBeLessThan(shown(900));
  expect(shown(900)).toBeLessThan(marks.length);
  expect(shown(900, true)).toBe(marks.length);
});

test("the timeline shows the newest attempt's episode during an advance, and otherwise the latest one", () => {
  const attempts = [...Array.from({ length: 18 }, (_, index) => index), 400, 401].map((minutes) =>
    attempt(minutes, { event_id: `e${minutes}` }),
  );
  const marks = marksOf(timeline({ attempts, planned: [], forecast: NONE }));
  const scale = compressed(marks.map(({ at }) => at));
  const shown = (newest?: number, played?: Stretch) => {
    const { from, to } = fitTo(scale, marks, {
      now: START + 4_000 * MINUTE,
      played,
      newest: newest === undefined ? undefined : START + newest * MINUTE,
    });
    return [0, 17, 400].filter((minutes) => {
      const at = scale.place(START + minutes * MINUTE);
      return at >= from && at <= to;
    });
  };
  expect(shown()).toEqual([400]);
  expect(shown(1)).toEqual([0, 17]);
  expect(shown(401)).toEqual([400]);

  // The period that was run is shown completely until there is a later attempt.
  const from = START + 2 * MINUTE;
  expect(shown(undefined, { from, to: START + 500 * MINUTE })).toEqual([17, 400]);
  expect(shown(undefined, { from, to: START + 300 * MINUTE })).toEqual([400]);
});

describe("the visible part of the timeline", () => {
  const machine = { now: () => 0, every: () => () => {}, frame: () => () => {}, moves: () => false };
  const open = () => {
    const fit = signal({ from: START, to: START + HOUR });
    const view = createView({ machine, fit, scale: signal(EVEN) });
    view.width.value = 1_000;
    return { view, fit };
  };

  test("the timeline follows its content until the user drags it", () => {
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

  test("the timeline zooms around a fixed point, from seconds to days", () => {
    const { view } = open();
    view.zoomBy(0.5, 0.25);
    expect(view.from.value + view.span.value * 0.25).toBe(START + HOUR / 4);
    view.zoomBy(1e-9);
    expect(view.span.value).toBe(4 * SECOND);
    view.zoomBy(1e12);
    expect(view.span.value).toBe(400 * 24 * HOUR);
  });

  test("the timeline keeps its exact scale while panning", () => {
    const { view } = open();
    const pixels = view.pixels.value;
    for (let step = 0; step < 1_000; step += 1) view.panBy(0.1234 * step);
    expect(view.pixels.value).toBe(pixels);
  });

  test("the timeline moves as little as necessary to show a given time, and fits again unless the user moved it", () => {
    const { view, fit } = open();
    view.reveal(START + HOUR / 2);
    expect(view.from.value).toBe(START);
    view.reveal(START + 5 * HOUR);
    expect(view.from.value + view.span.value).toBeGreaterThan(START + 5 * HOUR);
    fit.value = { from: START, to: START + 2 * HOUR };
    view.follow(true);
    expect([view.span.value, view.fitting.value]).toEqual([HOUR, true]);
    view.refit();
    expect(view.span.value).toBe(2 * HOUR);
    view.reveal(START + 5 * HOUR, true);
    expect(view.fitting.value).toBe(false);
  });
});

test("the timeline draws only the groups in view", () => {
  const marks = marksOf(timeline({ attempts: [attempt(0), attempt(1, { status: "success" }), attempt(2)] }));
  const many = groupMarks(marks, layOut(marks), (at) => (at * 40) / MINUTE)[0]!;
  const seen = (from: number, to: number) =>
    visible(many, START + from * MINUTE, START + to * MINUTE).map(({ at }) => (at - START) / MINUTE);
  expect(seen(-10, 100)).toEqual([0, 1, 2, 11, 71]);
  expect(seen(0.5, 12)).toEqual([1, 2, 11]);
  expect(seen(80, 90)).toEqual([]);
});

test("a crowded timeline draws fewer groups, and each attempt belongs to exactly one group", () => {
  const crowd = Array.from({ length: 2_000 }, (_, index) =>
    attempt(index, { event_id: `e${index % 40}`, attempt: 1 + Math.floor(index / 40) }),
  );
  const marks = marksOf(timeline({ attempts: crowd, planned: [], forecast: NONE }));
  const groupsAt = (pixels: number) =>
    groupToFit(
      marks,
      layOut(marks),
      marks.map(({ at }) => at / MINUTE),
      { pixels, width: 1_000 },
    ).flat();
  const [all, some] = [groupsAt(40), groupsAt(1)];
  expect(all).toHaveLength(2_000);
  expect(some.length).toBeLessThan(401);
  expect(some.flatMap(({ marks: ones }) => ones)).toHaveLength(2_000);
});

test("a planned attempt shows how far in the future it is, and a group shows when its attempts are due", () => {
  const marks = marksOf(timeline({ attempts: [] }));
  const groups = groupMarks(marks, layOut(marks), (at) => (at * 40) / MINUTE)[0]!;
  expect(groupText(groups[0]!, START)).toBe("Attempt 3 of payment.completed, planned at 09:11:00, in 11 min");
  const both = groupMarks(marks, layOut(marks), (at) => at / HOUR)[0]!;
  expect(groupText(both[0]!, START)).toBe("2 attempts to come, from 09:11:00 to 10:11:00");
});

test("flags on the timeline show an endpoint's past and forecast changes", () => {
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
  expect(flagsOf(told, START).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    "created: Endpoint created at 09:00:00",
    "updated: Endpoint updated at 09:01:00: url",
    "disabled: Endpoint disabled at 09:05:00: too many failures in a row",
    "mail: E-mail sent at 09:05:00: Webhook endpoint disabled",
    "forecast: Disabled at 09:20:00, at 10 failures in a row, if every attempt until then fails",
  ]);
});

test("the scrubber's slices contain every attempt", () => {
  const slices = densityOf(marksOf(timeline()), [], { from: START, to: START + 100 * MINUTE }, 10);
  expect(slices.map(({ bad }) => bad)).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(slices.reduce((sum, { ahead }) => sum + ahead, 0)).toBe(2);
});

test("the scrubber counts attempts in progress neither as delivered nor as failed", () => {
  const marks = marksOf(timeline({ attempts: [attempt(0, { status: "pending" }), attempt(1)] }));
  const [slice] = densityOf(marks, [], { from: START, to: START + 100 * MINUTE }, 10);
  expect(slice).toEqual({ good: 0, bad: 1, pending: 1, ahead: 0 });
  const [[group]] = groupMarks(marks, layOut(marks), (at) => at / MINUTE) as [[Group]];
  expect(sharesOf(group)).toEqual({ bad: 50, pending: 50 });
});

test("newly read attempts replace earlier copies, and the oldest ones are dropped", () => {
  const NONE_EARLIER = { attempts: 0, since: null, slices: [] };
  const earlier = { attempts: 7, since: iso(-9), slices: [] };
  const held = [
    attempt(0, { delivery_id: "w" }),
    attempt(0, { status: "pending", delivery_id: "x" }),
    attempt(1, { delivery_id: "y" }),
  ];
  const latest = [
    attempt(0, { status: "failed", delivery_id: "x" }),
    attempt(1, { delivery_id: "y" }),
    attempt(2, { delivery_id: "z" }),
  ];
  const joined = join({ attempts: held, earlier }, { attempts: latest, earlier: NONE_EARLIER })!;
  expect(joined.attempts.map(({ delivery_id: id, status }) => `${id} ${status}`)).toEqual([
    "w failed",
    "x failed",
    "y failed",
    "z failed",
  ]);
  expect(joined.earlier).toEqual(earlier);
  const many = Array.from({ length: MOST_ATTEMPTS }, (_, index) =>
    attempt(index, { delivery_id: `d${index}` }),
  );
  const full = join(
    { attempts: many, earlier: NONE_EARLIER },
    { attempts: [many.at(-1)!, attempt(MOST_ATTEMPTS, { delivery_id: "new" })], earlier },
  )!;
  expect(full.attempts).toHaveLength(MOST_ATTEMPTS);
  expect(full.earlier).toEqual({ attempts: 1, since: many[0]!.started_at, slices: [] });
});
