import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { BUILT_CLI, startBuilt } from "./built.ts";
import { type Ended, runChild } from "./child.ts";
import { folderOf } from "./cli.ts";
import { ROOT } from "./docs.ts";
import { INSTALLED } from "./installed.ts";
import { portOfItsOwn } from "./ports.ts";

/**
 * Creates a folder in which `npx sandglass` runs the built command line.
 * @param packages other packages that can be imported there
 */
export function projectFolder(...packages: string[]): string {
  const folder = folderOf();
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(BUILT_CLI, join(folder, "node_modules/.bin/sandglass"));
  for (const name of packages)
    symlinkSync(
      name === "sandglass" ? INSTALLED : join(ROOT, "node_modules", name),
      join(folder, "node_modules", name),
    );
  return folder;
}

/** Runs lines from a page in a shell, in the folder of a project, as a reader would paste them. */
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

/** Starts a sandbox for a page on a free port, as `npm start` does. */
export const startForPage = (...args: string[]): Promise<string> => startBuilt(["--port", "0", ...args]);
