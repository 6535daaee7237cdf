import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Relative imports: `from "./x"`, `import "./x"`, `import("./x")`, `require("./x")`. */
const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"']+|file:[^"']+)["']/g;
/** Endings that an import for tsx may omit, or that replace TypeScript's. */
const ENDINGS = [".ts", ".mts", ".tsx", ".js", ".mjs", ".json"];
const MODULE = /\.[cm]?[jt]sx?$/;

/** A file with all user files that it imports, according to its source. */
export function importedFiles(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  if (!MODULE.test(path) || !isFile(path)) return seen;
  for (const [, specifier] of readFileSync(path, "utf8").matchAll(IMPORT)) {
    const target = specifier!.startsWith("file:")
      ? fileURLToPath(specifier!)
      : resolve(dirname(path), specifier!);
    const found = fileOf(target);
    // A missing file is watched, too: the scenario runs again once it exists.
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
