import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { misuse } from "../errors/errors.ts";
import type { Part } from "../trial/findings/parts.ts";
import type { PlayedFinding } from "../trial/findings/play.ts";
import { trialOf } from "../trial/report/trial.ts";
import type { Survey } from "../trial/schedules/exploration.ts";
import type { Invocation } from "./command.ts";
import { note, paint, print, printJson } from "./output.ts";
import { prepareReport } from "./report-files.ts";
import type { SubjectFacts } from "./subject.ts";
import {
  explore,
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

/** The options of `explore`, as commander gives them. */
export interface ExploreFlags extends TrialFlags {
  merge?: string;
  restore?: boolean;
  demo?: boolean;
}

/** The explored server, and how it was explored. */
interface Explored {
  facts: SubjectFacts;
  part: Part | null;
  /** The saved findings, played again first. */
  played: readonly PlayedFinding[];
}

/**
 * `sandglass explore`: exits with 1 if a schedule breaks the subscriber, with 3 if it cannot be explored, and with 130 if
 * it was stopped before it had a result.
 */
export async function run({ args: [subscriber], options }: Invocation<ExploreFlags>): Promise<number> {
  if (options.demo) {
    const { demo } = await import("./explore-demo.ts");
    return demo(subscriber, options);
  }
  if (options.restore) {
    const { isTables, restoreTables } = await import("../trial/subject/tables.ts");
    if (options.state === undefined || !isTables(options.state))
      throw misuse(
        "--restore puts back the rows of a database, which --state names.",
        "For example --restore --state sqlite:shop.db",
      );
    print(await restoreTables(options.state));
    return 0;
  }
  if (options.merge !== undefined) return reportMerged(options.merge, options);
  return withSubject("explore", subscriber, options, (opened) => exploreOpened(opened, options));
}

/** Plays the saved findings, explores unless one is still there, and reports. @returns the exit code */
async function exploreOpened(opened: Opened, options: ExploreFlags): Promise<number> {
  const [{ shard, all, stories }] = opened.plans as [Opened["plans"][number]];
  const { otherVersion } = await import("../senders/installed.ts");
  const { by } = stories[0]!;
  const differs = by && otherVersion(by.sender, process.cwd());
  if (differs) note(differs);
  const played = shard && opened.plans.length === 1 ? [] : await playSaved(opened);
  const known = stillThere(played);
  const survey =
    known.length > 0 && !all
      ? { explorations: known, unplayed: [], wallMs: known.reduce((sum, { wallMs }) => sum + wallMs, 0) }
      : await explore(opened, known, options.json);
  if (known.length > 0 && all) survey.explorations.unshift(...known);
  return report(survey, options, { facts: opened.facts, part: await partOfIt(opened), played });
}

/**
 * Prints a result, saves its findings and writes the reports.
 * @param explored the explored server; undefined for merged parts, of which nothing is saved
 * @returns the exit code
 */
async function report(survey: Survey, options: ExploreFlags, explored?: Explored): Promise<number> {
  const { played = [], part = null } = explored ?? {};
  const trial = trialOf({ played, survey });
  if (!options.json) {
    const { trialLines } = await import("../trial/report/lines.ts");
    for (const line of trialLines(trial, { paint, width: process.stdout.columns })) print(line);
  }
  const findings = await saveFound(survey, played, explored?.facts);
  if (options.json) {
    const { playedView } = await import("../trial/findings/played-report.ts");
    printJson({
      ...(await surveyView(survey, part, findings)),
      ...(played.length > 0 && { played: played.map(playedView) }),
    });
  } else if (explored) for (const line of savedLines(findings, explored.facts, options)) print(line);
  else if (findings.length > 0)
    for (const line of ["", "The part that found it saved it; its file can be played again."]) print(line);
  return writeReports(trial, options);
}

/** Reports the parts of an exploration as one: what `--json` wrote with `--shard`. Each part saved its findings itself. */
async function reportMerged(folder: string, options: ExploreFlags): Promise<number> {
  prepareReport("--junit", options.junit);
  prepareReport("--html", options.html);
  const { mergeParts } = await import("../trial/findings/parts.ts");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const files = names.sort().map((name) => join(folder, name));
  const survey = await mergeParts(files.map((name) => ({ name, bytes: readFileSync(name) })));
  return report(survey, options);
}
