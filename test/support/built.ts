import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

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
    server.once("exit", (code) =>
      reject(new Error(`The server ended with code ${code}; was it built with npm run build?`)),
    );
  });
  return { url: (JSON.parse(line) as { url: string }).url, process: server, ended };
}

export async function startBuilt(args: string[]): Promise<string> {
  return (await startBuiltProcess(args)).url;
}
