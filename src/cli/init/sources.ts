import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { inPackage } from "../../runtime/package.ts";
import { unlessThrown } from "../../runtime/unless-thrown.ts";
import { withoutComments, withoutStrings } from "./text.ts";

export interface Source {
  /** The path relative to the project's folder, with forward slashes. */
  path: string;
  /** The text, with comments replaced by blanks. */
  text: string;
  /** The same text with string contents also replaced by blanks, so that brackets can be counted. */
  bare: string;
}

/** A value found in the sources, with its file and line. It may be wrong. */
export interface Found {
  value: string;
  at?: string | undefined;
  /** Set if a running server has confirmed the value. */
  seen?: string;
}

/** A place in a file. */
export interface Place {
  source: Source;
  index: number;
}

export interface Hit extends Place, Found {
  at: string;
}

const READ =
  /(?:\.(?:[cm]?[jt]sx?|py|rb|ru|go|php|prisma)|^\.env(?:\.(?:local|development|example|sample|template|dist|test))?|^(?:database|routes|attributes|annotations|config)\.ya?ml)$/;
/** Tests, declarations and Sandglass's own files are skipped. */
const SKIPPED_FILES =
  /\.(?:test|spec|d|min|stories)\.|_(?:test|spec)\.|^test_|^conftest\.|^sandbox\.config\./;
const SKIPPED_FOLDERS =
  /^(?:\..*|node_modules|vendor|s?venv|site-packages|dist|build|out|coverage|target|tmp|logs?|tests?|specs?|__.*|e2e|examples?|docs|fixtures|migrations|scenarios|cypress|mocks?)$/;
/** Components contain no routes, except in Remix, where a route may be a component. */
const COMPONENT = /\.[jt]sx$/;
const OF_ROUTES = /(?:^|\/)routes\//;
const MOST_FILES = 6_000;
const MOST_BYTES = 300_000;

export const readData = (name: "senders" | "projects") =>
  JSON.parse(readFileSync(inPackage(`fixtures/init/${name}.json`), "utf8"));

/** Creates a source from a file's text. */
export function sourceOf(path: string, written: string): Source {
  const text = withoutComments(written, path);
  let bare: string | undefined;
  return {
    ...{ path, text },
    get bare() {
      bare ??= withoutStrings(text, path);
      return bare;
    },
  };
}

/** The project's sources without tests, installed packages and build output; its own folder comes first. */
export function readSources(): Source[] {
  const sources: Source[] = [];
  const folders = [""];
  // The loop also visits the folders that it appends.
  for (const folder of folders) {
    if (Math.max(sources.length, folders.length) > MOST_FILES) break;
    // Skip unreadable folders, such as a database's data.
    const entries = unlessThrown(() => readdirSync(folder || ".", { withFileTypes: true })) ?? [];
    // A Python environment's folder may have any name.
    if (entries.some(({ name }) => name === "pyvenv.cfg")) continue;
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory() && !SKIPPED_FOLDERS.test(entry.name)) folders.push(`${path}/`);
      if (!entry.isFile() || !READ.test(entry.name) || SKIPPED_FILES.test(entry.name)) continue;
      if (COMPONENT.test(entry.name) && !OF_ROUTES.test(path)) continue;
      const text = readText(path);
      if (text !== undefined) sources.push(sourceOf(path, text));
    }
  }
  return sources;
}

/** A file's text; undefined for a folder, an unreadable file, or a file too large to be written by hand. */
export const readText = (path: string): string | undefined =>
  unlessThrown(() => {
    const stats = statSync(path);
    return stats.isFile() && stats.size < MOST_BYTES
      ? readFileSync(path, "utf8").replace(/^\uFEFF/, "")
      : undefined;
  });

/** The names of a folder's entries; empty if it is not a folder. */
export const filesIn = (folder: string): string[] => unlessThrown(() => readdirSync(folder)) ?? [];

export const firstThere = (...paths: string[]): string | undefined => paths.find((path) => existsSync(path));

/** The file and line of a place. */
export const placeOf = ({ source, index }: Place): string =>
  `${source.path}:${source.text.slice(0, index).split("\n").length}`;

/**
 * All matches of a global pattern, file by file: the first non-empty group if the pattern has groups, otherwise the whole
 * match.
 */
export const findAll = (pattern: RegExp, sources: readonly Source[]): Hit[] =>
  sources.flatMap((source) =>
    [...source.text.matchAll(pattern)].map((match) => ({
      ...{ value: match.slice(1).find(Boolean) ?? match[0], source, index: match.index },
      // Compute this lazily, because only the few displayed matches need a line number.
      get at() {
        return placeOf({ source, index: match.index });
      },
    })),
  );
