import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inPackage } from "../runtime/package.ts";

/** A text file of a project. */
export interface Source {
  /** From the project's folder, with slashes. */
  path: string;
  text: string;
}

/** A value, and the file and line that say it; without them it is a guess. */
export interface Found {
  value: string;
  at?: string;
}

const READ = /(?:\.(?:[cm]?[jt]sx?|py|rb|ru|go|php|prisma)|^\.env(?:\.(?:local|example|sample|test))?)$/;
/** Tests and declarations, and Sandglass's own. */
const SKIPPED_FILES = /\.(?:test|spec|d|min)\.|_(?:test|spec)\.|^test_|^sandbox\.config\./;
const SKIPPED_FOLDERS =
  /^(?:\..*|node_modules|vendor|s?venv|env|dist|build|out|coverage|target|tmp|logs?|tests?|specs?|__.*|e2e|examples?|docs|fixtures|migrations|scenarios)$/;
const MOST_FILES = 3_000;
const MOST_CHARACTERS = 300_000;

/** What `sandglass init` knows of senders and of projects. */
export const readData = (name: "senders" | "projects") =>
  JSON.parse(readFileSync(inPackage(`fixtures/init/${name}.json`), "utf8"));

/**
 * The sources of a project, without its tests, what it installed and what it built: those of its own folder first.
 * @param manifests files whose folder is a project of its own, which is left out
 */
export function readSources(cwd: string, manifests: readonly string[] = []): Source[] {
  const sources: Source[] = [];
  const folders = [""];
  // What is added meanwhile is read, too.
  for (const folder of folders) {
    if (Math.max(sources.length, folders.length) > MOST_FILES) break;
    const entries = readable(() => readdirSync(join(cwd, folder), { withFileTypes: true })) ?? [];
    if (folder !== "" && entries.some(({ name }) => manifests.includes(name))) continue;
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory() && !SKIPPED_FOLDERS.test(entry.name)) folders.push(`${path}/`);
      if (!entry.isFile() || !READ.test(entry.name) || SKIPPED_FILES.test(entry.name)) continue;
      const text = readable(() => readFileSync(join(cwd, path), "utf8"));
      if (text !== undefined && text.length < MOST_CHARACTERS) sources.push({ path, text });
    }
  }
  return sources;
}

/** What is another user's is passed over, such as the data of a database. */
function readable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What a pattern matches. */
export interface Hit extends Required<Found> {
  source: Source;
  index: number;
}

/** All that a global pattern matches, file by file: its first group that is not empty, where it has one. */
export const findAll = (pattern: RegExp, sources: readonly Source[]): Hit[] =>
  sources.flatMap((source) =>
    [...source.text.matchAll(pattern)].map((match) => ({
      ...{ value: match.slice(1).find(Boolean) ?? match[0], source, index: match.index },
      at: `${source.path}:${source.text.slice(0, match.index).split("\n").length}`,
    })),
  );
