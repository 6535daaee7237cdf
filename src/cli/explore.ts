import { basename, resolve, sep } from "node:path";
import { SandboxError } from "../errors/errors.ts";
import type { Exploration, Level, Survey } from "../explore/exploration.ts";
import { shellArgument } from "../runtime/shell.ts";
import { readPrefix } from "./check-flags.ts";
import type { Invocation } from "./command.ts";
import { type ExploreFlags, readExploreOptions } from "./explore-flags.ts";
import { guardAgainstLoops, PATIENCE_S } from "./hang-guard.ts";
import { clearPassing, note, paint, paintError, passing, print, printable, printJson } from "./output.ts";
import { checkFolder, prepareReport, writeReport } from "./report-files.ts";
import { stopRequested } from "./stop.ts";

type Plan = Awaited<ReturnType<typeof readExploreOptions>>;

const FOUND = 1;
/** There is no answer: the subscriber cannot be explored, or too little of it was. */
const UNUSABLE = 3;
const STOPPED = 130;

/**
 * `sandglass explore`: exits with 1 if a schedule breaks the subscriber, with 3 if it cannot be explored, and with 130 if
 * it was stopped before it had a result.
 */
export async function run({ args: [subscriber], options }: Invocation<ExploreFlags>): Promise<number> {
  if (options.list) {
    const { STORIES } = await import("../explore/stories.ts");
    if (options.json) printJson(STORIES.map(({ name, title }) => ({ name, title })));
    else for (const { name, title } of STORIES) print(`${name.padEnd(20)}${title}`);
    return 0;
  }
  if (options.demo) {
    const { demo } = await import("./explore-demo.ts");
    return demo(subscriber, options);
  }
  const plan = await readExploreOptions(subscriber, options);
  const [
    { exploreStories },
    { surveyLines },
    { mainOf, surveyVerdict, surveyWords, verdictOf },
    { levelView },
  ] = await Promise.all([
    import("../explore/explore.ts"),
    import("../explore/report.ts"),
    import("../explore/report/verdict.ts"),
    import("../explore/report/view.ts"),
  ]);
  if (options.save !== undefined) checkFolder("--save", options.save);
  prepareReport("--junit", options.junit);
  prepareReport("--html", options.html);
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
  const end = new AbortController();
  void stopRequested().then(() => end.abort());
  try {
    const survey = await exploreStories({
      ...plan,
      serve: async (...given) => (await import("../server/serve.ts")).serve(...given),
      signal: end.signal,
      onProgress: options.json ? undefined : showProgress,
    }).finally(clearPassing);
    const width = process.stdout.columns;
    if (!options.json) for (const line of surveyLines(survey, { paint, width })) print(line);
    const main = mainOf(survey);
    const saved = main?.finding ? await save(main, plan, options) : null;
    const verdict = surveyVerdict(survey);
    if (options.json)
      printJson({
        verdict,
        reason: verdict === "inconclusive" ? surveyWords(survey) : null,
        finding: main?.finding ? { story: main.story.name, ...main.finding } : null,
        stories: survey.explorations.map((one) => ({
          ...{ verdict: verdictOf(one), ...one },
          levels: one.levels.map(levelView),
        })),
        ...{ unplayed: survey.unplayed, saved },
      });
    else if (saved !== null) for (const line of savedLines(saved, main!, plan, options)) print(line);
    await writeReports(survey, options);
    if (survey.explorations.some(({ stopped }) => stopped === "cancelled")) return STOPPED;
    return verdict === "found" ? FOUND : verdict === "nothing_found" ? 0 : UNUSABLE;
  } catch (error) {
    if (!(error instanceof SandboxError) || !/^(?:unreachable|invalid_state)$/.test(error.code)) throw error;
    process.stderr.write(paintError(error.message, error.hintFor("command")));
    return end.signal.aborted ? STOPPED : UNUSABLE;
  } finally {
    unguard();
    await plan.subject.close();
  }
}

/** Saves a finding as a scenario. @returns its path; null if none can play it, which a note explains */
async function save(exploration: Exploration, plan: Plan, flags: ExploreFlags): Promise<string | null> {
  const { writeScenario } = await import("../explore/report/scenario.ts");
  try {
    return writeScenario(flags.save ?? plan.settings.scenarios, exploration, {
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
  path: string,
  { subscriber }: Exploration,
  plan: Plan,
  { secret }: ExploreFlags,
): string[] {
  const isFound = resolve(path).startsWith(resolve(plan.settings.scenarios) + sep);
  const name = isFound ? basename(path, ".ts") : path;
  const withSecret = secret === undefined ? "" : " --secret <secret>";
  return [
    "",
    `Saved as ${printable(path)}.`,
    "It expects the values of the run in which everything goes well: correct them",
    "there if they are wrong themselves. Run it again:",
    `  npx sandglass run ${shellArgument(printable(name))} --subscriber ${shellArgument(printable(subscriber))}${withSecret}`,
  ];
}

async function writeReports(survey: Survey, { junit, html }: ExploreFlags): Promise<void> {
  if (junit !== undefined) {
    const { surveyJunit } = await import("../explore/report/junit.ts");
    writeReport("--junit", junit, surveyJunit(survey));
  }
  if (html !== undefined) {
    const { surveyHtml } = await import("../explore/report/html.ts");
    writeReport("--html", html, surveyHtml(survey));
  }
}

function showProgress({ story, deviations, tried, schedules }: Level & { story: string }): void {
  passing(
    `${story}  ${deviations} ${deviations === 1 ? "deviation" : "deviations"}  ${tried} of ${schedules} schedules`,
  );
}
