import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findConfig } from "../../config/load-config.ts";
import { misuse, SandboxError } from "../../errors/errors.ts";
import { shortName } from "../../runtime/load-module.ts";
import { isShipped, scenarioFilesIn } from "../../scenarios/files.ts";
import { count } from "../../timeline/text.ts";
import type { Invocation } from "../command.ts";
import { MISUSE } from "../exit-codes.ts";
import { createFileWatcher } from "../file-watcher.ts";
import { handsome, note, paint, paintError, print } from "../output.ts";
import { stopRequested } from "../stop.ts";
import { type FoundScenarios, type RunFlags, runScenarios } from "./scenarios.ts";

const CLEAR_SCREEN = "\u001b[2J\u001b[3J\u001b[H";

/**
 * Runs scenarios, and reruns them whenever the configuration, a scenario file or a file that it imports changes.
 * Resolves on Ctrl-C with the exit code of the last run.
 */
export async function runAgain({ args, options }: Invocation<RunFlags>): Promise<number> {
  const config = options.config === undefined ? findConfig() : resolve(options.config);
  const stopped = stopRequested();
  const watcher = createFileWatcher();
  const sources = createSources();
  let isFirst = true;

  /** @param paths the scenarios to run; by default, all selected ones */
  async function runOnce(paths?: string[]): Promise<number> {
    try {
      return await runScenarios(
        // The other arguments may be scenario names.
        { args: paths === undefined ? args : sources.scenarios(paths), options },
        {
          only: paths,
          stop: () => stopped,
          // Start watching before the scenarios run, to notice changes made during the run.
          onFound(found) {
            sources.add(found, paths === undefined);
            watcher.watch(
              [...sources.files(), ...sources.beginning(), ...(config ? [config] : [])],
              sources.folders,
            );
          },
          isRepeat: !isFirst,
        },
      );
    } catch (error) {
      if (isFirst || !(error instanceof SandboxError)) throw error;
      process.stderr.write(paintError(error.message, error.hintFor("command")));
      return MISUSE;
    } finally {
      isFirst = false;
    }
  }

  /** Waits for a change that affects a scenario. */
  async function nextRun(): Promise<{ paths: string[] | undefined } | undefined> {
    for (;;) {
      const changed = await Promise.race([watcher.changed(), stopped]);
      if (!changed) return undefined;
      if ((config !== undefined && changed.has(config)) || sources.beginsWith(changed))
        return { paths: undefined };
      for (const path of sources.forgetDeleted()) {
        const line = `${shortName(path, process.cwd())} was deleted, so it no longer runs.`;
        if (options.json) note(line);
        else print(line);
      }
      const paths = sources.affected(changed);
      if (paths.length > 0) return { paths };
    }
  }

  try {
    let code = await runOnce();
    if (sources.files().size === 0)
      throw misuse(
        "There are no files to watch: only shipped scenarios were run.",
        "Pass your own file or folder: npx sandglass run scenarios --watch",
      );
    for (;;) {
      const watching = paint.dim(`Watching ${count(sources.files().size, "file")}. Press Ctrl-C to stop.`);
      if (options.json) note(watching);
      else print(watching);
      const next = await nextRun();
      if (!next) return code;
      if (handsome) process.stdout.write(CLEAR_SCREEN);
      code = await runOnce(next.paths);
    }
  } finally {
    watcher.close();
  }
}

/** Keeps track of the user's scenario files and of the files they import. */
function createSources() {
  const filesOf = new Map<string, Set<string>>();
  const folders: string[] = [];
  /** The file, or the folder of files, that worlds start from. */
  let from: string | undefined;
  return {
    /** Folders in which a new file may be a new scenario. */
    folders,

    /** @param isWhole whether `found` contains all selected scenarios */
    add(found: FoundScenarios, isWhole: boolean): void {
      if (isWhole) folders.splice(0, folders.length, ...found.folders);
      from = found.from === undefined ? undefined : resolve(found.from);
      for (const path of found.paths) if (!isShipped(path)) filesOf.set(path, importedFiles(path));
    },

    /** The files of all scenarios, including the given ones. */
    scenarios: (paths: readonly string[]): string[] => [...new Set([...filesOf.keys(), ...paths])],

    files: (): Set<string> => new Set([...filesOf.values()].flatMap((files) => [...files])),

    /** The files that worlds start from. */
    beginning(): string[] {
      if (from === undefined || !existsSync(from)) return [];
      return statSync(from).isDirectory() ? readdirSync(from).map((name) => join(from!, name)) : [from];
    },

    /** Whether worlds start from one of these files or from a folder that contains one of them. */
    beginsWith: (changed: ReadonlySet<string>): boolean =>
      [...changed].some((path) => path === from || dirname(path) === from),

    /** Drops the scenarios whose files were deleted, and returns their paths. */
    forgetDeleted(): string[] {
      const deleted = [...filesOf.keys()].filter((path) => !existsSync(path));
      for (const path of deleted) filesOf.delete(path);
      return deleted;
    },

    /** The scenarios that these files affect, including new scenarios among the files. */
    affected(changed: ReadonlySet<string>): string[] {
      const current = [...filesOf].filter(([, files]) => [...files].some((file) => changed.has(file)));
      const added = folders
        .flatMap(scenarioFilesIn)
        .filter((path) => changed.has(path) && !filesOf.has(path));
      return [...current.map(([path]) => path), ...added];
    },
  };
}

/** Relative imports: `from "./x"`, `import "./x"`, `import("./x")`, `require("./x")`. */
const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"']+|file:[^"']+)["']/g;
/** Extensions to try if an import omits its extension, as tsx allows, or has the compiled file's extension. */
const ENDINGS = [".ts", ".mts", ".tsx", ".js", ".mjs", ".json"];
const MODULE = /\.[cm]?[jt]sx?$/;

/** A file and all the user's files that it imports, according to its source. */
function importedFiles(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  if (!MODULE.test(path) || !isFile(path)) return seen;
  for (const [, specifier] of readFileSync(path, "utf8").matchAll(IMPORT)) {
    const target = specifier!.startsWith("file:")
      ? fileURLToPath(specifier!)
      : resolve(dirname(path), specifier!);
    const found = fileOf(target);
    // Also watch a missing file: the scenario runs again when it appears.
    importedFiles(found ?? target, seen);
  }
  return seen;
}

function fileOf(target: string): string | undefined {
  const bare = target.slice(0, target.length - extname(target).length);
  const candidates = [target, ...ENDINGS.flatMap((ending) => [target + ending, bare + ending])];
  return candidates.find(isFile);
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
