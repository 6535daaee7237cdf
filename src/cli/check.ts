import type { CheckReport, HazardResult } from "../trial/check/report.ts";
import { wallNow } from "../world/clock.ts";
import { createProgress, hazardList, reportLines } from "./check-lines.ts";
import { type CheckFlags, checkPlan } from "./check-plan.ts";
import type { Invocation } from "./command.ts";
import { note, print, printJson } from "./output.ts";
import { prepareReport, writeReport } from "./report-files.ts";
import { stopRequested } from "./stop.ts";
import { ofWorker, readSubject, type SubjectFacts } from "./subject.ts";

const FAILED = 1;
const STOPPED = 130;

/** `sandglass check`: tests a webhook handler, and exits with 1 if a hazard failed, 130 if it was stopped. */
export async function run({ args: [url], options }: Invocation<CheckFlags>): Promise<number> {
  if (options.list) return list(options);
  const facts = ofWorker(await readSubject("check", url, options));
  const stopped = stopRequested({ orOutputEnds: facts.start !== undefined });
  prepareReport("--junit", options.junit);
  const { openServer } = await import("./open-subject.ts");
  const server = facts.start === undefined ? undefined : await openServer(facts);
  try {
    const report = await checkWith(facts, options, stopped);
    if (report === undefined) return STOPPED;
    if (options.json) printJson(report);
    else for (const line of reportLines(report)) print(line);
    if (options.junit !== undefined) {
      const { checkJunit } = await import("../trial/check/junit.ts");
      writeReport("--junit", options.junit, checkJunit(report));
    }
    return report.verdict === "fail" ? FAILED : 0;
  } finally {
    await server?.close();
  }
}

/** Checks a server that runs, and prints a line for each hazard. @returns undefined if it was stopped, which a note says */
export async function checkWith(
  facts: SubjectFacts,
  options: CheckFlags,
  stopped: Promise<void>,
): Promise<CheckReport | undefined> {
  const plan = await checkPlan(facts, options, wallNow());
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
  if (report !== undefined) return report;
  note(`Interrupted after ${done} of ${chosenHazards(plan).hazards.length} hazards.`);
  return undefined;
}

/** Prints what the platform, or the sender that is named, can cause. */
async function list({ json, ...flags }: CheckFlags): Promise<number> {
  const [{ chosenHazards }, { chooseSender }, { loadConfig }] = await Promise.all([
    import("../trial/check/check.ts"),
    import("../senders/event-list.ts"),
    import("../config/load-config.ts"),
  ]);
  const { config } = await loadConfig({ cwd: process.cwd(), ...(flags.config && { file: flags.config }) });
  const chosen = await chooseSender({ ...config.subject, ...flags }, config.senders ?? []);
  const { sender, types } = chosen ?? {};
  const { hazards } = chosenHazards({ sender, types, oldSecret: flags.oldSecret, event: types?.[0] ?? "" });
  if (json) printJson(hazards.map(({ name, title, why, fix }) => ({ name, title, why, fix })));
  else for (const line of hazardList(hazards)) print(line);
  return 0;
}
