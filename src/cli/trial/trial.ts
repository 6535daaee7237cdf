import { basename } from "node:path";
import { SandboxError } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { eachFinding } from "../../trial/findings/findings.ts";
import type { Part } from "../../trial/findings/parts.ts";
import type { PlayedFinding } from "../../trial/findings/play.ts";
import { joinOutside, type OutsideReport } from "../../trial/outside/calls.ts";
import type { Exploration, Survey } from "../../trial/schedules/exploration.ts";
import type { Serve } from "../../trial/schedules/options.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { FAILED, STOPPED, UNKNOWN } from "../exit-codes.ts";
import type { ExplorePlan } from "../explore/plan.ts";
import type { OpenedPlan } from "../explore/workers.ts";
import { guardAgainstLoops } from "../hang-guard.ts";
import { clearPassing, note, paintError, printable } from "../output.ts";
import { prepareReport } from "../report-files.ts";
import { stopRequested } from "../stop.ts";
import { progressShower } from "./progress.ts";
import {
  readSubject,
  type SubjectFacts,
  type TrialCommand,
  type TrialFlags,
  worksOnCopy,
} from "./subject.ts";

export interface Opened {
  facts: SubjectFacts;
  plan: OpenedPlan;
  serve: Serve;
  signal: AbortSignal;
}

/** A finding, and the file it was saved to, if any. */
export interface FoundAs {
  exploration: Exploration;
  saved: string | null;
  /** Whether an earlier exploration has already saved the finding. */
  known: boolean;
}

/** If a server keeps working for at least this long after it responds, starting several servers pays off. */
const LONG_LAG_MS = 100;

/** Whether an error concerns the server under test rather than the way the command was used. */
export const isOfServer = (error: unknown): error is SandboxError =>
  error instanceof SandboxError && /^(?:unreachable|invalid_state)$/.test(error.code);

/**
 * Reads the options for the server under test, and asks about its database if necessary.
 * @returns the exit code: 3 for a server that cannot be tested, 130 if stopped before the trial
 * @throws SandboxError `unreachable` for a check if nothing accepts requests at the URL
 */
export async function withFacts(
  command: TrialCommand,
  url: string | undefined,
  options: TrialFlags,
  use: (facts: SubjectFacts, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  prepareReport("--junit", options.junit);
  prepareReport("--html", options.html);
  const end = new AbortController();
  try {
    const { confirmDatabase } = await import("./confirm-database.ts");
    const facts = await readSubject(command, url, options);
    void stopRequested({ orOutputEnds: true }).then(() => end.abort());
    await confirmDatabase(facts, options.yes);
    return await use(facts, end.signal);
  } catch (error) {
    if (!isOfServer(error) || (command === "check" && error.code === "unreachable")) throw error;
    process.stderr.write(paintError(error.message, error.hintFor("command")));
    return end.signal.aborted ? STOPPED : UNKNOWN;
  }
}

/**
 * Opens the server under test for the whole trial, and closes it afterwards.
 * @returns the exit code, as in `withFacts`
 */
export const withSubject = (
  command: TrialCommand,
  url: string | undefined,
  options: TrialFlags,
  use: (opened: Opened) => Promise<number>,
): Promise<number> =>
  withFacts(command, url, options, async (facts, signal) => {
    const [{ closePlan, openPlan }, { fittingFor }] = await Promise.all([
      import("../explore/workers.ts"),
      import("./fitting.ts"),
    ]);
    const opened = await openPlan(facts, options.shard);
    const fitting = fittingFor(facts, { ...opened, signal, serve });
    const plan = { ...opened, fitting };
    const unguard = guardOwnCode(plan, facts);
    let code: number | undefined;
    try {
      noteCopy(facts, options);
      await noteOtherVersion(plan.stories[0]!.by?.sender, facts.version);
      code = await use({ facts, plan, serve, signal });
      return code;
    } finally {
      unguard();
      clearPassing();
      await closePlan(plan).catch((error) => {
        // A failure that was found is still one if the server does not stop.
        if (code !== FAILED || !isOfServer(error)) throw error;
        process.stderr.write(paintError(error.message, error.hintFor("command")));
      });
    }
  });

/** Names the database of which a started server got a copy. */
export function noteCopy(facts: SubjectFacts, { json }: TrialFlags): void {
  if (!json && worksOnCopy(facts)) note(`Your server works on a copy of ${withoutPasswords(facts.state!)}.`);
}

/** Warns if the sender has no example bodies for the project's SDK version, unless the user gives a version. */
export async function noteOtherVersion(sender: FileSender | undefined, named?: string): Promise<void> {
  if (named !== undefined) return;
  const { otherVersion } = await import("../../senders/installed.ts");
  const differs = sender && otherVersion(sender, process.cwd());
  if (differs) note(differs);
}

export const serve: Serve = async (...given) => (await import("../../server/serve.ts")).serve(...given);

function guardOwnCode({ stories }: ExplorePlan, { invariant }: SubjectFacts): () => void {
  const ownCode = [stories.map(({ file }) => file ?? []), invariant ?? []].flat(2);
  if (ownCode.length === 0) return () => undefined;
  return guardAgainstLoops(`Code in ${ownCode.join(" or ")}`);
}

/**
 * Replays the saved findings for the explored stories.
 * @throws SandboxError `bad_request` for a file that is not a finding
 */
export async function playSaved({ plan, facts, serve, signal }: Opened): Promise<PlayedFinding[]> {
  const [{ askedFor, bindingsOf }, { chooseFindings }, { isWithin, playFindings }] = await Promise.all([
    import("./findings.ts"),
    import("../../trial/findings/choose.ts"),
    import("../../trial/findings/play.ts"),
  ]);
  const { findings } = await chooseFindings([], facts.settings.findings, process.cwd());
  const stories = facts.stories && plan.stories.map(({ name }) => name);
  const scope = { ...askedFor(facts), stories, sender: plan.stories[0]!.by?.sender.name };
  const own = findings.filter((one) => isWithin(one, scope));
  const { stories: _, crew: __, ...same } = plan;
  return playFindings(own, { ...same, serve, signal }, bindingsOf(facts));
}

/** What the started servers sent to other machines; null if no servers were started. */
export const outsideOf = ({ plan: { subject, crew } }: Opened): OutsideReport | null =>
  joinOutside([subject, ...(crew?.opened() ?? [])].flatMap(({ outside }) => outside?.report() ?? []));

export const stillThere = (played: readonly PlayedFinding[]): Exploration[] =>
  played.flatMap(({ status, exploration }) => (status === "failed" ? exploration! : []));

/**
 * Explores the server for new findings.
 * @param json whether standard output is reserved for the result
 */
export async function explore(
  { plan, serve, signal }: Opened,
  known: readonly Exploration[],
  json = false,
): Promise<Survey> {
  const { exploreStories } = await import("../../trial/schedules/explore.ts");
  const survey = await exploreStories({
    ...{ ...plan, known: known.map(({ finding }) => finding!) },
    ...{ serve, signal, onProgress: json ? undefined : progressShower() },
  }).finally(clearPassing);
  if (!plan.crew?.isAsked && survey.explorations.some(({ calm }) => calm.lag >= LONG_LAG_MS))
    note(
      "Most of this time was spent waiting for your server. With --start, subject.workers: 8 tries eight schedules at once.",
    );
  return survey;
}

/** The part of the schedules that was explored; null if all of them were. */
export async function partOfIt({ plan, facts }: Opened): Promise<Part | null> {
  const { partOf } = await import("../../trial/findings/parts.ts");
  const { url, state, reset, tables, invariant, start, idle, sender, atNow, startAt } = facts;
  // Show the URLs as the user wrote them: each shard's server may use its own port.
  const [stateAt, resetAt] = [state, reset].map((text) => text && withoutPasswords(text));
  return partOf(plan, {
    ...{ subscriber: url, state: stateAt, reset: resetAt },
    ...{ invariant, start, idle, sender, tables: tables?.join() },
    at: atNow ? "now" : String(startAt),
  });
}

export async function saveFound(
  survey: Survey,
  played: readonly PlayedFinding[],
  facts: SubjectFacts | undefined,
): Promise<FoundAs[]> {
  const [{ writeFinding }, { askedFor }] = await Promise.all([
    import("../../trial/findings/finding-file.ts"),
    import("./findings.ts"),
  ]);
  const found: FoundAs[] = [];
  for (const exploration of survey.explorations.flatMap(eachFinding)) {
    const known = played.find((one) => one.exploration?.finding === exploration.finding);
    let saved = known?.finding.file ?? null;
    try {
      if (!known && facts) saved = await writeFinding(facts.settings.findings, exploration, askedFor(facts));
    } catch (error) {
      const why = `Cannot save the finding: ${(error as Error).message}.`;
      note(`${why} Set findings in the configuration to another folder.`);
    }
    found.push({ exploration, saved, known: known !== undefined });
  }
  return found;
}

/** The lines that say where findings are saved and how to replay them. */
export function savedLines(
  findings: readonly FoundAs[],
  { settings, url, routes }: SubjectFacts,
  { state, reset, start, instances, secret, config }: TrialFlags,
): string[] {
  const flags = Object.entries({
    subscriber: routes || url === settings.subject.url ? undefined : url,
    ...{ state, reset, start, instances, config },
  }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellArgument(printable(withoutPasswords(value)))}`],
  );
  if (secret !== undefined) flags.push("--secret <secret>");
  return findings.flatMap(({ saved, known, exploration }) =>
    saved === null
      ? []
      : [
          "",
          known ? `Known: ${printable(saved)}.` : `Saved as ${printable(saved)}.`,
          ...(exploration.finding!.expected.length > 0
            ? [
                "It expects the values of the calm run, in which everything goes well. If those",
                "are wrong, correct them in the file. Run it again:",
              ]
            : ["Run it again:"]),
          `  ${["npx sandglass run", basename(printable(saved), ".yaml"), ...flags].join(" ")}`,
        ],
  );
}

/** Converts a survey to the format of `--json`. */
export async function surveyView(survey: Survey, part: Part | null, findings: readonly FoundAs[]) {
  const [{ mainOf, surveyVerdict, surveyWords, verdictOf }, { levelView }] = await Promise.all([
    import("../../trial/findings/verdict.ts"),
    import("../../trial/findings/view.ts"),
  ]);
  const main = mainOf(survey);
  const verdict = surveyVerdict(survey);
  return {
    ...{ verdict, part },
    reason: verdict === "inconclusive" ? surveyWords(survey) : null,
    finding: main?.finding ? { story: main.story.name, ...main.finding } : null,
    findings: findings.map(({ exploration, saved, known }) => ({
      ...{ story: exploration.story.name, saved, known },
      ...exploration.finding,
    })),
    stories: survey.explorations.map((one) => ({
      ...{ verdict: verdictOf(one), ...one },
      levels: one.levels.map(levelView),
    })),
    ...{ unplayed: survey.unplayed, saved: findings[0]?.saved ?? null },
  };
}
