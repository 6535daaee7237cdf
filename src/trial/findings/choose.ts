import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { misuse } from "../../errors/errors.ts";
import { shortName } from "../../runtime/load-module.ts";
import { readFileOf } from "../../runtime/regular-file.ts";
import type { SavedFinding } from "./finding-schema.ts";

/** Chooses the saved findings that the user specifies. If there are none, no other part of the trial is loaded. */

const MOST_BYTES = 4 * 1024 * 1024;
const YAML = /\.ya?ml$/i;

/** A finding's file: its path, and the path as a user would write it. */
export interface FindingFile {
  name: string;
  path: string;
  file: string;
}

export type FoundFinding = SavedFinding & FindingFile;

/** The finding files in a folder, sorted. Empty if the folder does not exist. */
function findingFiles(folder: string, cwd: string): FindingFile[] {
  const place = resolve(cwd, folder);
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .sort()
    .flatMap((entry) => {
      if (!YAML.test(entry) || /^[_.]/.test(entry)) return [];
      const path = join(place, entry);
      return [{ name: basename(entry, extname(entry)), path, file: shortName(path, cwd) }];
    });
}

/**
 * Reads finding files. Links out of the folder are not followed.
 * @throws SandboxError `bad_request` for the first file that is not a finding
 */
async function readFindings(files: readonly FindingFile[], cwd: string): Promise<FoundFinding[]> {
  const found: FoundFinding[] = [];
  if (files.length === 0) return found;
  const { readFindingFile } = await import("./finding-schema.ts");
  for (const one of files) {
    const root = relative(cwd, one.path).startsWith("..") ? dirname(one.path) : cwd;
    const bytes = readFileOf(root, one.path, one.file, MOST_BYTES);
    found.push({ ...one, ...(await readFindingFile({ name: one.file, bytes }, one.name)) });
  }
  return found;
}

/** The findings that match an argument: one finding by its name or file, or all findings in the folder. */
const findingAt = (text: string, files: readonly FindingFile[], cwd: string): FindingFile[] =>
  files.filter(({ name, path }) => name === text || [path, dirname(path)].includes(resolve(cwd, text)));

/**
 * Finds saved findings by name and file.
 * @returns the findings, and the names that match none
 * @throws SandboxError `bad_request` for a file that is not a finding or is outside the folder
 */
export async function chooseFindings(
  wanted: readonly string[],
  folder: string,
  cwd: string,
): Promise<{ findings: FoundFinding[]; others: string[] }> {
  const files = findingFiles(folder, cwd);
  if (wanted.length === 0) return { findings: await readFindings(files, cwd), others: [] };
  const chosen = new Map<string, FindingFile>();
  const others: string[] = [];
  for (const text of wanted) {
    const found = findingAt(text, files, cwd);
    for (const one of found) chosen.set(one.path, one);
    if (found.length === 0 && /\.ya?ml$/i.test(text))
      throw misuse(
        `There is no finding ${text} in ${folder}.`,
        "Sandglass only reads findings from that folder; set another one with findings in the configuration.",
      );
    if (found.length === 0) others.push(text);
  }
  return { findings: await readFindings([...chosen.values()], cwd), others };
}
