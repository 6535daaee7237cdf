import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The built package as npm would install it. Vitest and Jest load a package below node_modules unchanged. If they
 * loaded it through a link to the checkout, they would first transform all of it, which takes longer than the tests.
 */
export const INSTALLED = join(ROOT, "node_modules/.installed/sandglass");

const PARTS = ["package.json", "fixtures", "scenarios", "dist"];
const STAMP = "dist/.sources";

/** Copies the package to its folder, unless this build is already there. */
export function installPackage(): void {
  const there = join(INSTALLED, STAMP);
  if (existsSync(there) && readFileSync(there, "utf8") === readFileSync(join(ROOT, STAMP), "utf8")) return;
  const copy = `${INSTALLED}-${process.pid}`;
  for (const part of PARTS) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  rmSync(INSTALLED, { recursive: true, force: true });
  renameSync(copy, INSTALLED);
}
