import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { misuse, SandboxError } from "../errors/errors.ts";
import { withoutPasswords } from "../runtime/redact.ts";
import { shellArgument } from "../runtime/shell.ts";
import { listed } from "../timeline/text.ts";
import { eachFinding } from "../trial/findings/findings.ts";
import type { Part } from "../trial/findings/parts.ts";
import type { PlayedFinding } from "../trial/findings/play.ts";
import type { Exploration, Level, Survey } from "../trial/schedules/exploration.ts";
import type { Serve, SurveyOptions } from "../trial/schedules/options.ts";
import type { Invocation } from "./command.ts";
import type { ExplorePlan } from "./explore-plan.ts";
import { guardAgainstLoops, PATIENCE_S } from "./hang-guard.ts";
import { clearPassing, note, paint, paintError, passing, print, printable, printJson } from "./output.ts";
import { prepareReport, writeReport } from "./report-files.ts";
import { stopRequested } from "./stop.ts";
import { readSubject, type SubjectFacts, type SubjectFlags } from "./subject.ts";

/** The options of `explore`, as commander gives them. */
export interface ExploreFlags extends SubjectFlags {
  shard?: string;
  merge?: string;
  restore?: boolean;
  yes?: boolean;
  junit?: string;
  html?: string;
  json?: boolean;
  demo?: boolean;
}

/** A finding, with the file that it was saved as, if it was. */
interface FoundAs {
  exploration: Exploration;
  saved: string | null;
  /** Whether an earlier exploration saved it. */
  known: boolean;
}

/** What was explored here, and how. */
interface Explored {
  facts: SubjectFacts;
  part: Part | null;
  /** The saved findings, played again first. */
  played: readonly PlayedFinding[];
}

const FOUND = 1;
/** There is no answer: the subscriber cannot be explored, or too little of it was. */
const UNUSABLE = 3;
const STOPPED = 130;
/** Of a server that works on for so long after an answer, several are worth starting. */
const LONG_LAG_MS = 100;

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
  prepareReport("--junit", options.junit);
  prepareReport("--html", options.html);
  if (options.merge !== undefined) return reportMerged(options.merge, options);
  const end = new AbortController();
  void stopRequested({ orOutputEnds: true }).then(() => end.abort());
  try {
    return await explorePlanned(subscriber, options, end.signal);
  } catch (error) {
    if (!(error instanceof SandboxError) || !/^(?:unreachable|invalid_state)$/.test(error.code)) throw error;
    process.stderr.write(paintError(error.message, error.hintFor("command")));
    return end.signal.aborted ? STOPPED : UNUSABLE;
  }
}

/**
 * Explores, and reports the result.
 * @returns the exit code
 * @throws SandboxError `unreachable`, `invalid_state` for what cannot be explored, and others for wrong use
 */
async function explorePlanned(
  subscriber: string | undefined,
  options: ExploreFlags,
  signal: AbortSignal,
): Promise<number> {
  const [{ closePlans, explorePlans, openPlans }, { partOf }, { confirmDatabase }, { isTables }] =
    await Promise.all([
      import("./explore-workers.ts"),
      import("../trial/findings/parts.ts"),
      import("./confirm-database.ts"),
      import("../trial/subject/tables.ts"),
    ]);
  const facts = await readSubject("explore", subscriber, options);
  if (facts.state !== undefined && isTables(facts.state)) await confirmDatabase(facts.state, options.yes);
  const plans = await openPlans(facts, options.shard);
  const [plan] = plans as [ExplorePlan];
  const ownCode = [plan.stories.map(({ file }) => file ?? []), facts.invariant ?? []].flat(2);
  const unguard =
    ownCode.length === 0
      ? () => undefined
      : guardAgainstLoops(
          paintError(
            `The code of ${ownCode.join(" or ")} does not return, for ${PATIENCE_S} s now.`,
            "Look for a loop that never ends. The process is ended, as nothing else stops such code.",
          ),
        );
  try {
    const serve: Serve = async (...given) => (await import("../server/serve.ts")).serve(...given);
    const played = plan.shard && plans.length === 1 ? [] : await playSaved(plan, facts, { serve, signal });
    const known = played.flatMap(({ status, exploration }) => (status === "failed" ? exploration! : []));
    const survey =
      known.length > 0 && !plan.all
        ? { explorations: known, unplayed: [], wallMs: known.reduce((sum, { wallMs }) => sum + wallMs, 0) }
        : await explorePlans(
            plans.map((one) => ({ ...one, known: known.map(({ finding }) => finding!) })),
            { serve, signal, onProgress: options.json ? undefined : showProgress },
          ).finally(clearPassing);
    if (known.length > 0 && plan.all) survey.explorations.unshift(...known);
    const { tables, invariant, start, idle, sender } = facts;
    const part = partOf(plan, {
      tables: tables?.join(),
      invariant,
      start,
      idle,
      sender,
      at: facts.atNow ? "now" : String(facts.startAt),
    });
    const code = await report(survey, options, { facts, part, played });
    if (plans.length === 1 && survey.explorations.some(({ calm }) => calm.lag >= LONG_LAG_MS))
      note(
        "Most of this time was spent waiting for your server: with --start, subject.workers: 8 tries eight at once.",
      );
    return code;
  } finally {
    unguard();
    await closePlans(plans);
  }
}

/**
 * Prints a result, saves its findings and writes what was asked for.
 * @param explored what was explored here; undefined for what others explored, of which nothing is saved
 * @returns the exit code
 */
async function report(survey: Survey, options: ExploreFlags, explored?: Explored): Promise<number> {
  const [{ surveyLines }, { mainOf, surveyVerdict, surveyWords, verdictOf }, { levelView }] =
    await Promise.all([
      import("../trial/findings/report.ts"),
      import("../trial/findings/verdict.ts"),
      import("../trial/findings/view.ts"),
    ]);
  const width = process.stdout.columns;
  const { played = [], part = null } = explored ?? {};
  if (!options.json) {
    for (const line of playedLines(played)) print(line);
    for (const line of surveyLines(survey, { paint, width })) print(line);
  }
  const main = mainOf(survey);
  const findings: FoundAs[] = [];
  for (const exploration of survey.explorations.flatMap(eachFinding)) {
    const known = played.find((one) => one.exploration?.finding === exploration.finding);
    const saved = known?.finding.file ?? (explored ? await save(exploration, explored.facts) : null);
    findings.push({ exploration, saved, known: known !== undefined });
  }
  const verdict = surveyVerdict(survey);
  if (options.json) {
    const { playedView } = await import("../trial/findings/played-report.ts");
    printJson({
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
      ...(played.length > 0 && { played: played.map(playedView) }),
    });
  } else if (explored) for (const line of savedLines(findings, explored.facts, options)) print(line);
  else if (main?.finding)
    for (const line of ["", "The part that found it saved it: sandglass run plays its file again."])
      print(line);
  await writeReports(survey, options);
  if (survey.explorations.some(({ stopped }) => stopped === "cancelled")) return STOPPED;
  return verdict === "found" ? FOUND : verdict === "nothing_found" ? 0 : UNUSABLE;
}

/** Reports the parts of an exploration as one: what `--json` wrote with `--shard`. Each part saved its findings itself. */
async function reportMerged(folder: string, options: ExploreFlags): Promise<number> {
  const { mergeParts } = await import("../trial/findings/parts.ts");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const files = names.sort().map((name) => join(folder, name));
  const survey = await mergeParts(files.map((name) => ({ name, bytes: readFileSync(name) })));
  return report(survey, options);
}

/** Plays the saved findings of what is explored. @throws SandboxError `bad_request` for a file that is no finding */
async function playSaved(
  plan: ExplorePlan,
  facts: SubjectFacts,
  options: Pick<SurveyOptions, "serve" | "signal">,
): Promise<PlayedFinding[]> {
  const [{ chooseFindings, bindingsOf, scopeOf }, { isWithin, playFindings }] = await Promise.all([
    import("./findings.ts"),
    import("../trial/findings/play.ts"),
  ]);
  const { findings } = await chooseFindings([], facts.settings.findings);
  const scope = scopeOf(facts, plan.stories[0]!.by?.sender.name);
  const own = findings.filter((one) => isWithin(one, scope));
  const { stories: _, only: __, ...same } = { only: undefined, ...plan };
  return playFindings(own, { ...same, ...options }, bindingsOf(facts));
}

/** What saved findings came to that are not there any more, or that could not be played. */
const playedLines = (played: readonly PlayedFinding[]): string[] => {
  const passed = played.filter(({ status }) => status === "passed").map(({ finding }) => finding.name);
  return [
    ...(passed.length > 0 ? [`No longer there: ${listed(passed)}.`] : []),
    ...played.flatMap(({ status, finding, words, hint }) =>
      status === "unknown"
        ? [paint.yellow(printable(`${finding.file} cannot be played: ${words} ${hint}`))]
        : [],
    ),
  ];
};

/** Saves a finding. @returns its path; null if it cannot be written, which a note explains */
async function save(exploration: Exploration, facts: SubjectFacts): Promise<string | null> {
  const [{ readFindings, writeFinding, findingFiles }, { askedFor, configuredBindings }, { unboundWords }] =
    await Promise.all([
      import("../trial/findings/finding-file.ts"),
      import("./findings.ts"),
      import("../trial/findings/play.ts"),
    ]);
  const { findings: folder } = facts.settings;
  try {
    const path = await writeFinding(folder, exploration, askedFor(facts));
    const files = findingFiles(folder, process.cwd()).filter((one) => one.path === resolve(path));
    const [finding] = await readFindings(files);
    const unbound = await unboundWords(finding!, configuredBindings(facts));
    if (unbound !== "") note(`To run ${path}: ${unbound}`);
    return path;
  } catch (error) {
    note(
      `Cannot save the finding: ${(error as Error).message}. Set findings in the configuration to another folder.`,
    );
    return null;
  }
}

function savedLines(
  findings: readonly FoundAs[],
  { settings, url }: SubjectFacts,
  { state, reset, start, secret, config }: ExploreFlags,
): string[] {
  const flags = Object.entries({
    subscriber: url === settings.subject.url ? undefined : url,
    ...{ state, reset, start, config },
  }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellArgument(printable(withoutPasswords(value)))}`],
  );
  if (secret !== undefined) flags.push("--secret <secret>");
  return findings.flatMap(({ saved, known }) =>
    saved === null
      ? []
      : [
          "",
          known ? `Known: ${printable(saved)}.` : `Saved as ${printable(saved)}.`,
          "It expects the values of the run in which everything goes well: correct them",
          "there if they are wrong themselves. Run it again:",
          `  ${["npx sandglass run", basename(printable(saved), ".yaml"), ...flags].join(" ")}`,
        ],
  );
}

async function writeReports(survey: Survey, { junit, html }: ExploreFlags): Promise<void> {
  if (junit !== undefined) {
    const { surveyJunit } = await import("../trial/findings/junit.ts");
    writeReport("--junit", junit, surveyJunit(survey));
  }
  if (html !== undefined) {
    const { surveyHtml } = await import("../trial/findings/html.ts");
    writeReport("--html", html, surveyHtml(survey));
  }
}

function showProgress({ story, deviations, tried, schedules }: Level & { story: string }): void {
  passing(
    `${story}  ${deviations} ${deviations === 1 ? "deviation" : "deviations"}  ${tried} of ${schedules} schedules`,
  );
}
