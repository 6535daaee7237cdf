import { outcomeOf, type Trial } from "../trial/report/trial.ts";
import { writeReport } from "./report-files.ts";

const CODES = { failed: 1, unknown: 3, passed: 0 };
const STOPPED = 130;

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
