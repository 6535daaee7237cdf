import type { HazardResult } from "../check/report.ts";
import { wallNow } from "../world/clock.ts";
import { type CheckFlags, readCheckOptions } from "./check-flags.ts";
import { createProgress, hazardList, reportLines } from "./check-lines.ts";
import type { Invocation } from "./command.ts";
import { print, printJson } from "./output.ts";
import { prepareReport, writeReport } from "./report-files.ts";

const FAILED = 1;

/** `sandglass check`: tests a webhook handler, and exits with 1 if a hazard failed. */
export async function run({ args: [url], options }: Invocation<CheckFlags>): Promise<number> {
  const { HAZARDS } = await import("../check/hazards/index.ts");
  if (options.list) {
    if (options.json) printJson(HAZARDS.map(({ name, title, why, fix }) => ({ name, title, why, fix })));
    else for (const line of hazardList(HAZARDS)) print(line);
    return 0;
  }
  const plan = await readCheckOptions(url, options, wallNow());
  prepareReport("--junit", options.junit);
  const { checkReceiver } = await import("../check/check.ts");
  const progress = options.json ? undefined : createProgress(plan);
  const report = await checkReceiver({
    ...plan,
    onStart: ({ name }) => progress?.started(name),
    onResult: (result: HazardResult) => progress?.ended(result),
  }).finally(() => progress?.clear());
  if (options.json) printJson(report);
  else for (const line of reportLines(report)) print(line);
  if (options.junit !== undefined) {
    const { checkJunit } = await import("../check/junit.ts");
    writeReport("--junit", options.junit, checkJunit(report));
  }
  return report.verdict === "fail" ? FAILED : 0;
}
