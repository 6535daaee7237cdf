import { tally, worthShowing } from "../../../src/timeline/entries.ts";
import { failureKind } from "../../../src/timeline/scenario.ts";
import type { JournalEntry } from "../../api-types.ts";
import { count, roughly, toMs } from "../format.ts";
import type {
  Failure,
  LogLine,
  Position,
  Report,
  Run,
  RunEvent,
  ScenarioProblem,
  StepReport,
} from "./api.ts";

/** How many entries of a step, and lines of a log, are shown and kept; the report has more. */
export const ENTRIES_SHOWN = 200;
export const LINES_SHOWN = 200;

export type RunState = Run["status"] | "stopped";

/** The latest lines of a log. */
export interface Lines {
  latest: LogLine[];
  /** How many came before those. */
  earlier: number;
}

/** A step as it is shown. Instants are virtual, milliseconds. */
export interface Step {
  index: number;
  title: string;
  /** Where it begins in the scenario's files. */
  position: Position;
  /** One that was under way when the run was stopped is not to blame. */
  state: "running" | "passed" | "failed" | "stopped";
  startedAt: number;
  endedAt: number;
  expectations: number;
  /** What it caused, in a few words. */
  caused: string;
  /** The beginning of what it caused, without what is said twice, and how many there are of all. */
  entries: JournalEntry[];
  total: number;
  log: Lines;
}

/** A run as far as it came. Instants are virtual, milliseconds; the real time is known at the end. */
export interface Course {
  /** The last event that was heard. */
  seq: number;
  state: RunState;
  startedAt: number;
  now: number;
  wallMs: number | undefined;
  steps: Step[];
  /** What was logged outside of steps. */
  log: Lines;
  failure: Failure | null;
}

export const NO_LINES: Lines = { latest: [], earlier: 0 };

export const NOT_BEGUN: Course = {
  seq: 0,
  state: "waiting",
  startedAt: 0,
  now: 0,
  wallMs: undefined,
  steps: [],
  log: NO_LINES,
  failure: null,
};

export const isUnderWay = (state: RunState): boolean => state === "waiting" || state === "running";

/** What a run is after an event. One that was heard before changes nothing. */
export function applyEvent(course: Course, event: RunEvent): Course {
  if (event.seq <= course.seq) return course;
  const { seq } = event;
  switch (event.type) {
    case "run.started": {
      const at = toMs(event.at);
      return { ...NOT_BEGUN, seq, state: "running", startedAt: at, now: at };
    }
    case "step.started": {
      const at = toMs(event.at);
      return { ...course, seq, now: at, steps: [...course.steps, begun(event, at)] };
    }
    case "step.ended": {
      const steps = course.steps.filter(({ index }) => index !== event.index);
      return { ...course, seq, now: toMs(event.ended_at), steps: [...steps, ended(event, event.index)] };
    }
    case "log": {
      const line = { at: event.at, text: event.text };
      const inStep = event.step !== null && course.steps.some(({ index }) => index === event.step);
      if (!inStep) return { ...course, seq, log: withLine(course.log, line) };
      const steps = course.steps.map((step) =>
        step.index === event.step ? { ...step, log: withLine(step.log, line) } : step,
      );
      return { ...course, seq, steps };
    }
    case "run.ended": {
      const now = toMs(event.at);
      const state = stateOf(event.status, event.failure);
      const left = state === "stopped" ? "stopped" : "failed";
      const steps = course.steps.map(
        (step): Step => (step.state === "running" ? { ...step, state: left, endedAt: now } : step),
      );
      return { ...course, seq, now, steps, failure: event.failure, state };
    }
    default:
      // A server that is newer than this page may tell of more.
      return { ...course, seq: (event as { seq: number }).seq };
  }
}

/** A run that has ended, as its report tells it. */
export function courseOf(report: Report): Course {
  const { status, failure, log, wall } = report;
  const state = stateOf(status, failure);
  const steps = report.steps.map(ended);
  const last = steps.at(-1);
  if (state === "stopped" && last?.state === "failed") last.state = "stopped";
  return {
    seq: Number.POSITIVE_INFINITY,
    state,
    startedAt: toMs(report.started_at),
    now: toMs(report.ended_at),
    wallMs: wall.duration_ms,
    steps,
    log: linesOf(log),
    failure,
  };
}

const stateOf = (status: Report["status"], failure: Failure | null): RunState =>
  failure?.code === "stopped" ? "stopped" : status;

const begun = (
  { index, title, position }: Extract<RunEvent, { type: "step.started" }>,
  at: number,
): Step => ({
  index,
  title,
  position,
  state: "running",
  startedAt: at,
  endedAt: at,
  expectations: 0,
  caused: "",
  entries: [],
  total: 0,
  log: NO_LINES,
});

function ended(step: StepReport, index: number): Step {
  const entries = worthShowing(step.ledger);
  return {
    index,
    title: step.title,
    position: step.position,
    state: step.result as Step["state"],
    startedAt: toMs(step.started_at),
    endedAt: toMs(step.ended_at),
    expectations: step.expectations,
    caused: tally(entries),
    entries: entries.slice(0, ENTRIES_SHOWN),
    total: entries.length,
    log: linesOf(step.log),
  };
}

function linesOf(log: readonly LogLine[]): Lines {
  return { latest: log.slice(-LINES_SHOWN), earlier: Math.max(0, log.length - LINES_SHOWN) };
}

function withLine({ latest, earlier }: Lines, line: LogLine): Lines {
  const full = latest.length >= LINES_SHOWN;
  return { latest: [...(full ? latest.slice(1) : latest), line], earlier: earlier + (full ? 1 : 0) };
}

/** The step that a failure belongs to: of several with its title, the last that failed. */
export function failedStep({ steps, failure }: Course): Step | undefined {
  if (failure === null) return undefined;
  return steps.findLast(({ title, state }) => state === "failed" && title === failure.step);
}

/**
 * The latest earlier run that was asked for with the same, and passed: what it did is what is to be expected.
 * @param runs oldest first
 */
export function earlierRun(runs: readonly Run[], { id, scenario, params }: Run): Run | undefined {
  const wanted = JSON.stringify(params);
  return runs.findLast(
    (run) =>
      run.id !== id &&
      run.scenario === scenario &&
      run.status === "passed" &&
      JSON.stringify(run.params) === wanted,
  );
}

/** The steps that have not begun, as far as an earlier run tells; none once this run goes another way. */
export function stepsAhead({ steps, state }: Course, titles: readonly string[]): string[] {
  if (state === "passed" || (state === "waiting" && titles.length === 0)) return [];
  const same = steps.every(({ title }, place) => titles[place] === title);
  return same ? titles.slice(steps.length) : [];
}

/** What is said of a step that has not begun. */
export const aheadWords = (course: Course): string => (isUnderWay(course.state) ? "to come" : "not reached");

/** What a step came to, in a line: `took 2 h, 3 attempts failed, 4 expectations`. Empty if there is nothing to say. */
export function stepFacts({ startedAt, endedAt, caused, expectations }: Step): string {
  const took = endedAt > startedAt ? `took ${roughly(endedAt - startedAt)}` : "";
  const looked = expectations > 0 ? count(expectations, "expectation") : "";
  return [took, caused, looked].filter(Boolean).join(", ");
}

/** How long the clock moved between two instants: `2 h 1 min`, `0 s`. */
export const elapsedText = (from: number, to: number): string => (to > from ? roughly(to - from) : "0 s");

/** Where a run stands, for screen readers. */
export function progressLine({ state, steps, failure }: Course): string {
  const done = steps.filter((step) => step.state === "passed").length;
  const last = steps.at(-1);
  if (state === "waiting") return "Waiting for its turn.";
  if (state === "running")
    return last?.state === "running"
      ? `Step ${last.index + 1} is running.`
      : `${count(done, "step")} passed.`;
  if (state === "passed") return `Passed, with ${count(steps.length, "step")}.`;
  return `${state === "stopped" ? "Stopped" : "Failed"} after ${count(done, "step")}${
    failure ? `: ${failureKind(failure.code)}` : ""
  }.`;
}

/** What is wrong with a file, without its name, which stands beside it. */
export const problemText = ({ file, message }: ScenarioProblem): string =>
  message.startsWith(`${file}: `) ? message.slice(file.length + 2) : message;
