import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readFileOf } from "../../runtime/regular-file.ts";
import { trialOf } from "../../trial/report/trial.ts";
import { print } from "../output.ts";
import { prepareReport } from "../report-files.ts";
import { printTrial, writeReports } from "./reports.ts";
import type { TrialFlags } from "./subject.ts";
import { saveFound } from "./trial.ts";

/**
 * The maximum size of a report. A shard's report lists all schedules that failed, with their states, so it can be
 * large.
 */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Implements `--merge` for `test` and `explore`: combines the reports in a folder into one. The reports come from runs
 * with `--shard` and `--json`, whose findings are already saved.
 * @returns the exit code
 * @throws SandboxError `bad_request` for other files
 */
export async function reportMerged(folder: string, options: TrialFlags): Promise<number> {
  prepareReport("--junit", options.junit);
  prepareReport("--html", options.html);
  const { mergeParts } = await import("../../trial/findings/parts.ts");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const files = names.sort().map((name) => join(folder, name));
  const read = (name: string) => ({ name, bytes: readFileOf(folder, name, name, MOST_BYTES) });
  const trial = trialOf(await mergeParts(files.map(read)));
  const found = await saveFound(trial.survey!, trial.played, undefined);
  await printTrial(trial, { json: options.json, isTest: trial.check !== null, found, part: null });
  if (!options.json && found.length > 0)
    print("\nThe part that found it saved it as a file, which you can replay.");
  return writeReports(trial, options);
}
