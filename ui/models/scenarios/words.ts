import { failureKind } from "../../../src/story/scenario.ts";
import { count, roughly } from "../format.ts";
import type { ScenarioProblem } from "./api.ts";
import type { Course, Step } from "./course.ts";

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
