import type { Part } from "../../trial/findings/parts.ts";
import { playedView } from "../../trial/findings/played-report.ts";
import { trialLines } from "../../trial/report/lines.ts";
import { evidenceOf, outcomeOf, type Trial, worstOf } from "../../trial/report/trial.ts";
import { CODES, STOPPED } from "../exit-codes.ts";
import { paint, print, printable, printJson } from "../output.ts";
import { writeReport } from "../report-files.ts";
import { type FoundAs, surveyView } from "./trial.ts";

const COLORS = { failed: paint.red, unknown: paint.yellow, passed: paint.green };

/** Writes the requested reports. @returns the trial's exit code */
export async function writeReports(
  trial: Trial,
  { junit, html }: { junit?: string; html?: string },
): Promise<number> {
  if (junit !== undefined) {
    const { trialJunit } = await import("../../trial/report/junit.ts");
    writeReport("--junit", junit, trialJunit(trial));
  }
  if (html !== undefined) {
    const { trialHtml } = await import("../../trial/report/html.ts");
    writeReport("--html", html, trialHtml(trial));
  }
  const isCancelled = trial.survey?.explorations.some(({ stopped }) => stopped === "cancelled");
  return isCancelled ? STOPPED : CODES[outcomeOf(trial)];
}

interface Printed {
  json?: boolean | undefined;
  /** Whether this is a full test, whose report starts with the worst result. */
  isTest: boolean;
  found: readonly FoundAs[];
  /** The part that was explored; null if everything was explored. */
  part: Part | null;
}

/** Prints the result of `test` or `explore`. */
export async function printTrial(trial: Trial, { json, isTest, found, part }: Printed): Promise<void> {
  const { check, survey, problem, outside } = trial;
  const outcome = outcomeOf(trial);
  if (json) {
    const explored = survey && (await surveyView(survey, part, found));
    const played = trial.played.map(playedView);
    const { sentence: worst } = worstOf(trial);
    if (isTest)
      printJson({ verdict: outcome, worst, findings: played, check, explore: explored, problem, outside });
    else printJson({ ...explored, outside, ...(played.length > 0 && { played }) });
    return;
  }
  if (isTest)
    print(
      COLORS[outcome](`${printable(outcome === "passed" ? evidenceOf(trial) : worstOf(trial).sentence)}.`),
    );
  for (const line of trialLines(trial, { paint, width: process.stdout.columns || undefined }, isTest))
    print(line);
}
