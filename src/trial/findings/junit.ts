import type { TestCase, TestProblem, TestSuite } from "../../reports/junit.ts";
import { SECOND } from "../../timeline/duration.ts";
import { count } from "../../timeline/text.ts";
import type { Exploration, Level, Survey, UnplayedStory } from "../schedules/exploration.ts";
import { headline } from "./headline.ts";
import { explorationLines, UNPAINTED } from "./report.ts";
import { verdictOf, verdictWords } from "./verdict.ts";

/** A survey as suites of JUnit XML: one for each story, with a case for each number of deviations; what was not tried is skipped. */
export const surveySuites = ({ explorations, unplayed }: Survey): TestSuite[] => [
  ...explorations.map(suiteOf),
  ...unplayed.map(unplayedSuite),
];

const suiteOf = (exploration: Exploration) => ({
  name: `sandglass explore ${exploration.subscriber}`,
  time_s: exploration.wallMs / SECOND,
  properties: { story: exploration.story.name, seed: exploration.seed },
  cases: exploration.levels.map((level, index) =>
    levelCase(exploration, level, index, failedLevel(exploration)),
  ),
});

const unplayedSuite = ({ name, reason, failed }: UnplayedStory) => ({
  name: `sandglass explore ${name}`,
  time_s: 0,
  properties: { story: name },
  cases: [
    {
      ...{ name, classname: "sandglass.explore", time_s: 0 },
      ...(failed
        ? { failure: { type: "inconclusive", message: reason, text: reason } }
        : { skipped: reason }),
    },
  ],
});

/** The case that reports what is not clean: the finding's, or the first; -1 without any. */
function failedLevel(exploration: Exploration): number {
  const { finding, flaky, levels } = exploration;
  if (verdictOf(exploration) === "nothing_found") return -1;
  const length = (finding?.run ?? flaky)?.schedule.length;
  return Math.max(
    0,
    levels.findIndex(({ deviations }) => deviations === length),
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
  if (failed >= 0 && index > failed && !stopped)
    return { ...head, skipped: "Not tried, as fewer deviations were enough." };
  const why = stopped === "cancelled" ? "It was cancelled." : "The budget ran out; --budget gives it more.";
  if (schedules === null) return { ...head, skipped: why };
  const covered = `${tried} of ${count(schedules, "schedule")} tried`;
  return tried < schedules
    ? { ...head, skipped: `${covered}. ${why}` }
    : { ...head, output: `${covered}: no difference.` };
}

function problemOf(exploration: Exploration): TestProblem {
  const { finding, flaky } = exploration;
  return {
    type: finding ? (finding.run.schedule.at(-1)?.kind ?? "calm") : flaky ? "flaky" : "inconclusive",
    message: finding
      ? headline(finding)
      : flaky
        ? "The subscriber is not deterministic."
        : verdictWords(exploration),
    text: explorationLines(exploration, { paint: UNPAINTED, width: 100 }).join("\n"),
  };
}
