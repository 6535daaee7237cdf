import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FileSender } from "../webhooks/described.ts";

/** A package, and a range of its major versions in which events have the same shape. */
export interface PackageRange {
  name: string;
  from: number;
  to: number;
}

/** A package installed in a project. */
export interface Installed {
  version: string;
  major: number;
  folder: string;
}

/** Parses a range such as `stripe@18-23`; undefined for any other text. */
export function readRange(written: string | undefined): PackageRange | undefined {
  const [, name, from, to = from] = /^(.+)@(\d+)(?:-(\d+))?$/.exec(written ?? "") ?? [];
  return name === undefined ? undefined : { name, from: Number(from), to: Number(to) };
}

/** The package as the project's code resolves it. */
export function findInstalled(name: string, cwd: string): Installed | undefined {
  let folder = cwd;
  const fileIn = () => join(folder, "node_modules", name, "package.json");
  while (!existsSync(fileIn()) && dirname(folder) !== folder) folder = dirname(folder);
  if (!existsSync(fileIn())) return undefined;
  const version = String(JSON.parse(readFileSync(fileIn(), "utf8")).version);
  return { version, major: Number.parseInt(version, 10), folder: dirname(fileIn()) };
}

/** Warns if the project has a version of the package that the sender's example bodies do not cover. */
export function otherVersion({ name, facts }: FileSender, cwd: string): string | undefined {
  const range = readRange(facts.package);
  const installed = range && findInstalled(range.name, cwd);
  if (!range || !installed || (range.from <= installed.major && installed.major <= range.to))
    return undefined;
  return `Your ${range.name} is ${installed.version}, but ${name}'s example bodies match ${rangeWords(range)}, so fields may differ. Send your own: --events with a capture, or a copy to edit: npx sandglass init --sender ${name}`;
}

/** A range of major versions, such as `stripe 14 to 17`. */
const rangeWords = ({ name, from, to }: { name: string; from: number; to: number }): string =>
  `${name} ${from === to ? from : `${from} to ${to}`}`;
