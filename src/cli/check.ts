import { SandboxError } from "../errors/errors.ts";
import type { CheckOptions } from "../trial/check/check.ts";
import { reportLines } from "../trial/check/lines.ts";
import type { CheckReport, HazardResult } from "../trial/check/report.ts";
import { trialOf } from "../trial/report/trial.ts";
import type { Serve } from "../trial/schedules/options.ts";
import { wallNow } from "../world/clock.ts";
import { createProgress, hazardList } from "./check-lines.ts";
import { type CheckFlags, checkPlan } from "./check-plan.ts";
import type { Invocation } from "./command.ts";
import type { OpenedServer } from "./open-subject.ts";
import { note, paint, paintError, print, printJson } from "./output.ts";
import { prepareReport } from "./report-files.ts";
import { stopRequested } from "./stop.ts";
import { ofWorker, readSubject } from "./subject.ts";
import { writeReports } from "./trial-reports.ts";

/** The exit code if the state cannot be used, or its rows could not be put back. */
const UNUSABLE = 3;
const STOPPED = 130;

const serve: Serve = async (...given) => (await import("../server/serve.ts")).serve(...given);

/** `sandglass check`: tests a webhook handler, and exits with 1 if a hazard failed, 130 if it was stopped. */
export async function run({ args: [url], options }: Invocation<CheckFlags>): Promise<number> {
  if (options.list) return list(options);
  const facts = ofWorker(await readSubject("check", url, options));
  const stopped = stopRequested({ orOutputEnds: facts.start !== undefined || facts.state !== undefined });
  prepareReport("--junit", options.junit);
  prepareReport("--html", options.html);
  const [{ openServer }, { confirmDatabase }, { isTables }, { isInbox }] = await Promise.all([
    import("./open-subject.ts"),
    import("./confirm-database.ts"),
    import("../trial/subject/tables.ts"),
    import("../trial/subject/remote-state.ts"),
  ]);
  if (facts.state !== undefined && isTables(facts.state)) await confirmDatabase(facts.state, options.yes);
  const plan = await checkPlan(facts, options, wallNow());
  const { otherVersion } = await import("../senders/installed.ts");
  const differs = plan.sender && otherVersion(plan.sender, process.cwd());
  if (differs) note(differs);
  const isCalled = facts.apiPort !== undefined && plan.sender !== undefined;
  const isServed = facts.start !== undefined || isCalled || isInbox(facts.state ?? "");
  const server = isServed ? await openServer(facts, plan.sender) : undefined;
  try {
    const report = await checkWith(plan, options, stopped, server);
    if (report === undefined) return STOPPED;
    if (options.json) printJson(report);
    else for (const line of reportLines(report, paint)) print(line);
    return writeReports(trialOf({ check: report }), options);
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== "invalid_state") throw error;
    process.stderr.write(paintError(error.message, error.hintFor("command")));
    return UNUSABLE;
  } finally {
    await server?.close();
  }
}

/** Checks a server that runs, and prints a line for each hazard. @returns undefined if it was stopped, which a note says */
export async function checkWith(
  plan: CheckOptions,
  options: CheckFlags,
  stopped: Promise<void>,
  started?: Pick<OpenedServer, "server" | "work" | "api" | "statements">,
): Promise<CheckReport | undefined> {
  const { checkReceiver, chosenHazards } = await import("../trial/check/check.ts");
  const end = new AbortController();
  void stopped.then(() => end.abort());
  const progress = options.json ? undefined : createProgress(plan);
  let done = 0;
  const checked = checkReceiver({
    ...{ ...plan, started, signal: end.signal },
    calls: started?.api && { api: started.api, serve },
    onStart: ({ name }) => progress?.started(name),
    onResult(result: HazardResult) {
      done += 1;
      progress?.ended(result);
    },
  });
  try {
    return await checked;
  } catch (error) {
    if (!end.signal.aborted || error !== end.signal.reason) throw error;
  } finally {
    progress?.clear();
  }
  note(`Interrupted after ${done} of ${chosenHazards(plan).hazards.length} hazards.`);
  return undefined;
}

/** Prints the hazards of the platform, or of the named sender. */
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
