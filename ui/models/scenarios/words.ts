import type { JournalEntry } from "../../api-types.ts";
import { describeEntry, tally } from "../describe.ts";
import { count, duration } from "../format.ts";
import type { ScenarioProblem } from "./api.ts";
import type { Course, Step } from "./course.ts";
import type { Failure } from "./events.ts";

/** That an attempt begins is said again by how it ends. */
export const toldOf = (ledger: readonly JournalEntry[]): JournalEntry[] =>
  ledger.filter(({ type }) => type !== "delivery.started");

const FAILURE_WORDS: Record<string, string> = {
  expectation: "An expectation was not met",
  error: "It threw an error",
  time_limit: "It took too long",
  nothing_expected: "It expected nothing",
  step_not_awaited: "A step was not awaited",
  stopped: "It was stopped",
};

/** What kind of failure it is. */
export const failureTitle = ({ code }: Failure): string => FAILURE_WORDS[code] ?? "It failed";

/** `scenarios/refund.ts:14:7`. */
export const positionText = ({ file, line, column }: NonNullable<Failure["position"]>): string =>
  `${file}:${line}:${column}`;

/** A ledger in a few words: `3 attempts failed`; nothing of entries that are only worth a look. */
export function causedText(told: JournalEntry[]): string {
  const [only, ...rest] = told;
  if (!only) return "";
  if (rest.length === 0) return describeEntry(only).title;
  const text = tally(told);
  return text === count(told.length, "entry", "entries") ? "" : text;
}

/** What a step came to, in a line: `took 2 h, 3 attempts failed, 4 expectations`. Empty if there is nothing to say. */
export function stepFacts({ startedAt, endedAt, caused, expectations }: Step): string {
  const took = endedAt > startedAt ? `took ${duration(endedAt - startedAt)}` : "";
  const looked = expectations > 0 ? count(expectations, "expectation") : "";
  return [took, caused, looked].filter(Boolean).join(", ");
}

/** How long the clock moved between two instants: `2 h 1 min`, `0 s`. */
export const elapsedText = (from: number, to: number): string => (to > from ? duration(to - from) : "0 s");

/** Where a run stands, for somebody who hears it. */
export function progressLine({ state, steps, failure }: Course): string {
  const done = steps.filter((step) => step.state === "passed").length;
  const last = steps.at(-1);
  if (state === "waiting") return "It waits for its turn.";
  if (state === "running")
    return last?.state === "running"
      ? `Step ${last.index + 1} is running.`
      : `${count(done, "step")} passed.`;
  if (state === "passed") return `Passed, with ${count(steps.length, "step")}.`;
  return `${state === "stopped" ? "Stopped" : "Failed"} after ${count(done, "step")}${
    failure ? `: ${failureTitle(failure)}` : ""
  }.`;
}

/** What is wrong with a file, without its name, which stands beside it. */
export const problemText = ({ file, message }: ScenarioProblem): string =>
  message.startsWith(`${file}: `) ? message.slice(file.length + 2) : message;
