import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../ui/models/scenarios/api.ts";
import {
  applyEvent,
  type Course,
  courseOf,
  ENTRIES_SHOWN,
  elapsedText,
  failedStep,
  LINES_SHOWN,
  NOT_BEGUN,
  progressLine,
  stepFacts,
  stepsAhead,
} from "../../../ui/models/scenarios/course.ts";
import { entry } from "../support/entries.ts";
import { at, endOf, eventsOf, reportWith, stepOf } from "./support/runs.ts";

const courseAfter = (events: readonly RunEvent[]): Course => events.reduce(applyEvent, NOT_BEGUN);
const withoutWall = ({ seq: _seq, wallMs: _wallMs, ...course }: Course) => course;

/** Reports of runs that could have been: steps, logs, and one step that failed at the end or none. */
const reports = fc
  .record({
    steps: fc.array(
      fc.record({ title: fc.string(), lines: fc.array(fc.string(), { maxLength: 3 }), entries: fc.nat(3) }),
      { maxLength: 4 },
    ),
    log: fc.array(fc.string(), { maxLength: 2 }),
    failed: fc.boolean(),
  })
  .map(({ steps, log, failed }) => {
    const made = steps.map(({ title, lines, entries }, index) =>
      stepOf({
        title,
        started_at: at(index),
        ended_at: at(index + 1),
        log: lines.map((text) => ({ at: at(index), text })),
        ledger: Array.from({ length: entries }, (_, place) => entry(index * 10 + place + 1)),
        result: failed && index === steps.length - 1 ? "failed" : "passed",
      }),
    );
    return reportWith({ steps: made, log: log.map((text) => ({ at: at(0), text })), failed });
  });

test("what was followed step by step is what the report tells", () => {
  fc.assert(
    fc.property(reports, (report) => {
      expect(withoutWall(courseAfter(eventsOf(report)))).toEqual(withoutWall(courseOf(report)));
    }),
  );
});

test("nothing is shown twice, however often a connection starts over", () => {
  fc.assert(
    fc.property(reports, fc.array(fc.nat(30), { maxLength: 5 }), (report, cuts) => {
      const events = eventsOf(report);
      const again = [...cuts.flatMap((cut) => events.slice(0, cut)), ...events];
      expect(courseAfter(again)).toEqual(courseAfter(events));
    }),
  );
});

test("a run is seen as it goes on", () => {
  const events = eventsOf(
    reportWith({ steps: [stepOf({ log: [{ at: at(0), text: "hello" }] })], failed: false }),
  );
  const states = events.map((_, index) => courseAfter(events.slice(0, index + 1)));
  expect(states.map(({ state, steps }) => [state, steps.map((step) => step.state)])).toEqual([
    ["running", []],
    ["running", ["running"]],
    ["running", ["running"]],
    ["running", ["passed"]],
    ["passed", ["passed"]],
  ]);
  expect(states[2]!.steps[0]!.log.latest.map(({ text }) => text)).toEqual(["hello"]);
  expect(states.map(progressLine)).toEqual([
    "0 steps passed.",
    "Step 1 is running.",
    "Step 1 is running.",
    "1 step passed.",
    "Passed, with 1 step.",
  ]);
  expect(progressLine(NOT_BEGUN)).toBe("Waiting for its turn.");
});

test("a step that was under way when the run was stopped is called stopped, and so is the run", () => {
  const [started, step] = eventsOf(reportWith({ steps: [stepOf({})], failed: false }));
  const course = courseAfter([
    started!,
    step!,
    endOf(3, "stopped", step!.type === "step.started" ? step!.title : null),
  ]);
  expect([course.state, course.steps[0]!.state]).toEqual(["stopped", "stopped"]);
  expect(failedStep(course)).toBeUndefined();
  expect(progressLine(course)).toBe("Stopped after 0 steps: It was stopped.");
});

test("of steps with one title, the failure belongs to the last that failed; else to none", () => {
  const twice = [stepOf({ title: "Pay" }), stepOf({ title: "Pay", result: "failed" })];
  const course = courseOf(reportWith({ steps: twice, failed: true }));
  expect(failedStep(course)?.index).toBe(1);
  expect(failedStep({ ...course, failure: { ...course.failure!, step: null } })).toBeUndefined();
});

test("long logs and ledgers are shown in part, and say so", () => {
  const lines = Array.from({ length: LINES_SHOWN + 5 }, (_, index) => ({ at: at(0), text: String(index) }));
  const ledger = [
    entry(1, { type: "delivery.started" }),
    ...Array.from({ length: ENTRIES_SHOWN + 7 }, (_, index) => entry(index + 2)),
  ];
  const report = reportWith({ steps: [stepOf({ log: lines, ledger })], failed: false });
  for (const course of [courseOf(report), courseAfter(eventsOf(report))]) {
    const [step] = course.steps;
    expect([step!.log.latest.length, step!.log.earlier]).toEqual([LINES_SHOWN, 5]);
    expect(step!.log.latest.at(-1)!.text).toBe(String(LINES_SHOWN + 4));
    expect([step!.entries.length, step!.total]).toEqual([ENTRIES_SHOWN, ENTRIES_SHOWN + 7]);
  }
});

test("an event of a newer server changes nothing but the place", () => {
  const course = applyEvent(NOT_BEGUN, { seq: 1, type: "weather" } as never);
  expect(course).toEqual({ ...NOT_BEGUN, seq: 1 });
});

test("a step is told in a line", () => {
  const course = courseOf(
    reportWith({
      steps: [
        stepOf({}),
        stepOf({ ledger: [entry(1, { type: "webhook.created" })], expectations: 1 }),
        stepOf({ ledger: [entry(1, { type: "fault.set" }), entry(2, { type: "fault.cleared" })] }),
        stepOf({
          ended_at: at(120),
          expectations: 4,
          ledger: [entry(2, { type: "delivery.failed" }), entry(3, { type: "delivery.failed" })],
        }),
      ],
      failed: false,
    }),
  );
  expect(course.steps.map(stepFacts)).toEqual([
    "",
    "Endpoint created, 1 expectation",
    "2 entries",
    "took 2 h, 2 attempts failed, 4 expectations",
  ]);
  expect([elapsedText(0, 0), elapsedText(0, 7_260_000)]).toEqual(["0 s", "2 h 1 min"]);
});

test("steps to come are known from an earlier run, until this one goes another way", () => {
  const titles = ["a", "b", "c"];
  const after = (...made: string[]): Course => ({
    ...courseOf(reportWith({ steps: made.map((title) => stepOf({ title })), failed: true })),
    state: "running",
  });
  expect(stepsAhead({ ...NOT_BEGUN }, titles)).toEqual(titles);
  expect(stepsAhead(after("a"), titles)).toEqual(["b", "c"]);
  expect(stepsAhead(after("a", "x"), titles)).toEqual([]);
  expect(stepsAhead(after("a", "b", "c", "d"), titles)).toEqual([]);
  expect(stepsAhead({ ...after("a"), state: "failed" }, titles)).toEqual(["b", "c"]);
  expect(stepsAhead({ ...after("a"), state: "passed" }, titles)).toEqual([]);
});
