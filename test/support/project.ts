import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { BUILT_CLI, startBuilt } from "./built.ts";
import { type Ended, runChild } from "./child.ts";
import { ROOT } from "./docs.ts";
import { INSTALLED } from "./installed.ts";
import { portOfItsOwn } from "./ports.ts";

/**
 * A folder in which `npx sandglass` is the built command line.
 * @param packages what can be imported there as well
 */
export function projectFolder(...packages: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(BUILT_CLI, join(folder, "node_modules/.bin/sandglass"));
  for (const name of packages)
    symlinkSync(
      name === "sandglass" ? INSTALLED : join(ROOT, "node_modules", name),
      join(folder, "node_modules", name),
    );
  return folder;
}

/** Runs lines of a page in a shell, in a folder of a project, as a reader would paste them. */
export async function runShell(
  script: string,
  { url, folder = projectFolder() }: { url: string; folder?: string },
): Promise<Ended> {
  const port = await portOfItsOwn();
  return runChild("bash", ["-eu", "-c", script.replaceAll(/\b3000\b/g, String(port))], {
    cwd: folder,
    env: { ...process.env, SANDGLASS_URL: url, NO_COLOR: "1" },
  });
}

/** Starts a sandbox for a page, as `npm start` does, on a free port. */
export const startForPage = (...args: string[]): Promise<string> => startBuilt(["--port", "0", ...args]);
