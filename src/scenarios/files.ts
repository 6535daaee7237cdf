import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { misuse } from "../errors/errors.ts";
import { FROM_SOURCE, inPackage } from "../runtime/package.ts";

const SCENARIO_FILE = /^[^_.].*\.(?:ts|mts|js|mjs)$/;
const NO_SCENARIO = /\.(?:d|test|spec)\.m?[tj]s$/;

/** The folder with the shipped scenarios in runnable form. The build compiles them. */
export const SHIPPED_SCENARIOS = inPackage(FROM_SOURCE ? "scenarios/" : "dist/scenarios/");
const SHIPPED_SOURCES = inPackage("scenarios/");

/** The source file of a shipped scenario. Any other file is its own source. */
export function sourceOf(path: string): string {
  if (FROM_SOURCE || !path.startsWith(SHIPPED_SCENARIOS)) return path;
  return join(SHIPPED_SOURCES, basename(path).replace(/\.js$/, ".ts"));
}

/**
 * Whether a file is a shipped scenario, either compiled or as source. In a checkout, all files in `scenarios/` count.
 */
export const isShipped = (path: string): boolean =>
  path.startsWith(SHIPPED_SCENARIOS) || path.startsWith(SHIPPED_SOURCES);

export interface ScenarioFile {
  path: string;
  file: string;
}

/** The file name of a shipped scenario, which is the same in every installation. */
export const shippedName = (path: string): string => `sandglass/scenarios/${basename(sourceOf(path))}`;

/**
 * The TypeScript and JavaScript files in a folder and its subfolders, sorted. Tests, declarations and files whose names
 * start with `_` or `.` are excluded.
 */
export function scenarioFilesIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (/^[_.]/.test(entry.name) || entry.name === "node_modules") return [];
      if (entry.isDirectory()) return scenarioFilesIn(path);
      return SCENARIO_FILE.test(entry.name) && !NO_SCENARIO.test(entry.name) ? [path] : [];
    });
}

/** Whether a string is a path rather than a scenario name. */
export const isPath = (text: string): boolean => /[/\\]|\.m?[tj]s$/.test(text);

export const isFolder = (name: string, cwd: string): boolean =>
  statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The files at a path: the file itself, or the files in the folder. @throws SandboxError `bad_request` */
export function filesAt(path: string, cwd: string): string[] {
  const full = resolve(cwd, path);
  const found = existsSync(full) ? (statSync(full).isDirectory() ? scenarioFilesIn(full) : [full]) : [];
  if (found.length > 0) return found;
  throw misuse(
    existsSync(full) ? `There is no scenario in ${path}.` : `There is no file or folder ${path}.`,
    {
      command: "List the scenarios: npx sandglass run --list",
      library: "Pass a file or a folder of scenarios.",
      http: "GET /_sandbox/scenarios lists the scenarios.",
    },
  );
}
