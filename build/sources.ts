import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** Folders that the build reads. */
const FOLDERS = ["build", "fixtures", "scenarios", "src", "ui"];
/** Files of other folders that it reads: the page has a text in it. */
const SINGLE_FILES = ["docs/demo.md"];
const ROOT_FILES = /^(?:build\.ts|biome\.json|package(?:-lock)?\.json|tsconfig.*\.json)$/;

/** Whether the build is made again when a file changes. @param path from the root, with slashes */
export const isSource = (path: string): boolean =>
  FOLDERS.includes(path.split("/")[0]!) || SINGLE_FILES.includes(path) || ROOT_FILES.test(path);
/** Where the build says what it was made from. The package leaves it out. */
export const STAMP = join(ROOT, "dist/.sources");

/** Names the content of everything that the build reads. */
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
    // A file's end must not be taken for the beginning of the next.
    const content = createHash("sha256")
      .update(readFileSync(join(ROOT, name)))
      .digest("hex");
    hash.update(`${name}\n${content}\n`);
  }
  return hash.digest("hex");
}

/** What `dist` was built from; undefined without a complete build. */
export function builtFrom(): string | undefined {
  try {
    return readFileSync(STAMP, "utf8");
  } catch {
    return undefined;
  }
}
