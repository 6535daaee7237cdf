import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { trialOf } from "../trial/report/trial.ts";
import { paint, print, printJson } from "./output.ts";
import { prepareReport } from "./report-files.ts";
import { saveFound, surveyView } from "./trial.ts";
import { printResult, printTrial, writeReports } from "./trial-reports.ts";

interface MergeFlags {
  junit?: string;
  html?: string;
  json?: boolean;
}

/**
 * `--merge` of `test` and `explore`: reports the parts in a folder as one. The parts come from `--shard` with `--json`, and have
 * saved their findings.
 * @returns the exit code
 * @throws SandboxError `bad_request` for other files
 */
export async function reportMerged(folder: string, options: MergeFlags): Promise<number> {
  prepareReport("--junit", options.junit);
  prepareReport("--html", options.html);
  const { mergeParts } = await import("../trial/findings/parts.ts");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const files = names.sort().map((name) => join(folder, name));
  const trial = trialOf(await mergeParts(files.map((name) => ({ name, bytes: readFileSync(name) }))));
  const survey = trial.survey!;
  const found = await saveFound(survey, trial.played, undefined);
  const isTest = trial.check !== null;
  if (options.json) {
    if (isTest) await printResult(trial, found, null);
    else printJson(await surveyView(survey, null, found));
  } else {
    if (isTest) await printTrial(trial);
    else {
      const { trialLines } = await import("../trial/report/lines.ts");
      for (const line of trialLines(trial, { paint, width: process.stdout.columns })) print(line);
    }
    if (found.length > 0)
      for (const line of ["", "The part that found it saved it; its file can be played again."]) print(line);
  }
  return writeReports(trial, options);
}
