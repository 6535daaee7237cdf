import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import type { Settings } from "../config/config.ts";
import { misuse, SandboxError } from "../errors/errors.ts";
import { shellArgument } from "../runtime/shell.ts";
import { eachFinding, replayText } from "../trial/findings/findings.ts";
import type { Part } from "../trial/findings/parts.ts";
import type { Exploration, Level, Survey } from "../trial/schedules/exploration.ts";
import { readPrefix } from "./check-flags.ts";
import type { Invocation } from "./command.ts";
import type { ExploreFlags, ExplorePlan } from "./explore-flags.ts";
import { guardAgainstLoops, PATIENCE_S } from "./hang-guard.ts";
import { clearPassing, note, paint, paintError, passing, print, printable, printJson } from "./output.ts";
import { checkFolder, prepareReport, writeReport } from "./report-files.ts";
import { stopRequested } from "./stop.ts";

/** A finding, with the scenario that it was saved as, if it was. */
interface FoundAs {
  exploration: Exploration;
  replay: string;
  saved: string | null;
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
  if (options.list) {
    const { STORIES } = await import("../trial/stories/stories.ts");
    if (options.json) printJson(STORIES.map(({ name, title }) => ({ name, title })));
    else for (const { name, title } of STORIES) print(`${name.padEnd(20)}${title}`);
    return 0;
  }
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
  if (options.save !== undefined) checkFolder("--save", options.save);
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
  const [{ closePlans, explorePlans, readPlans }, { partOf }, { confirmDatabase }, { isTables }] =
    await Promise.all([
      import("./explore-workers.ts"),
      import("../trial/findings/parts.ts"),
      import("./confirm-database.ts"),
      import("../trial/subject/tables.ts"),
    ]);
  if (options.state !== undefined && isTables(options.state))
    await confirmDatabase(options.state, options.yes);
  const plans = await readPlans(subscriber, options);
  const [plan] = plans as [ExplorePlan];
  const { otherVersion } = await import("../senders/installed.ts");
  const { by } = plan.stories[0]!;
  const differs = by && otherVersion(by.sender, process.cwd());
  if (differs) note(differs);
  const ownCode = [plan.stories.map(({ file }) => file ?? []), options.invariant ?? []].flat(2);
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
    const survey = await explorePlans(plans, {
      serve: async (...given) => (await import("../server/serve.ts")).serve(...given),
      signal,
      onProgress: options.json ? undefined : showProgress,
    }).finally(clearPassing);
    const { tables, invariant, start, idle, at, sender } = options;
    const part = partOf(plan, { tables, invariant, start, idle, at, sender });
    const code = await report(survey, options, { settings: plan.settings, part });
    if (plans.length === 1 && survey.explorations.some(({ calm }) => calm.lag >= LONG_LAG_MS))
      note(
        "Most of this time was spent waiting for your server: with --start, --workers 8 tries eight at once.",
      );
    return code;
  } finally {
    unguard();
    await closePlans(plans);
  }
}

/**
 * Prints a result, saves its findings and writes what was asked for.
 * @param played what was explored here; undefined for what others explored, of which nothing is saved
 * @returns the exit code
 */
async function report(
  survey: Survey,
  options: ExploreFlags,
  played?: { settings: Settings; part: Part | null },
): Promise<number> {
  const [{ surveyLines }, { mainOf, surveyVerdict, surveyWords, verdictOf }, { levelView }] =
    await Promise.all([
      import("../trial/findings/report.ts"),
      import("../trial/findings/verdict.ts"),
      import("../trial/findings/view.ts"),
    ]);
  const width = process.stdout.columns;
  if (!options.json) for (const line of surveyLines(survey, { paint, width })) print(line);
  const main = mainOf(survey);
  const found = survey.explorations.flatMap(eachFinding);
  const findings: FoundAs[] = [];
  for (const one of found) {
    const { story, finding } = one;
    const replay = replayText(story.file ?? story.name, finding!.run.schedule);
    findings.push({
      exploration: one,
      replay,
      saved: played ? await save(one, played.settings, options) : null,
    });
  }
  const verdict = surveyVerdict(survey);
  if (options.json)
    printJson({
      ...{ verdict, part: played?.part ?? null },
      reason: verdict === "inconclusive" ? surveyWords(survey) : null,
      finding: main?.finding ? { story: main.story.name, ...main.finding } : null,
      findings: findings.map(({ exploration, replay, saved }) => ({
        ...{ story: exploration.story.name, replay, saved },
        ...exploration.finding,
      })),
      stories: survey.explorations.map((one) => ({
        ...{ verdict: verdictOf(one), ...one },
        levels: one.levels.map(levelView),
      })),
      ...{ unplayed: survey.unplayed, saved: findings[0]?.saved ?? null },
    });
  else if (played) for (const line of savedLines(findings, played.settings, options)) print(line);
  else if (main?.finding)
    for (const line of [
      "",
      "The part that found it saved it, and plays it again: --replay and the part's file.",
    ])
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

/** Saves a finding as a scenario. @returns its path; null if none can play it, which a note explains */
async function save(
  exploration: Exploration,
  { scenarios }: Settings,
  flags: ExploreFlags,
): Promise<string | null> {
  const { writeScenario } = await import("../trial/findings/scenario.ts");
  try {
    return writeScenario(flags.save ?? scenarios, exploration, {
      headerPrefix: readPrefix(flags.headerPrefix),
    });
  } catch (error) {
    note(
      error instanceof SandboxError
        ? `${error.message} ${error.hintFor("command")}`
        : `Cannot save the scenario: ${(error as Error).message}. Name another folder with --save.`,
    );
    return null;
  }
}

function savedLines(
  findings: readonly FoundAs[],
  { scenarios }: Settings,
  { secret, start }: ExploreFlags,
): string[] {
  const again = start === undefined ? "Run it again:" : "Start your server, and run it again:";
  const withSecret = secret === undefined ? "" : " --secret <secret>";
  return findings.flatMap(({ saved, exploration }) => {
    if (saved === null) return [];
    const name = resolve(saved).startsWith(resolve(scenarios) + sep) ? basename(saved, ".ts") : saved;
    return [
      "",
      `Saved as ${printable(saved)}.`,
      "It expects the values of the run in which everything goes well: correct them",
      `there if they are wrong themselves. ${again}`,
      `  npx sandglass run ${shellArgument(printable(name))} --subscriber ${shellArgument(printable(exploration.subscriber))}${withSecret}`,
      `For a server at another address, add --param state=…${exploration.reset === null ? "" : " and --param reset=…"}`,
    ];
  });
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
