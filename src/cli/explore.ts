import { misuse } from "../errors/errors.ts";
import type { Part } from "../trial/findings/parts.ts";
import type { PlayedFinding } from "../trial/findings/play.ts";
import { trialOf } from "../trial/report/trial.ts";
import type { Survey } from "../trial/schedules/exploration.ts";
import type { Invocation } from "./command.ts";
import { note, paint, print, printJson } from "./output.ts";
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

export interface ExploreFlags extends TrialFlags {
  merge?: string;
  restore?: boolean;
  demo?: boolean;
}

interface Explored {
  facts: SubjectFacts;
  part: Part | null;
  /** The saved findings, which were replayed first. */
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
  if (options.merge !== undefined) return (await import("./merge.ts")).reportMerged(options.merge, options);
  return withSubject("explore", subscriber, options, (opened) => exploreOpened(opened, options));
}

/** Replays the saved findings, explores unless one still fails, and reports. @returns the exit code */
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

async function report(
  survey: Survey,
  options: ExploreFlags,
  { facts, part, played }: Explored,
): Promise<number> {
  const trial = trialOf({ played, survey });
  if (!options.json) {
    const { trialLines } = await import("../trial/report/lines.ts");
    for (const line of trialLines(trial, { paint, width: process.stdout.columns })) print(line);
  }
  const findings = await saveFound(survey, played, facts);
  if (options.json) {
    const { playedView } = await import("../trial/findings/played-report.ts");
    printJson({
      ...(await surveyView(survey, part, findings)),
      ...(played.length > 0 && { played: played.map(playedView) }),
    });
  } else for (const line of savedLines(findings, facts, options)) print(line);
  return writeReports(trial, options);
}
