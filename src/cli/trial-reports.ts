import type { Part } from "../trial/findings/parts.ts";
import { evidenceOf, outcomeOf, type Trial, worstOf } from "../trial/report/trial.ts";
import { paint, print, printable, printJson } from "./output.ts";
import { writeReport } from "./report-files.ts";
import { type FoundAs, surveyView } from "./trial.ts";

const CODES = { failed: 1, unknown: 3, passed: 0 };
const STOPPED = 130;
const COLORS = { failed: paint.red, unknown: paint.yellow, passed: paint.green };

/** Writes the requested reports. @returns the exit code of the trial */
export async function writeReports(
  trial: Trial,
  { junit, html }: { junit?: string; html?: string },
): Promise<number> {
  if (junit !== undefined) {
    const { trialJunit } = await import("../trial/report/junit.ts");
    writeReport("--junit", junit, trialJunit(trial));
  }
  if (html !== undefined) {
    const { trialHtml } = await import("../trial/report/html.ts");
    writeReport("--html", html, trialHtml(trial));
  }
  const isCancelled = trial.survey?.explorations.some(({ stopped }) => stopped === "cancelled");
  return isCancelled ? STOPPED : CODES[outcomeOf(trial)];
}

/** Prints a trial as JSON. @param part the explored part; null for everything */
export async function printResult(trial: Trial, found: readonly FoundAs[], part: Part | null): Promise<void> {
  const { played, check, survey, problem } = trial;
  const { playedView } = await import("../trial/findings/played-report.ts");
  printJson({
    ...{ verdict: outcomeOf(trial), worst: worstOf(trial), findings: played.map(playedView), check },
    explore: survey && (await surveyView(survey, part, found)),
    problem,
  });
}

/** Prints a trial, the worst result first. */
export async function printTrial(trial: Trial): Promise<void> {
  const outcome = outcomeOf(trial);
  print(COLORS[outcome](`${printable(outcome === "passed" ? evidenceOf(trial) : worstOf(trial))}.`));
  const { trialLines } = await import("../trial/report/lines.ts");
  for (const line of trialLines(trial, { paint, width: process.stdout.columns }, true)) print(line);
}
