import type { HazardResult } from "../trial/check/report.ts";
import { wallNow } from "../world/clock.ts";
import { type CheckFlags, readCheckOptions } from "./check-flags.ts";
import { createProgress, hazardList, reportLines } from "./check-lines.ts";
import type { Invocation } from "./command.ts";
import { note, print, printJson } from "./output.ts";
import { prepareReport, writeReport } from "./report-files.ts";
import { stopRequested } from "./stop.ts";

const FAILED = 1;
const STOPPED = 130;

/** `sandglass check`: tests a webhook handler, and exits with 1 if a hazard failed, 130 if it was stopped. */
export async function run({ args: [url], options }: Invocation<CheckFlags>): Promise<number> {
  if (options.list) return list(options);
  const plan = await readCheckOptions(url, options, wallNow());
  const { otherVersion } = await import("../senders/installed.ts");
  const differs = plan.sender && otherVersion(plan.sender, process.cwd());
  if (differs) note(differs);
  const stopped = stopRequested();
  prepareReport("--junit", options.junit);
  const { checkReceiver, chosenHazards } = await import("../trial/check/check.ts");
  const progress = options.json ? undefined : createProgress(plan);
  let done = 0;
  const checked = checkReceiver({
    ...plan,
    onStart: ({ name }) => progress?.started(name),
    onResult(result: HazardResult) {
      done += 1;
      progress?.ended(result);
    },
  });
  const report = await Promise.race([checked, stopped]).finally(() => progress?.clear());
  if (report === undefined) {
    note(`Interrupted after ${done} of ${chosenHazards(plan).hazards.length} hazards.`);
    return STOPPED;
  }
  if (options.json) printJson(report);
  else for (const line of reportLines(report)) print(line);
  if (options.junit !== undefined) {
    const { checkJunit } = await import("../trial/check/junit.ts");
    writeReport("--junit", options.junit, checkJunit(report));
  }
  return report.verdict === "fail" ? FAILED : 0;
}

/** Prints what the platform, or the sender that is named, can cause. */
async function list({ json, ...flags }: CheckFlags): Promise<number> {
  const [{ chosenHazards }, { chooseSender }, { loadConfig }] = await Promise.all([
    import("../trial/check/check.ts"),
    import("../senders/event-list.ts"),
    import("../config/load-config.ts"),
  ]);
  const { config } = await loadConfig({ cwd: process.cwd(), ...(flags.config && { file: flags.config }) });
  const chosen = await chooseSender(flags, config.senders ?? []);
  const { sender, types } = chosen ?? {};
  const { hazards } = chosenHazards({ sender, types, oldSecret: flags.oldSecret, event: types?.[0] ?? "" });
  if (json) printJson(hazards.map(({ name, title, why, fix }) => ({ name, title, why, fix })));
  else for (const line of hazardList(hazards)) print(line);
  return 0;
}
