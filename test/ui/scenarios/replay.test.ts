import { signal } from "@preact/signals";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { JournalEntry } from "../../../ui/api-types.ts";
import { type Course, courseOf } from "../../../ui/models/scenarios/course.ts";
import { courseAt, momentsOf, Replay } from "../../../ui/models/scenarios/replay.ts";
import { lineMarks, placeText, scriptLines, shownStep } from "../../../ui/models/scenarios/source.ts";
import { at, reportWith, stepOf } from "./support/runs.ts";

const FILE = "scenarios/story.ts";
const position = (line: number) => ({ file: FILE, line, column: 5 });
const entry = (seq: number, minutes: number): JournalEntry =>
  ({ seq, at: at(minutes), type: "delivery.failed", data: { id: `dlv_${seq}` } }) as unknown as JournalEntry;

/** Two steps: the first with three entries and a line of its log, the second failed. */
function failedRun(): Course {
  const report = reportWith({
    failed: true,
    steps: [
      stepOf({
        title: "An hour passes",
        position: position(3),
        ended_at: at(60),
        expectations: 2,
        ledger: [entry(1, 0), entry(2, 10), entry(3, 60)],
        log: [{ at: at(10), text: "ten minutes on" }],
      }),
      stepOf({
        title: "It works",
        position: position(6),
        result: "failed",
        started_at: at(60),
        ended_at: at(61),
      }),
    ],
  });
  report.failure!.position = position(7);
  return courseOf(report);
}

describe("a replay", () => {
  test("shows a step's entries one by one, and nothing that was later", () => {
    const course = failedRun();
    const moments = momentsOf(course, false);
    expect(moments.map(({ step, kind, entries }) => `${step} ${kind} ${entries}`)).toEqual([
      "0 begun 0",
      "0 entry 1",
      "0 entry 2",
      "0 entry 3",
      "0 ended 3",
      "1 begun 0",
      "1 ended 0",
    ]);
    const seen = moments.map((moment) => {
      const { state, now, wallMs, failure, steps } = courseAt(course, moment);
      expect({ state, wallMs }).toEqual({ state: "running", wallMs: undefined });
      const last = steps.at(-1)!;
      return [
        (now - course.startedAt) / 60_000,
        steps.length,
        last.state,
        last.caused,
        last.log.latest.length,
        failure !== null,
      ];
    });
    expect(seen).toEqual([
      [0, 1, "running", "", 0, false],
      [0, 1, "running", "1 attempt failed", 0, false],
      [10, 1, "running", "2 attempts failed", 1, false],
      [60, 1, "running", "3 attempts failed", 1, false],
      [60, 1, "passed", "3 attempts failed", 1, false],
      [60, 2, "running", "", 0, false],
      [61, 2, "failed", "", 0, true],
    ]);
  });

  test("of a step with many entries takes no longer than of one with a few", () => {
    const ledger = Array.from({ length: 150 }, (_none, index) => entry(index + 1, index));
    const moments = momentsOf(courseOf(reportWith({ failed: false, steps: [stepOf({ ledger })] })), false);
    expect(moments).toHaveLength(10);
    expect(moments.at(-2)).toMatchObject({ kind: "entry", entries: 150 });
  });

  describe("over time", () => {
    afterEach(() => void vi.useRealTimers());
    const open = (moves: boolean) => {
      vi.useFakeTimers();
      const course = signal(failedRun());
      return { course, replay: new Replay(course, () => moves) };
    };

    test("goes on by itself to the end, which is the run whole", () => {
      const { course, replay } = open(true);
      expect(replay.shown.value).toBe(course.value);
      replay.start();
      expect([replay.step.value, replay.playing.value]).toEqual([0, true]);
      expect(replay.shown.value.steps[0]!.entries).toEqual([]);
      vi.advanceTimersToNextTimer();
      vi.advanceTimersToNextTimer();
      expect(replay.shown.value.steps[0]!.entries).toHaveLength(2);
      vi.runAllTimers();
      expect([replay.step.value, replay.playing.value]).toEqual([undefined, false]);
      expect(replay.shown.value).toBe(course.value);
    });

    test("pauses, goes from step to step, and ends", () => {
      const { course, replay } = open(true);
      replay.start();
      replay.toggle();
      expect(vi.getTimerCount()).toBe(0);
      replay.next();
      expect([replay.step.value, replay.playing.value]).toEqual([1, false]);
      replay.previous();
      replay.previous();
      expect(replay.step.value).toBe(0);
      replay.toggle();
      expect(vi.getTimerCount()).toBe(1);
      replay.end();
      expect([vi.getTimerCount(), replay.shown.value]).toEqual([0, course.value]);
      replay.start();
      replay[Symbol.dispose]();
      expect(vi.getTimerCount()).toBe(0);
    });

    test("waits at each step for people who want no movement, and shows it whole", () => {
      const { replay } = open(false);
      replay.start();
      expect([replay.playing.value, vi.getTimerCount()]).toEqual([false, 0]);
      expect(replay.shown.value.steps.map(({ state }) => state)).toEqual(["passed"]);
      replay.next();
      expect(replay.shown.value.steps.map(({ state }) => state)).toEqual(["passed", "failed"]);
      replay.next();
      expect(replay.step.value).toBeUndefined();
    });
  });
});

describe("the source", () => {
  test("is in colour, line by line", () => {
    const text = `import { a } from "b";\n/* two\nlines */\nawait step(\`at \${1 + 1}\`, () => true); // "x"\nx.of(10_000);\r\n`;
    const lines = scriptLines(text);
    expect(lines.map((tokens) => tokens.map((token) => token.text).join(""))).toEqual(
      text.replace("\r\n", "").split("\n"),
    );
    const coloured = lines.map((tokens) =>
      tokens.filter(({ kind }) => kind !== "plain").map((token) => `${token.kind} ${token.text}`),
    );
    expect(coloured).toEqual([
      ["key import", "key from", 'string "b"'],
      ["comment /* two"],
      ["comment lines */"],
      ["key await", `string \`at \${1 + 1}\``, "word true", 'comment // "x"'],
      ["number 10_000"],
    ]);
    expect(scriptLines("x".repeat(300_000))).toHaveLength(1);
  });

  test("marks where steps begin and where the run failed, in its own file alone", () => {
    const course = failedRun();
    expect([...lineMarks(course, FILE)]).toEqual([
      [3, "passed"],
      [6, "failed"],
      [7, "failure"],
    ]);
    expect(lineMarks(course, "scenarios/_helper.ts").size).toBe(0);
    expect(placeText(position(3), FILE)).toBe("line 3");
    expect(placeText(position(3), "scenarios/_helper.ts")).toBe("scenarios/story.ts:3");
    expect(shownStep(course, undefined)!.index).toBe(1);
    expect(shownStep(course, 0)!.index).toBe(0);
    expect(shownStep({ ...course, failure: null }, undefined)).toBeUndefined();
  });
});
