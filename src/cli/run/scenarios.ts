import { resolve } from "node:path";
import { resolveConfig, type Settings } from "../../config/config.ts";
import { DEFAULT_HOST } from "../../config/description.ts";
import { loadConfig } from "../../config/load-config.ts";
import { forgetFailed, KEEP, keepFailed, keptFiles } from "../../entries/keep.ts";
import { SandboxError } from "../../errors/errors.ts";
import type { ScenarioProblem, ScenarioReport } from "../../reports/scenario-report.ts";
import { scenarioLines, summaryLine } from "../../reports/terminal.ts";
import type { Catalog, KnownScenario, ScenarioList } from "../../scenarios/catalog.ts";
import { isFolder } from "../../scenarios/files.ts";
import type { Run } from "../../scenarios/scenarios.ts";
import { settingsFor } from "../../scenarios/settings.ts";
import { type Served, serve } from "../../server/serve.ts";
import { chooseFindings, type FoundFinding } from "../../trial/findings/choose.ts";
import type { PlayedFinding } from "../../trial/findings/play.ts";
import { wallNow } from "../../world/clock.ts";
import { parseDuration } from "../../world/duration.ts";
import type { Invocation } from "../command.ts";
import { CODES, MISUSE, STOPPED } from "../exit-codes.ts";
import { settingsKnowing } from "../named-values.ts";
import { clearPassing, note, paint, paintError, passing, print, printJson } from "../output.ts";
import { checkFolder, prepareReport } from "../report-files.ts";
import { stopRequested } from "../stop.ts";
import { paramsFor, readParamFlags, readShard, shardOf } from "../trial/run-flags.ts";
import type { TrialFlags } from "../trial/subject.ts";
import { listAll, writeRunReports } from "./report.ts";

type Reporting = "yes" | "shard" | "junit" | "html" | "json";
export interface RunFlags
  extends Pick<
    TrialFlags,
    "secret" | "state" | "inPlace" | "reset" | "start" | "instances" | "config" | Reporting
  > {
  subscriber?: string;
  param?: string[];
  known?: string[];
  timeout?: string;
  keep?: string;
  from?: string;
  verbose?: boolean;
  list?: boolean;
  watch?: boolean;
}

/** The scenarios of a run, before they run. */
export interface FoundScenarios {
  /** The scenarios' files, including files that currently contain no valid scenario. */
  paths: string[];
  /** The given folders, or the configured one. */
  folders: string[];
  /** What the scenarios' worlds start from: a fixtures folder, a scenario or a snapshot file. */
  from: string | undefined;
}

/** What a repeated run does differently. */
export interface Repetition {
  stop: () => Promise<void>;
  onFound?: (found: FoundScenarios) => void;
  /**
   * Whether the scenarios have run before. If so, a parameter may belong to a scenario that does not run this time, and
   * the configuration is read again.
   */
  isRepeat?: boolean;
  /** Limits the run to these files. */
  only?: readonly string[] | undefined;
}

/** The possible results, in order of precedence: a run's result is the first one that any of its parts has. */
const STATUSES = ["failed", "unknown", "passed"] as const;

/**
 * Runs scenarios in fresh worlds, and replays saved findings. Resolves with 1 if one failed, and with 3 if one has no
 * verdict.
 */
export async function runScenarios(
  { args, options }: Invocation<RunFlags>,
  { stop, onFound, isRepeat = false, only }: Repetition = { stop: stopRequested },
): Promise<number> {
  const began = wallNow();
  const settings = settingsKnowing(await readSettings(options.config, began, isRepeat), options.known);
  const served = await serve(settings);
  const scenarios = await served.scenarios();
  try {
    const saved = await chooseFindings(args as string[], settings.findings, process.cwd());
    const names = saved.others;
    if (options.list) {
      const isOfFindings = args.length > 0 && names.length === 0;
      const list = isOfFindings
        ? { scenarios: [], problems: [] }
        : await (names.length > 0 ? scenarios.find(names) : scenarios.list());
      return listAll(list, saved.findings, options);
    }
    const values = readParamFlags(options.param ?? []);
    const shard = readShard(options.shard);
    const findings = saved.findings.filter(({ path }) => only?.includes(path) ?? true);
    const { scenarios: found, problems } = await findScenarios(scenarios, args.length, saved, only);
    onFound?.({
      paths: [
        ...found.map(({ path }) => path),
        ...problems.map(({ file }) => resolve(file)),
        ...findings.map(({ path }) => path),
      ],
      folders: foldersOf(args as string[], served.sandbox.settings.scenarios),
      from: options.from ?? settings.from?.path,
    });
    if (problems.length > 0) return await refuse(problems, options);
    const params = paramsFor(found, values, isRepeat);
    const subscriber = subscriberOf(options, found, settings);
    const timeout = readTimeout(options.timeout);
    prepareReport("--junit", options.junit);
    prepareReport("--html", options.html);
    // If the folder is not writable, everything still runs; a failed run's report then says that its world could not be
    // saved.
    if (options.keep !== undefined) checkFolder("--keep", options.keep);
    const part = shardOf([...found, ...findings], shard);
    const runs = await Promise.all(
      found
        .filter((one) => part.includes(one))
        .map((scenario) =>
          scenarios.start(scenario, {
            params: params(scenario),
            timeout,
            hold: true,
            ...(options.from === undefined ? {} : { from: { path: options.from } }),
            ...subscriber,
          }),
        ),
    );
    const end = new AbortController();
    void stop().then(() => {
      end.abort();
      void scenarios.close();
    });
    const reports = await tellAsTheyEnd(runs, options);
    const played = await playPart(
      findings.filter((one) => part.includes(one)),
      options,
      end.signal,
    );
    const wallMs = wallNow() - began;
    const statuses = [...reports, ...played].map(({ status }) => status);
    const status = STATUSES.find((one) => statuses.includes(one)) ?? "passed";
    if (!options.json) print(summaryLine(reports, { paint, wallMs, played }));
    else {
      const { playedView } = await import("../../trial/findings/played-report.ts");
      printJson({
        ...{ status, wall: { duration_ms: wallMs }, scenarios: reports },
        findings: played.map(playedView),
      });
    }
    await writeRunReports({ reports, played }, options);
    if (end.signal.aborted) return STOPPED;
    for (const one of runs) await keepRun(served, one, options.keep ?? KEEP);
    return CODES[status];
  } finally {
    clearPassing();
    await served.close();
  }
}

/** The scenarios among the given files. If only findings are given, the shipped scenarios do not run. */
async function findScenarios(
  scenarios: Catalog,
  named: number,
  { findings, others }: { findings: readonly FoundFinding[]; others: readonly string[] },
  only?: readonly string[],
): Promise<ScenarioList> {
  if (named > 0 && others.length === 0) return { scenarios: [], problems: [] };
  const { scenarios: found, problems } = await scenarios.find(others, only);
  const isAll = named === 0 && findings.length > 0;
  return { scenarios: isAll ? found.filter(({ shipped }) => !shipped) : found, problems };
}

async function playPart(
  findings: readonly FoundFinding[],
  options: RunFlags,
  signal: AbortSignal,
): Promise<PlayedFinding[]> {
  if (findings.length === 0) return [];
  const [{ runFindings }, { playedLines }, { guardAgainstLoops }] = await Promise.all([
    import("../trial/findings.ts"),
    import("../../trial/findings/played-report.ts"),
    import("../hang-guard.ts"),
  ]);
  const unguard = guardAgainstLoops("The code of a story or rule");
  return runFindings(findings, options, { serve, signal }, (one) => {
    if (options.json) return;
    clearPassing();
    for (const line of playedLines(one, { paint, width: process.stdout.columns || undefined })) print(line);
  }).finally(unguard);
}

/** Reports files without a valid scenario. Nothing runs, because the run would silently skip those scenarios. */
async function refuse(problems: readonly ScenarioProblem[], options: RunFlags): Promise<number> {
  for (const { message, hint } of problems) process.stderr.write(paintError(message, hint));
  await writeRunReports({ problems }, { ...options, html: undefined });
  return MISUSE;
}

/** The folders among the given paths; by default, the configured one. */
function foldersOf(names: readonly string[], configured: string): string[] {
  const folders = names.length === 0 ? [configured] : names;
  return folders.map((name) => resolve(name)).filter((path) => isFolder(path, "."));
}

/** Reads the configuration's settings for a server that only serves these runs. */
async function readSettings(configFile: string | undefined, now: number, reread: boolean): Promise<Settings> {
  const { config, file } = await loadConfig(configFile, reread);
  return {
    ...resolveConfig(config, now, file),
    port: 0,
    host: DEFAULT_HOST,
    share: false,
    https: undefined,
    publicUrl: undefined,
    ports: {},
    dataDir: undefined,
  };
}

/** The user's subscriber, if given, with the secret that it should use. */
function subscriberOf(
  { subscriber, secret = process.env.SANDGLASS_WEBHOOK_SECRET }: RunFlags,
  scenarios: readonly KnownScenario[],
  settings: Settings,
) {
  if (subscriber === undefined) return {};
  const isKnown = (scenario: KnownScenario) =>
    settingsFor(scenario, settings, null).webhooks?.secret !== undefined;
  if (secret === undefined && !scenarios.every(isKnown))
    note(
      "Without --secret, your subscriber cannot verify signatures. Pass its secret with --secret or SANDGLASS_WEBHOOK_SECRET.",
    );
  return { subscriber, secret };
}

/** Prints each report in the order of the scenarios and, in between, shows which scenarios are running. */
async function tellAsTheyEnd(
  runs: readonly Run[],
  { json, verbose = false }: RunFlags,
): Promise<ScenarioReport[]> {
  const reports: ScenarioReport[] = [];
  const underWay = () => {
    const now = runs.filter(({ report, events }) => !report && events.length > 0);
    passing(`${reports.length} of ${runs.length}  ${now.map(({ scenario }) => scenario.name).join(", ")}`);
  };
  for (const run of runs) if (!json) run.follow(underWay);
  for (const { done } of runs) {
    const report = await done;
    reports.push(report);
    if (json) continue;
    clearPassing();
    for (const line of scenarioLines(report, { paint, verbose })) print(line);
  }
  return reports;
}

/** Saves the world of a failed run. After a passing run, deletes the world that an earlier failure saved. */
async function keepRun({ worlds }: Served, { scenario, world, report }: Run, folder: string): Promise<void> {
  const files = keptFiles(folder, scenario.name);
  if (report!.status === "passed") return forgetFailed(files);
  const { scenarioHtml } = await import("../../reports/html.ts");
  const content = {
    world: () => worlds.find(world).snapshot(),
    page: async () => scenarioHtml([report!]),
  };
  note(await keepFailed(files, content));
}

/** @throws SandboxError `invalid_duration` with the option */
function readTimeout(text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : parseDuration(text);
  } catch (error) {
    const { message, hint } = error as SandboxError;
    throw new SandboxError("invalid_duration", `--timeout: ${message}`, hint);
  }
}
