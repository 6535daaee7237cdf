import type { Run } from "./api.ts";
import { type Course, isUnderWay } from "./course.ts";

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
