import { junitXml, type TestCase, type TestProblem } from "../../reports/junit.ts";
import { SECOND } from "../../story/duration.ts";
import { count } from "../../story/text.ts";
import type { Exploration, Level } from "../exploration.ts";
import { explorationLines } from "../report.ts";
import { headline } from "./headline.ts";

/** Nothing is painted in a file. */
const same = (text: string): string => text;
const PLAIN = { bold: same, dim: same, green: same, red: same, yellow: same };

/** An exploration as JUnit XML: a suite with a case for each number of deviations; what was not tried is skipped. */
export function explorationJunit(exploration: Exploration): string {
  const { story, subscriber, levels, seed, wallMs } = exploration;
  const failed = failedLevel(exploration);
  return junitXml([
    {
      name: `sandglass explore ${subscriber}`,
      time_s: wallMs / SECOND,
      properties: { story: story.name, seed },
      cases: levels.map((level, index) => levelCase(exploration, level, index, failed)),
    },
  ]);
}

/** The case that reports the finding, or the subscriber that is not deterministic; -1 without either. */
function failedLevel({ finding, flaky, levels }: Exploration): number {
  const schedule = finding?.run.schedule ?? flaky?.schedule;
  if (!schedule) return -1;
  return Math.max(
    0,
    levels.findIndex(({ deviations }) => deviations === schedule.length),
  );
}

function levelCase(exploration: Exploration, level: Level, index: number, failed: number): TestCase {
  const { story, stopped } = exploration;
  const { deviations, schedules, tried } = level;
  const head: TestCase = {
    name: `${story.name}: ${count(deviations, "deviation")}`,
    classname: "sandglass.explore",
    time_s: 0,
  };
  if (index === failed) return { ...head, failure: problemOf(exploration) };
  if (failed >= 0 && index > failed)
    return { ...head, skipped: "Not tried, as fewer deviations were enough." };
  const why = stopped === "cancelled" ? "It was cancelled." : "The budget ran out; --budget gives it more.";
  if (schedules === null) return { ...head, skipped: why };
  const covered = `${tried} of ${count(schedules, "schedule")} tried`;
  return tried < schedules
    ? { ...head, skipped: `${covered}. ${why}` }
    : { ...head, output: `${covered}: no difference.` };
}

function problemOf(exploration: Exploration): TestProblem {
  const { finding } = exploration;
  return {
    type: finding ? (finding.run.schedule.at(-1)?.kind ?? "calm") : "flaky",
    message: finding ? headline(finding) : "The subscriber is not deterministic.",
    text: explorationLines(exploration, { paint: PLAIN, width: 100 }).join("\n"),
  };
}
