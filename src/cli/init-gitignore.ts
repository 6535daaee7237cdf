import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { KEEP } from "../entries/keep.ts";
import { readTextFile } from "../runtime/text-file.ts";

const FILE = ".gitignore";

/**
 * What a project's `.gitignore` lacks, so that the worlds of failures stay out of its repository.
 * @returns what to add at its end, `""` if it or one above it ignores them already; undefined where there is no repository
 * @throws SandboxError for a file in another encoding, which git cannot read either
 */
export function missingInGitignore(cwd: string): string | undefined {
  const own = join(cwd, FILE);
  const folders = upToRepository(cwd);
  if (folders === undefined && !existsSync(own)) return undefined;
  if ((folders ?? [cwd]).some(ignoresWorlds)) return "";
  const text = readGitignore(cwd);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  return `${text === "" || text.endsWith("\n") ? "" : newline}${KEEP}/${newline}`;
}

/** A folder with those above it, up to that of its repository. */
function upToRepository(folder: string): string[] | undefined {
  if (existsSync(join(folder, ".git"))) return [folder];
  const above = dirname(folder);
  const rest = above === folder ? undefined : upToRepository(above);
  return rest && [folder, ...rest];
}

const ignoresWorlds = (folder: string): boolean =>
  readGitignore(folder)
    .split(/\r?\n/)
    .some((line) => new RegExp(`^(?:\\*\\*/|/)?${KEEP}(?:/(?:\\*\\*?)?)?\\s*$`).test(line));

function readGitignore(folder: string): string {
  const path = join(folder, FILE);
  return existsSync(path) ? readTextFile(path, { name: FILE, code: "invalid_state" }) : "";
}
