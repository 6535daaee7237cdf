import { readdirSync, readFileSync } from "node:fs";
import { inPackage } from "../../runtime/package.ts";

export interface Source {
  /** The path relative to the project's folder, with slashes. */
  path: string;
  text: string;
}

/** A value with its file and line; without them, it is a guess. */
export interface Found {
  value: string;
  at?: string;
}

const READ = /(?:\.(?:[cm]?[jt]sx?|py|rb|ru|go|php|prisma)|^\.env(?:\.(?:local|example|sample|test))?)$/;
/** Tests, declarations, and Sandglass's own files are skipped. */
const SKIPPED_FILES = /\.(?:test|spec|d|min)\.|_(?:test|spec)\.|^test_|^sandbox\.config\./;
const SKIPPED_FOLDERS =
  /^(?:\..*|node_modules|vendor|s?venv|env|dist|build|out|coverage|target|tmp|logs?|tests?|specs?|__.*|e2e|examples?|docs|fixtures|migrations|scenarios)$/;
const MOST_FILES = 3_000;
const MOST_CHARACTERS = 300_000;

export const readData = (name: "senders" | "projects") =>
  JSON.parse(readFileSync(inPackage(`fixtures/init/${name}.json`), "utf8"));

/**
 * The sources of a project without tests, installed packages and build output; those of its own folder first.
 * @param manifests files whose folder is another project, which is skipped
 */
export function readSources(manifests: readonly string[] = []): Source[] {
  const sources: Source[] = [];
  const folders = [""];
  // The loop also reads folders that it adds.
  for (const folder of folders) {
    if (Math.max(sources.length, folders.length) > MOST_FILES) break;
    const entries = readable(() => readdirSync(folder || ".", { withFileTypes: true })) ?? [];
    if (folder !== "" && entries.some(({ name }) => manifests.includes(name))) continue;
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory() && !SKIPPED_FOLDERS.test(entry.name)) folders.push(`${path}/`);
      if (!entry.isFile() || !READ.test(entry.name) || SKIPPED_FILES.test(entry.name)) continue;
      const text = readable(() => readFileSync(path, "utf8"));
      if (text !== undefined && text.length < MOST_CHARACTERS) sources.push({ path, text });
    }
  }
  return sources;
}

/** Unreadable files and folders are skipped, such as the data of a database. */
function readable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export interface Hit extends Required<Found> {
  source: Source;
  index: number;
}

/** All matches of a global pattern, file by file: the first non-empty group, if the pattern has groups. */
export const findAll = (pattern: RegExp, sources: readonly Source[]): Hit[] =>
  sources.flatMap((source) =>
    [...source.text.matchAll(pattern)].map((match) => ({
      ...{ value: match.slice(1).find(Boolean) ?? match[0], source, index: match.index },
      at: `${source.path}:${source.text.slice(0, match.index).split("\n").length}`,
    })),
  );
