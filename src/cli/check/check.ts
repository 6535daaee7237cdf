import { wrap } from "../../timeline/text.ts";
import type { CheckOptions } from "../../trial/check/check.ts";
import { NAME_WIDTH, verdictColor } from "../../trial/check/lines.ts";
import type { CheckReport, HazardResult } from "../../trial/check/report.ts";
import type { Hazard } from "../../trial/hazards/hazard.ts";
import { trialLines } from "../../trial/report/lines.ts";
import { trialOf } from "../../trial/report/trial.ts";
import { wallNow } from "../../world/clock.ts";
import type { Invocation } from "../command.ts";
import { STOPPED } from "../exit-codes.ts";
import { readKnown } from "../named-values.ts";
import {
  clearPassing,
  columns,
  fields,
  note,
  paint,
  passing,
  print,
  printable,
  printJson,
} from "../output.ts";
import { writeReports } from "../trial/reports.ts";
import { ofWorker, type SubjectFacts } from "../trial/subject.ts";
import { noteCopy, noteOtherVersion, serve, withFacts } from "../trial/trial.ts";
import { type CheckFlags, checkPlan, checkWords } from "./plan.ts";

/** `sandglass check`: tests a webhook handler. Exits with 1 if a hazard failed, and with 130 if it was stopped. */
export const run = ({ args: [url], options }: Invocation<CheckFlags>): Promise<number> =>
  options.list
    ? list(options)
    : withFacts("check", url, options, (facts, signal) => checkOpened(ofWorker(facts), options, signal));

async function checkOpened(facts: SubjectFacts, options: CheckFlags, signal: AbortSignal): Promise<number> {
  const [{ openChecked }, { fittingOfSender }] = await Promise.all([
    import("../trial/open-subject.ts"),
    import("../trial/fitting.ts"),
  ]);
  const plan = { ...(await checkPlan(facts, options, wallNow())), serve, signal };
  await noteOtherVersion(plan.sender, facts.version);
  const subject = await openChecked(facts, plan.timeout, plan.sender);
  noteCopy(facts, options);
  const fitting = await fittingOfSender(facts, { ...{ subject, signal, serve }, timeout: plan.timeout });
  const check = await checkWith({ ...plan, subject, fitting }, options).finally(subject.close);
  if (check === undefined) return STOPPED;
  const outside = subject.outside?.report() ?? null;
  const trial = trialOf({ check, outside });
  if (options.json) printJson({ ...check, outside });
  else for (const line of trialLines(trial, { paint })) print(line);
  return writeReports(trial, options);
}

/**
 * Checks a running server and prints a line for each hazard.
 * @returns undefined if the check was stopped; a note reports this
 */
async function checkWith(plan: CheckOptions, { json }: CheckFlags): Promise<CheckReport | undefined> {
  const { checkSubscriber, chosenHazards } = await import("../../trial/check/check.ts");
  const progress = json ? undefined : createProgress(plan, await checkWords(plan));
  const done = new Set<string>();
  try {
    return await checkSubscriber({
      ...plan,
      onStart: ({ name }) => progress?.started(name),
      onResult(result) {
        done.add(result.name);
        progress?.ended(result);
      },
    });
  } catch (error) {
    if (!plan.signal?.aborted || error !== plan.signal.reason) throw error;
  } finally {
    clearPassing();
  }
  note(`Interrupted after ${done.size} of ${chosenHazards(plan).hazards.length} hazards.`);
  return undefined;
}

async function list({ json, ...flags }: CheckFlags): Promise<number> {
  const [{ chosenHazards }, { chooseSender }, { loadConfig }] = await Promise.all([
    import("../../trial/check/check.ts"),
    import("../../senders/event-list.ts"),
    import("../../config/load-config.ts"),
  ]);
  const { config } = await loadConfig(flags.config);
  const chosen = await chooseSender(
    { ...config.subject, ...flags, known: readKnown(flags.known, config.subject?.known) },
    config.senders ?? [],
  );
  const { sender, types } = chosen ?? {};
  const { hazards } = chosenHazards({ sender, types, oldSecret: flags.oldSecret });
  if (json) printJson(hazards.map(({ name, title, why, fix }) => ({ name, title, why, fix })));
  else for (const line of hazardList(hazards)) print(line);
  return 0;
}

const VERDICT_WIDTH = "skipped".length;
const PROSE_WIDTH = 96;

/** Prints a line for each hazard as it finishes and, on a terminal, a line for the hazard in progress. */
function createProgress(
  { url, event, sender, secretFrom = "" }: Pick<CheckOptions, "url" | "event" | "sender" | "secretFrom">,
  scope: string,
) {
  let begun = false;
  const printed = new Map<string, string>();
  // Users easily overlook that the secret comes from a file, so print where it comes from.
  const signedWith = /^webhooks\.secret/.test(secretFrom) ? `, signed with ${secretFrom}` : "";
  return {
    started: (name: string): void => passing(`${"…".padEnd(VERDICT_WIDTH)}  ${name}`),

    ended({ verdict, name, summary }: HazardResult): void {
      // Skipped hazards are printed together at the end.
      if (verdict === "skipped" || printed.get(name) === verdict + summary) return;
      printed.set(name, verdict + summary);
      clearPassing();
      // Print this only once the check has begun: if the subscriber does not respond, the error alone is enough.
      if (!begun)
        print(
          paint.dim(`${printable(url)}, ${sender ? `${sender.name} ` : ""}${event}${signedWith}: ${scope}`),
        );
      begun = true;
      const painted = { text: verdict.padEnd(VERDICT_WIDTH), color: verdictColor(verdict, paint) };
      print(columns([[painted, name.padEnd(NAME_WIDTH), summary]])[0]!);
    },
  };
}

function hazardList(hazards: readonly Hazard[]): string[] {
  return hazards.flatMap(({ name, title, why }) => [
    ...fields([[name.padEnd(NAME_WIDTH), title]]),
    ...wrap(printable(why), PROSE_WIDTH).map((line) => `  ${line}`),
    "",
  ]);
}
