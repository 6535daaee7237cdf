import { join } from "node:path";
import { formatDuration } from "../../timeline/duration.ts";
import { count, listed } from "../../timeline/text.ts";
import type { CheckReport } from "../../trial/check/report.ts";
import { outcomeOf, trialOf } from "../../trial/report/trial.ts";
import { wallNow } from "../../world/clock.ts";
import { checkPlan, checkWords } from "../check/plan.ts";
import type { Invocation } from "../command.ts";
import { STOPPED } from "../exit-codes.ts";
import { clearPassing, note, passing, print } from "../output.ts";
import { prepareReport, writeReport } from "../report-files.ts";
import { printTrial, writeReports } from "./reports.ts";
import type { TrialFlags } from "./subject.ts";
import * as trials from "./trial.ts";

interface TestFlags extends TrialFlags {
  merge?: string;
}

/** The file name of the report that is always written to the findings folder. */
const REPORT = "report.html";

/**
 * `sandglass test`: replays the saved findings, then checks and explores one server, and prints the worst result first.
 * Exits with 1 if something failed, 3 if something has no verdict, and 130 if it was stopped.
 */
export async function run({ args: [url], options }: Invocation<TestFlags>): Promise<number> {
  if (options.merge !== undefined) return (await import("./merge.ts")).reportMerged(options.merge, options);
  let other: string | undefined;
  const code = await trials.withSubject("test", url, options, async (opened) => {
    other = await otherAddress(opened, options);
    return other === undefined ? testOpened(opened, options) : 0;
  });
  if (other === undefined) return code;
  return trials.withSubject("test", other, options, (opened) => testOpened(opened, options));
}

/** Looks for another URL of the server if it has no route at the configured one. */
async function otherAddress({ plan, facts }: trials.Opened, { yes }: TestFlags): Promise<string | undefined> {
  if (facts.routes) return undefined;
  const { findOtherRoute } = await import("../init/other-route.ts");
  const { subject, stories, timeout } = plan;
  const resume = subject.statements?.pause();
  try {
    const sender = stories[0]?.by?.sender;
    return await findOtherRoute({ url: subject.url, sender, timeout, file: facts.file }, yes);
  } finally {
    resume?.();
  }
}

async function testOpened(opened: trials.Opened, options: TrialFlags): Promise<number> {
  const { facts, plan, signal } = opened;
  const file = join(facts.settings.findings, REPORT);
  prepareReport("findings in the configuration", file);
  const began = wallNow();
  const isFirst = (plan.shard?.index ?? 1) === 1;
  if (!options.json) note(`About to ${await planWords(opened, isFirst)}.`);
  // Every shard has the same saved findings, so only the first one replays them.
  const played = isFirst ? await trials.playSaved(opened) : [];
  const check = isFirst ? await checkOpened(opened, options) : null;
  if (signal.aborted) return STOPPED;
  const known = trials.stillThere(played);
  const explored = await startAgain(opened, check)
    .then(() => trials.explore(opened, known, options.json))
    .then(
      (survey) => ({ survey, problem: null }),
      (error) => {
        if (!trials.isOfServer(error)) throw error;
        return { survey: null, problem: { message: error.message, hint: error.hintFor("command") } };
      },
    );
  const trial = trialOf({
    ...{ played, check, ...explored, outside: trials.outsideOf(opened) },
    wallMs: wallNow() - began,
  });
  const found = trial.survey ? await trials.saveFound(trial.survey, played, facts) : [];
  const { json } = options;
  await printTrial(trial, { json, isTest: true, found, part: await trials.partOfIt(opened) });
  if (!json) for (const line of trials.savedLines(found, facts, options)) print(line);
  const { trialHtml } = await import("../../trial/report/html.ts");
  writeReport("findings in the configuration", file, trialHtml(trial));
  const code = await writeReports(trial, options);
  return signal.aborted && outcomeOf(trial) !== "failed" ? STOPPED : code;
}

/** Describes what a trial will do and how long it can take. */
async function planWords({ facts, plan }: trials.Opened, isFirst: boolean): Promise<string> {
  const { stories, deviations, budget, isLimited } = plan;
  const check = isFirst
    ? [`replay the saved findings, check ${await checkWords(await checkPlan(facts, {}, wallNow()))}`]
    : [];
  const names = listed(stories.map(({ name }) => name));
  const [most, time] = [count(deviations, "deviation"), `for at most ${formatDuration(budget)} (--budget)`];
  const rest = deviations === 1 ? "" : `, however long that takes, and then ${time} with up to ${most}`;
  const reach = isLimited ? `up to ${most}, ${time}` : `1 deviation${rest}`;
  return [...check, `explore ${names} with ${reach}`].join(", and ");
}

/** Restarts the server, because a hazard may have crashed it or changed data in its memory. */
async function startAgain({ plan }: trials.Opened, check: CheckReport | null): Promise<void> {
  if (check) await plan.subject.server?.restart();
}

/** Checks the server, and undoes all changes to its tables. */
async function checkOpened(
  { facts, plan, serve, signal }: trials.Opened,
  { json }: TrialFlags,
): Promise<CheckReport | null> {
  const { subject, fitting } = plan;
  const { checkSubscriber } = await import("../../trial/check/check.ts");
  const isOwn = subject.server !== undefined;
  // If the server works in place, the exploration is a separate trial, so rows that the check changed are not hidden
  // from it.
  if (!isOwn) await subject.state.release();
  // Replaying a saved finding may have crashed the server.
  if (subject.server?.hasEnded()) await subject.server.restart();
  try {
    return await checkSubscriber({
      ...(await checkPlan({ ...facts, url: subject.url }, {}, wallNow())),
      ...{ signal, serve, subject: isOwn ? subject : undefined, fitting },
      onStart: ({ name }) => json || passing(`check  ${name}`),
    });
  } catch (error) {
    if (signal.aborted && error === signal.reason) return null;
    throw error;
  } finally {
    if (isOwn) await subject.state.reset();
    clearPassing();
  }
}
