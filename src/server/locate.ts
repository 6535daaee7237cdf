import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, isAbsolute, relative, resolve } from "node:path";
import { didYouMean } from "../errors/closest.ts";
import { forbidden, notFound, SandboxError } from "../errors/errors.ts";
import type { Reach } from "../sandbox/beginnings.ts";
import { isFixtureFile } from "../sandbox/fixtures/files.ts";
import type { KnownScenario } from "../scenarios/catalog.ts";

/** What `from` refers to: a file or folder on disk, or else a string that may be the name of a scenario. */
export type Located = { kind: "fixtures" | "snapshot" | "script"; path: string } | { kind: "name" };

export interface LocateOptions {
  /** The folder in which Sandglass was started. */
  cwd: string;
  /** The folder that contains the user's scenarios. */
  scenarios: string;
  reach: Reach;
}

const SCRIPT = /\.m?[tj]s$/;

/**
 * Finds the file or folder that a string refers to, if there is one.
 * @throws SandboxError `not_found` for a path that does not exist, `forbidden`
 */
export function locate(text: string, options: LocateOptions): Located {
  const { cwd, reach } = options;
  const path = resolve(cwd, text);
  const writtenAsPath = /[/\\]/.test(text) || SCRIPT.test(text);
  if (reach !== "machine" && writtenAsPath) checkReach(text, path, options);
  if (text !== "" && reach !== "names" && existsSync(path)) {
    if (reach !== "machine")
      checkReach(text, realpathSync(path), {
        ...options,
        cwd: realpathSync(cwd),
        scenarios: real(options.scenarios),
      });
    if (statSync(path).isDirectory() || isFixtureFile(path)) return { kind: "fixtures", path };
    return { kind: SCRIPT.test(path) ? "script" : "snapshot", path };
  }
  if (!writtenAsPath) return { kind: "name" };
  throw notFound(
    `There is no file or folder ${text.slice(0, 200)}.`,
    nearest(text, reach === "names" ? [] : filesHere(cwd)),
  );
}

/**
 * Finds the scenario in a script, or the scenario with a name.
 * @param names other valid names, for hints
 * @throws SandboxError `not_found` with the closest names, `invalid_scenario`
 */
export async function findScenario(
  text: string,
  located: Located,
  { cwd, reach, scenarios: folder }: LocateOptions,
  names: readonly string[],
): Promise<KnownScenario> {
  const { createCatalog } = await import("../scenarios/catalog.ts");
  const catalog = createCatalog({ cwd, folder });
  const byPath = "path" in located;
  const { scenarios, problems } = byPath ? await catalog.find([located.path]) : await catalog.list();
  const scenario = byPath ? scenarios[0] : scenarios.find(({ name }) => name === text);
  if (scenario) return scenario;
  const [problem] = problems;
  if (problem && byPath) throw new SandboxError("invalid_scenario", problem.message, problem.hint);
  const candidates = [
    ...names,
    ...scenarios.map(({ name }) => name),
    ...(reach === "names" ? [] : filesHere(cwd)),
  ];
  throw notFound(
    `There is no ${reach === "machine" ? "" : "world, snapshot, "}scenario, snapshot file or folder of fixtures '${text.slice(0, 100)}'.`,
    problem ? `${problem.message} ${problem.hint}` : nearest(text, candidates),
  );
}

const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/** The files and folders that a world could start from. */
const filesHere = (cwd: string): string[] =>
  readdirSync(cwd, { withFileTypes: true })
    .filter((entry) => !/^[_.]|^node_modules$/.test(entry.name))
    .filter((entry) => entry.isDirectory() || isFixtureFile(entry.name) || entry.name.endsWith(".sandglass"))
    .map(({ name }) => name);

const nearest = (text: string, names: readonly string[]): string =>
  didYouMean(
    basename(text),
    names,
    "List the scenarios: npx sandglass run --list. Write a folder of fixtures: npx sandglass export fixtures",
  );

/** Rejects files that callers of the control API may not read (see SECURITY.md). */
function checkReach(text: string, path: string, { cwd, reach, scenarios }: LocateOptions): void {
  if (reach === "names")
    throw forbidden(
      `'${text.slice(0, 100)}' is a file, but a request from another machine cannot refer to files.`,
      "Specify a world, a snapshot or a scenario.",
    );
  const inside = (folder: string) => {
    const way = relative(folder, path);
    return !way.startsWith("..") && !isAbsolute(way);
  };
  if (!inside(cwd))
    throw forbidden(
      `'${text.slice(0, 100)}' is not in the folder where Sandglass was started.`,
      "Only the person who starts Sandglass can specify files outside that folder: with --from, or with from in the configuration.",
    );
  if (SCRIPT.test(path) && !inside(scenarios))
    throw forbidden(
      `'${text.slice(0, 100)}' is not in your scenarios folder.`,
      "The control API only runs scenarios in that folder. Choose one of them.",
    );
}
