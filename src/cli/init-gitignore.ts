import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { KEEP } from "../entries/keep.ts";
import { readTextFile } from "../runtime/text-file.ts";

const FILE = ".gitignore";
/** Saved worlds of failures can contain secrets, and the report is rewritten each time. */
const LINES = [`${KEEP}/`, "sandglass/findings/report.html"];

/**
 * Lines that a project's `.gitignore` lacks, so that repeated output stays out of its repository.
 * @returns the text to append, `""` if it or one above it already ignores them; undefined outside a repository
 * @throws SandboxError for a file in another encoding, which git cannot read either
 */
export function missingInGitignore(): string | undefined {
  const cwd = process.cwd();
  const folders = upToRepository(cwd);
  if (folders === undefined && !existsSync(FILE)) return undefined;
  const ignored = (folders ?? [cwd]).flatMap((folder) => readGitignore(folder).split(/\r?\n/).map(plain));
  const missing = LINES.filter((line) => !ignored.includes(plain(line)));
  if (missing.length === 0) return "";
  const text = readGitignore(cwd);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  return (text === "" || text.endsWith("\n") ? "" : newline) + missing.map((line) => line + newline).join("");
}

/** A folder with its parents, up to the root of its repository. */
function upToRepository(folder: string): string[] | undefined {
  if (existsSync(join(folder, ".git"))) return [folder];
  const above = dirname(folder);
  const rest = above === folder ? undefined : upToRepository(above);
  return rest && [folder, ...rest];
}

/** A line without the parts that do not matter for these paths. */
const plain = (line: string): string => line.replace(/^(?:\*\*\/|\/)/, "").replace(/(?:\/\*{0,2})?\s*$/, "");

function readGitignore(folder: string): string {
  const path = join(folder, FILE);
  return existsSync(path) ? readTextFile(path, { name: FILE, code: "invalid_state" }) : "";
}
