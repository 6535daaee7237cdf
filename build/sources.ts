import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** The folders that the build reads. */
const FOLDERS = ["build", "fixtures", "scenarios", "src", "ui"];
/** Single files in other folders that the build reads. The page includes text from this one. */
const SINGLE_FILES = ["docs/demo.md"];
const ROOT_FILES = /^(?:build\.ts|biome\.json|package(?:-lock)?\.json|tsconfig.*\.json)$/;

/** Whether a change to a file requires a new build. @param path the path from the root, with forward slashes */
export const isSource = (path: string): boolean =>
  FOLDERS.includes(path.split("/")[0]!) || SINGLE_FILES.includes(path) || ROOT_FILES.test(path);
/** The file that records which sources the build was made from. It is not part of the package. */
export const STAMP = join(ROOT, "dist/.sources");

/** A hash of the contents of everything that the build reads. */
export function sourcesHash(): string {
  const hash = createHash("sha256").update(process.version);
  const names = [
    ...readdirSync(ROOT).filter((name) => ROOT_FILES.test(name)),
    ...SINGLE_FILES,
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        join(folder, name),
      ),
    ),
  ];
  for (const name of names.sort()) {
    if (statSync(join(ROOT, name)).isDirectory()) continue;
    // Separate the files, so the end of one cannot be mistaken for the start of the next.
    const content = createHash("sha256")
      .update(readFileSync(join(ROOT, name)))
      .digest("hex");
    hash.update(`${name}\n${content}\n`);
  }
  return hash.digest("hex");
}

/** The hash of the sources that `dist` was built from; undefined if there is no complete build. */
export function builtFrom(): string | undefined {
  try {
    return readFileSync(STAMP, "utf8");
  } catch {
    return undefined;
  }
}
