import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { inject, onTestFinished } from "vitest";

// A test of the build is right only about the sources that it was made from.
if (!inject("distIsCurrent"))
  throw new Error("dist/ is older than its sources, or missing. Run: npm run build");

/** The built command line; `npm test` builds it first. */
export const BUILT_CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/**
 * Starts the built CLI's server in a process of its own, away from any config file.
 * @param ending how the end of who asked is heard of; of the test, if nothing else is said
 */
export async function startBuiltProcess(
  args: string[],
  { cwd = tmpdir(), ending = onTestFinished }: { cwd?: string; ending?: (end: () => void) => void } = {},
): Promise<{ url: string; process: ChildProcess; ended: Promise<void> }> {
  const server = spawn(process.execPath, [BUILT_CLI, "start", "--json", ...args], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => void server.once("exit", () => resolve()));
  ending(() => void server.kill("SIGKILL"));
  const line = await new Promise<string>((resolve, reject) => {
    server.stdout.once("data", (data: Buffer) => resolve(data.toString()));
    server.once("exit", (code) => reject(new Error(`The server ended with code ${code}.`)));
  });
  return { url: (JSON.parse(line) as { url: string }).url, process: server, ended };
}

export async function startBuilt(args: string[]): Promise<string> {
  return (await startBuiltProcess(args)).url;
}
