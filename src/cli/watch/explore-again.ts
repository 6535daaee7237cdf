import { readdirSync } from "node:fs";
import { join } from "node:path";
import { misuse } from "../../errors/errors.ts";
import type { Explored } from "../explore.ts";
import type { ExploreFlags } from "../explore-flags.ts";
import { note } from "../output.ts";
import { createFileWatcher } from "./file-watcher.ts";

const SOURCE = /\.(?:[cm]?[jt]sx?|py|rb|php|go|java|kt|cs|rs|sql)$/;
/** What holds no sources of the user, or too many files. */
const LEFT_OUT = /^(?:\..*|node_modules|dist|build|target|vendor|coverage|__pycache__|venv)$/;
const FOUND = 1;
const CLEAN = 0;

/**
 * Explores, and again each time that a source below this folder changes: first the schedule that was found last, and
 * everything once it ends well. Resolves at Ctrl-C, with the exit code of the last exploration.
 * @param explore explores with these options, and reports the result
 * @throws SandboxError `bad_request` without --start
 */
export async function exploreAgain(
  options: ExploreFlags,
  stopped: Promise<void>,
  explore: (options: ExploreFlags) => Promise<Explored>,
): Promise<number> {
  if (options.start === undefined)
    throw misuse(
      "--watch needs --start, as your server has to be started again after a change.",
      "For example --watch --start 'node server.mjs'",
    );
  const watcher = createFileWatcher();
  let last: string | undefined;
  try {
    for (;;) {
      const sources = sourcesIn(".");
      watcher.watch(sources);
      let { code, replay } = await explore(last === undefined ? options : { ...options, replay: last });
      // What ends well now, or cannot happen any more, says nothing about the other schedules.
      if (last !== undefined && code !== FOUND) ({ code, replay } = await explore(options));
      if (code === FOUND) last = replay;
      if (code === CLEAN) last = undefined;
      note("Waiting for a change of a source. Ctrl-C ends it.");
      for (let changed: string[] = []; changed.length === 0; ) {
        const all = await Promise.race([watcher.changed(), stopped]);
        if (!all) return code;
        // Not what the server itself writes, nor a saved scenario.
        changed = sources.filter((path) => all.has(path));
        if (changed.length > 0) note(`\n${changed.join(", ")} changed.`);
      }
    }
  } finally {
    watcher.close();
  }
}

/** The sources below a folder. */
function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.test(entry.name) ? [] : sourcesIn(path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}
