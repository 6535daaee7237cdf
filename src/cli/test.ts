import { join } from "node:path";
import type { CheckReport } from "../trial/check/report.ts";
import { evidenceOf, outcomeOf, type Trial, trialOf, worstOf } from "../trial/report/trial.ts";
import { wallNow } from "../world/clock.ts";
import { checkPlan } from "./check-plan.ts";
import type { Invocation } from "./command.ts";
import { clearPassing, paint, passing, print, printable, printJson } from "./output.ts";
import { prepareReport, writeReport } from "./report-files.ts";
import {
  explore,
  isOfServer,
  type Opened,
  partOfIt,
  playSaved,
  savedLines,
  saveFound,
  stillThere,
  surveyView,
  type TrialFlags,
  withSubject,
} from "./trial.ts";
import { writeReports } from "./trial-reports.ts";

/** The report that is always written, in the folder of findings. */
const REPORT = "report.html";
const STOPPED = 130;
const COLORS = { failed: paint.red, unknown: paint.yellow, passed: paint.green };

/**
 * `sandglass test`: plays the saved findings, checks, and explores, with one server under test; prints the worst thing first.
 * Exits with 1 if something failed, 3 if something cannot be told, and 130 if it was stopped.
 */
export const run = ({ args: [url], options }: Invocation<TrialFlags>): Promise<number> =>
  withSubject("test", url, options, (opened) => testOpened(opened, options));

async function testOpened(opened: Opened, options: TrialFlags): Promise<number> {
  const { facts, plans, signal } = opened;
  const file = join(facts.settings.findings, REPORT);
  prepareReport("findings in the configuration", file);
  const began = wallNow();
  const isFirst = (plans[0]!.shard?.index ?? 1) === 1 || plans.length > 1;
  // The other parts have the saved findings as well.
  const played = isFirst ? await playSaved(opened) : [];
  const check = isFirst ? await checkOpened(opened, options) : null;
  if (signal.aborted) return STOPPED;
  const known = stillThere(played);
  const explored = await startAgain(opened, check)
    .then(() => explore(opened, known, options.json))
    .then(
      (survey) => ({ survey, problem: null }),
      (error) => {
        if (!isOfServer(error)) throw error;
        return { survey: null, problem: { message: error.message, hint: error.hintFor("command") } };
      },
    );
  const trial = trialOf({ played, check, ...explored, wallMs: wallNow() - began });
  if (options.json) await printResult(trial, opened);
  else await printTrial(trial, opened, options);
  const { trialHtml } = await import("../trial/report/html.ts");
  writeReport("findings in the configuration", file, trialHtml(trial));
  const code = await writeReports(trial, options);
  return signal.aborted && outcomeOf(trial) !== "failed" ? STOPPED : code;
}

/** A hazard may have ended the started server, or changed its memory. */
async function startAgain({ plans: [plan] }: Opened, check: CheckReport | null): Promise<void> {
  if (check) await plan!.subject.server?.restart();
}

/** Checks the server, and removes all changes from its tables. */
async function checkOpened(
  { facts, plans: [plan], serve, signal }: Opened,
  { json }: TrialFlags,
): Promise<CheckReport | null> {
  const { subject } = plan!;
  const { checkReceiver } = await import("../trial/check/check.ts");
  const isOwn = subject.server !== undefined;
  // A check watches tables that other programs may use in another way.
  if (!isOwn) await subject.release?.();
  const resume = subject.statements?.pause();
  try {
    return await checkReceiver({
      ...(await checkPlan(facts, {}, wallNow())),
      ...{ signal, serve, subject: isOwn ? subject : undefined },
      onStart: ({ name }) => json || passing(`check  ${name}`),
    });
  } catch (error) {
    if (signal.aborted && error === signal.reason) return null;
    throw error;
  } finally {
    if (isOwn) await subject.reset();
    resume?.();
    clearPassing();
  }
}

async function printResult(trial: Trial, opened: Opened): Promise<void> {
  const { played, check, survey, problem } = trial;
  const { playedView } = await import("../trial/findings/played-report.ts");
  const found = survey && (await saveFound(survey, played, opened.facts));
  printJson({
    ...{ verdict: outcomeOf(trial), worst: worstOf(trial), findings: played.map(playedView), check },
    explore: survey && (await surveyView(survey, await partOfIt(opened), found!)),
    problem,
  });
}

async function printTrial(trial: Trial, { facts }: Opened, options: TrialFlags): Promise<void> {
  const outcome = outcomeOf(trial);
  print(COLORS[outcome](`${printable(outcome === "passed" ? evidenceOf(trial) : worstOf(trial))}.`));
  const { trialLines } = await import("../trial/report/lines.ts");
  for (const line of trialLines(trial, { paint, width: process.stdout.columns }, true)) print(line);
  const { survey, played } = trial;
  const found = survey ? await saveFound(survey, played, facts) : [];
  for (const line of savedLines(found, facts, options)) print(line);
}
