import { junitXml, type TestSuite } from "../../reports/junit.ts";
import { checkSuite } from "../check/junit.ts";
import { surveySuites } from "../findings/junit.ts";
import { playedSuites } from "../findings/played-report.ts";
import { playedAlone, type Trial } from "./trial.ts";

/** A trial as JUnit XML: suites of its findings, of its hazards, and of each story. */
export function trialJunit(trial: Trial): string {
  const { check, survey, problem } = trial;
  return junitXml([
    ...playedSuites(playedAlone(trial)),
    ...(check ? [checkSuite(check)] : []),
    ...(problem ? [unexplored(problem)] : []),
    ...(survey ? surveySuites(survey) : []),
  ]);
}

const unexplored = ({ message, hint }: NonNullable<Trial["problem"]>): TestSuite => ({
  name: "sandglass explore",
  time_s: 0,
  cases: [
    {
      ...{ name: "explore", classname: "sandglass.explore", time_s: 0 },
      error: { type: "inconclusive", message, text: `${message}\n${hint}` },
    },
  ],
});
