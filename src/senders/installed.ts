import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FileSender } from "../webhooks/described.ts";

/** A sentence if the project has another major version of the package whose types a sender's example bodies have. */
export function otherVersion({ name, facts }: FileSender, cwd: string): string | undefined {
  const [, installed = "", major] = /^(.+)@(\d+)$/.exec(facts.package ?? "") ?? [];
  if (major === undefined) return undefined;
  let folder = cwd;
  const fileIn = () => join(folder, "node_modules", installed, "package.json");
  while (!existsSync(fileIn()) && dirname(folder) !== folder) folder = dirname(folder);
  if (!existsSync(fileIn())) return undefined;
  const { version } = JSON.parse(readFileSync(fileIn(), "utf8"));
  if (String(version).split(".")[0] === major) return undefined;
  const api = facts.version === undefined ? "" : `, API version ${facts.version}`;
  return `Your ${installed} is ${version}, and the example bodies of ${name} are those of ${major}${api}: fields may differ. Send your own: --events with a capture, or a copy to edit: npx sandglass init --sender ${name}`;
}
