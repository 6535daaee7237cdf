import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { closest } from "../errors/closest.ts";
import { notFound, SandboxError } from "../errors/errors.ts";
import { messageOf } from "../errors/shown.ts";
import type { ScenarioProblem } from "../reports/scenario-report.ts";
import { shortName } from "../runtime/load-module.ts";
import { FROM_SOURCE } from "../runtime/package.ts";
import { formatDuration } from "../timeline/duration.ts";
import { wallTimer } from "../world/clock.ts";
import { MINUTE } from "../world/duration.ts";
import {
  filesAt,
  isFolder,
  isPath,
  isShipped,
  type ScenarioFile,
  SHIPPED_SCENARIOS,
  scenarioFilesIn,
  shippedName,
} from "./files.ts";
import type { ScenarioInfo } from "./shape.ts";
import type { ThreadMessage } from "./thread.ts";
import { giveToThread } from "./threads.ts";

/** The file with the metadata of the shipped scenarios, by file name. The build writes it. */
export const SHIPPED_INFO = "shipped.json";

/** The metadata of the shipped scenarios; undefined when running from source. */
export function readShippedInfo(): Record<string, ScenarioInfo> | undefined {
  const path = join(SHIPPED_SCENARIOS, SHIPPED_INFO);
  return FROM_SOURCE || !existsSync(path) ? undefined : JSON.parse(readFileSync(path, "utf8"));
}

/** The real-time limit for reading a scenario file. Reading takes half a second, or up to ten on a busy machine. */
export const READING_LIMIT = MINUTE;

export interface KnownScenario extends ScenarioInfo, ScenarioFile {
  /** Whether it is part of the package rather than the user's own. */
  shipped: boolean;
}

export interface ScenarioList {
  scenarios: KnownScenario[];
  problems: ScenarioProblem[];
}

type ReadFile = { info: ScenarioInfo } | { problem: { message: string; hint: string } };

/** The user's own scenarios and the shipped ones. */
export interface Catalog {
  /** All scenarios. The user's own replace shipped ones with the same name. */
  list(): Promise<ScenarioList>;
  /** @throws SandboxError `not_found`, `invalid_scenario` */
  named(name: string): Promise<KnownScenario>;
  /**
   * Finds scenarios by name, file and folder, and reports files that contain no valid scenario. Without arguments,
   * finds all of the user's own scenarios or, if there are none, all shipped ones.
   * @param only the files to include; all other files only reserve their scenarios' names
   * @throws SandboxError `not_found` for an unknown name, `bad_request` for a path that does not exist
   */
  find(wanted: readonly string[], only?: readonly string[]): Promise<ScenarioList>;
}

/**
 * @param cwd the folder to which file names are relative
 * @param folder the folder with the user's own scenarios
 */
export function createCatalog({ cwd, folder }: { cwd: string; folder: string }): Catalog {
  /** Caches files by path. Changed files and files without a valid scenario are read again. */
  const readFiles = new Map<string, { at: number; info: ScenarioInfo }>();

  async function read(paths: readonly string[]): Promise<ScenarioList> {
    const files = paths.map((path) => ({
      path,
      file: isShipped(path) ? shippedName(path) : shortName(path, cwd),
    }));
    const times = new Map(files.map(({ path }) => [path, statSync(path).mtimeMs]));
    const known = new Map([...readFiles].filter(([path, { at }]) => at === times.get(path)));
    const changed = files.filter(({ path }) => !known.has(path));
    const answers = changed.length === 0 ? new Map<string, ReadFile>() : await readInThread(changed);
    const list: ScenarioList = { scenarios: [], problems: [] };
    for (const one of files) {
      const answer = answers.get(one.path);
      if (answer && "problem" in answer) {
        readFiles.delete(one.path);
        list.problems.push({ file: one.file, ...answer.problem });
        continue;
      }
      if (answer) readFiles.set(one.path, { at: times.get(one.path)!, info: answer.info });
      const { info } = answer ?? known.get(one.path)!;
      list.scenarios.push({ ...info, ...one, shipped: isShipped(one.path) });
    }
    return list;
  }

  /** The shipped scenarios. The build has already read them, so no thread is needed. */
  async function shipped(): Promise<ScenarioList> {
    const paths = scenarioFilesIn(SHIPPED_SCENARIOS);
    const info = readShippedInfo();
    if (!info) return read(paths);
    const scenarios = paths.map((path) => ({
      ...info[basename(path)]!,
      path,
      file: shippedName(path),
      shipped: true,
    }));
    return { scenarios, problems: [] };
  }

  async function list(): Promise<ScenarioList> {
    const [own, others] = await Promise.all([
      read(scenarioFilesIn(folder).filter((path) => !isShipped(path))).then(withoutDuplicates),
      shipped(),
    ]);
    const taken = new Set(own.scenarios.map(({ name }) => name));
    return {
      scenarios: [...own.scenarios, ...others.scenarios.filter(({ name }) => !taken.has(name))],
      problems: [...own.problems, ...others.problems],
    };
  }

  /** Finds the scenario with this name or, if there is none, the scenarios in the folder with this name. */
  async function called(name: string): Promise<ScenarioList> {
    const all = await list();
    if (all.scenarios.every((scenario) => scenario.name !== name) && isFolder(name, cwd))
      return read(filesAt(name, cwd));
    return { scenarios: [byName(name, all)], problems: [] };
  }

  return {
    list,

    named: async (name) => byName(name, await list()),

    async find(wanted, only) {
      if (wanted.length === 0) {
        const { scenarios, problems } = await list();
        const own = scenarios.filter(({ shipped }) => !shipped);
        return { scenarios: own.length + problems.length > 0 ? own : scenarios, problems };
      }
      const found: ScenarioList = { scenarios: [], problems: [] };
      for (const text of wanted) {
        const { scenarios, problems } = isPath(text) ? await read(filesAt(text, cwd)) : await called(text);
        found.scenarios.push(...scenarios);
        found.problems.push(...problems);
      }
      const all = withoutDuplicates(
        {
          scenarios: [...new Map(found.scenarios.map((scenario) => [scenario.path, scenario])).values()],
          problems: found.problems,
        },
        only,
      );
      if (only === undefined) return all;
      return {
        scenarios: all.scenarios.filter(({ path }) => only.includes(path)),
        problems: all.problems.filter(({ file }) => only.includes(resolve(cwd, file))),
      };
    },
  };
}

/** @throws SandboxError `not_found`, `invalid_scenario` */
function byName(name: string, { scenarios, problems }: ScenarioList): KnownScenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found) return found;
  // If a file cannot be read, it may be the one that contains the requested scenario.
  if (problems.length > 0) throw refusal(problems, `There is no scenario '${name.slice(0, 100)}'. `);
  const names = scenarios.map((scenario) => scenario.name);
  const meant = closest(name, names) ?? names.find((other) => other.startsWith(name.slice(0, 4)));
  throw notFound(
    `There is no scenario '${name.slice(0, 100)}'.`,
    `${/\.\w+$/.test(name) ? "A scenario is in a file that ends with .ts, .mts, .js or .mjs. " : ""}${meant ? `Did you mean ${meant}? ` : ""}Scenarios: ${names.join(", ")}.`,
  );
}

function refusal(problems: readonly ScenarioProblem[], before = ""): SandboxError {
  const [first, ...rest] = problems;
  const others = rest.map(({ file }) => file).join(", ");
  const more = rest.length > 0 ? ` And ${rest.length} more: ${others}.` : "";
  return new SandboxError("invalid_scenario", `${before}${first!.message}${more}`, first!.hint);
}

/**
 * Turns all scenarios that share a name into problems, because it is unclear which one is meant.
 * @param blamed the files to report the problem for, if one of them has that name
 */
function withoutDuplicates(
  { scenarios, problems }: ScenarioList,
  blamed: readonly string[] = [],
): ScenarioList {
  const byName = [...Map.groupBy(scenarios, ({ name }) => name).values()];
  const twice = byName.filter((same) => same.length > 1);
  return {
    scenarios: byName.flatMap((same) => (same.length === 1 ? same : [])),
    problems: [
      ...problems,
      ...twice.map((same) => ({
        file: (same.find(({ path }) => blamed.includes(path)) ?? same.at(-1)!).file,
        message: `${same.map(({ file }) => file).join(" and ")} are both named '${same[0]!.name}'.`,
        hint: "Give each scenario its own name.",
      })),
    ],
  };
}

/** Reads files in a thread. If a file hangs, the thread is terminated, and a new thread reads the remaining files. */
async function readInThread(files: readonly ScenarioFile[]): Promise<Map<string, ReadFile>> {
  const answers = new Map<string, ReadFile>();
  let left = files;
  while (left.length > 0) {
    await readSome(left, answers);
    left = left.filter(({ path }) => !answers.has(path));
  }
  return answers;
}

/**
 * Reads files until all are done, or until one hangs or terminates the thread. The error is reported for the file that
 * caused it.
 */
function readSome(files: readonly ScenarioFile[], answers: Map<string, ReadFile>): Promise<void> {
  return new Promise((resolve) => {
    const worker = giveToThread({ read: [...files] });
    let reading = files[0]!;
    let cancel = () => {};
    const giveUp = (reason: string) => {
      if (!answers.has(reading.path))
        answers.set(reading.path, {
          problem: {
            message: `${reading.file}: ${reason}.`,
            hint: "A scenario file should only describe the scenario. Move everything that has an effect into run.",
          },
        });
      end();
    };
    const watch = () => {
      cancel();
      cancel = wallTimer(READING_LIMIT, () =>
        giveUp(`reading it took longer than ${formatDuration(READING_LIMIT)}`),
      );
    };
    const end = () => {
      cancel();
      worker.removeAllListeners();
      worker.on("error", () => {});
      void worker.terminate().then(() => resolve());
    };
    watch();
    worker.on("message", (message: ThreadMessage) => {
      if ("reading" in message) {
        reading = files.find(({ path }) => path === message.reading)!;
        return watch();
      }
      if ("info" in message || "problem" in message) answers.set(reading.path, message);
      if (files.every(({ path }) => answers.has(path))) end();
    });
    worker.on("error", (error) => giveUp(`it threw ${messageOf(error)}`));
    worker.on("exit", () => giveUp("it ended the process"));
  });
}

/** A scenario as shown in lists, without its path on this machine. */
export const scenarioView = ({ name, title, description, params, file, shipped }: KnownScenario) => ({
  ...{ name, title, description, params, file, shipped },
});
