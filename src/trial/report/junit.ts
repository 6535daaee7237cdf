import { junitXml, type TestCase, type TestSuite } from "../../reports/junit.ts";
import { SECOND } from "../../timeline/duration.ts";
import { count } from "../../timeline/text.ts";
import { hazardLines } from "../check/lines.ts";
import type { CheckReport, HazardResult } from "../check/report.ts";
import { headline } from "../findings/headline.ts";
import type { PlayedFinding } from "../findings/play.ts";
import { titleOf } from "../findings/played-report.ts";
import { explorationLines, UNPAINTED } from "../findings/report.ts";
import { verdictOf, verdictWords } from "../findings/verdict.ts";
import type { Exploration, Level, Survey } from "../schedules/exploration.ts";
import { playedAlone, type Trial } from "./trial.ts";

/** A trial as JUnit XML: suites for its findings, its hazards, and each story. */
export function trialJunit(trial: Trial): string {
  const { check, survey, problem } = trial;
  return junitXml([
    ...playedSuites(playedAlone(trial)),
    ...(check ? [checkSuite(check)] : []),
    ...(problem ? [aloneSuite("explore", { error: problemOf(problem.message, problem.hint) })] : []),
    ...(survey ? surveySuites(survey) : []),
  ]);
}

const explorationText = (exploration: Exploration): string =>
  explorationLines(exploration, { paint: UNPAINTED, width: 100 }).join("\n");

const problemOf = (message: string, more = "") => ({
  ...{ type: "inconclusive", message },
  text: `${message}\n${more}`.trim(),
});

/** A suite with all findings; empty if there are none. */
export function playedSuites(all: readonly PlayedFinding[]): TestSuite[] {
  if (all.length === 0) return [];
  const cases = all.map((played): TestCase => {
    const { finding, status, words: message, hint, exploration } = played;
    return {
      ...{ name: `${finding.name}: ${titleOf(played)}`, classname: "sandglass.finding", file: finding.file },
      time_s: (exploration?.wallMs ?? 0) / SECOND,
      ...(status === "failed" && {
        failure: { type: "finding", message, text: exploration ? explorationText(exploration) : message },
      }),
      ...(status === "unknown" && { error: problemOf(message, hint) }),
    };
  });
  return [{ name: "sandglass findings", time_s: cases.reduce((sum, one) => sum + one.time_s, 0), cases }];
}

/** A check as a suite with a case for each hazard. Warnings go to the case's output. */
function checkSuite(report: CheckReport): TestSuite {
  const { url, sender, seed, at, event, hazards, left_out, duration_ms: ms } = report;
  const caseOf = (name: string, title: string, came: Partial<TestCase>): TestCase => ({
    ...{ name: `${name}: ${title}`, classname: "sandglass.check", time_s: 0 },
    ...came,
  });
  return {
    ...{ name: `sandglass check ${url}`, time_s: ms / SECOND, properties: { sender, seed, at, event } },
    cases: [
      ...hazards.map((one) => caseOf(one.name, one.title, cameOf(one))),
      ...left_out.map(({ name, title, reason }) => caseOf(name, title, { skipped: `left out: ${reason}` })),
    ],
  };
}

function cameOf(hazard: HazardResult): Partial<TestCase> {
  const { name, verdict, summary, note } = hazard;
  const explained = note === null ? summary : `${summary}. ${note}`;
  const time_s = hazard.duration_ms / SECOND;
  const text = () => hazardLines(hazard, UNPAINTED).join("\n");
  switch (verdict) {
    case "skipped":
      return { time_s, skipped: summary };
    case "unknown":
      return { time_s, skipped: `unknown: ${explained}` };
    case "pass":
      return { time_s, output: explained };
    case "warn":
      return { time_s, output: `warning: ${summary}\n${text()}` };
    default:
      return {
        time_s,
        failure: { type: verdict === "flaky" ? verdict : name, message: summary, text: text() },
      };
  }
}

/** A suite for each story, with a case for each number of deviations. Untried levels are marked as skipped. */
const surveySuites = ({ explorations, unplayed }: Survey): TestSuite[] => [
  ...explorations.map((exploration) => ({
    name: `sandglass explore ${exploration.subscriber}`,
    time_s: exploration.wallMs / SECOND,
    properties: { story: exploration.story.name, seed: exploration.seed },
    cases: exploration.levels.map((level, index) => ({
      ...{ name: `${exploration.story.name}: ${count(level.deviations, "deviation")}`, time_s: 0 },
      ...{ classname: "sandglass.explore", ...levelCase(exploration, level, index) },
    })),
  })),
  ...unplayed.map(({ name, reason, failed }) =>
    aloneSuite(name, failed ? { failure: problemOf(reason) } : { skipped: reason }),
  ),
];

/** A suite for a story that could not be explored. */
const aloneSuite = (name: string, came: Partial<TestCase>): TestSuite => ({
  ...{ name: `sandglass explore ${name}`, time_s: 0, properties: { story: name } },
  cases: [{ name, classname: "sandglass.explore", time_s: 0, ...came }],
});

/** The index of the case that reports the failure: the finding's, or else the first; -1 if there is no failure. */
function failedLevel(exploration: Exploration): number {
  const { finding, flaky, levels } = exploration;
  if (verdictOf(exploration) === "nothing_found") return -1;
  const length = (finding?.run ?? flaky)?.schedule.length;
  return Math.max(
    0,
    levels.findIndex(({ deviations }) => deviations === length),
  );
}

function levelCase(exploration: Exploration, level: Level, index: number): Partial<TestCase> {
  const { stopped, finding, flaky } = exploration;
  const { schedules, tried } = level;
  const failed = failedLevel(exploration);
  if (index === failed) {
    const type = finding ? (finding.run.schedule.at(-1)?.kind ?? "calm") : flaky ? "flaky" : "inconclusive";
    const message = finding
      ? headline(finding)
      : flaky
        ? "The subscriber is not deterministic."
        : verdictWords(exploration);
    return { failure: { type, message, text: explorationText(exploration) } };
  }
  if (failed >= 0 && index > failed && !stopped)
    return { skipped: "Not tried, because fewer deviations were enough." };
  const why = stopped === "cancelled" ? "It was cancelled." : "The budget ran out; --budget extends it.";
  if (schedules === null) return { skipped: why };
  const covered = `${tried} of ${count(schedules, "schedule")} tried`;
  return tried < schedules ? { skipped: `${covered}. ${why}` } : { output: `${covered}: no difference.` };
}
