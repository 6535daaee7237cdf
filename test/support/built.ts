import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { inject, onTestFinished } from "vitest";
import { type CliOptions, environment, type Finished, PATIENCE_MS } from "./cli.ts";

// Tests of the build are only valid for the sources that it was made from.
if (!inject("distIsCurrent"))
  throw new Error("dist/ is older than its sources, or missing. Run: npm run build");

/** The built command line. `npm test` builds it before running the tests. */
export const BUILT_CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/**
 * Starts the server of the built CLI in a separate process, in a folder without a config file.
 * @param ending registers a function to call at the end; the default is the end of the test
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

export type RunningCli = ReturnType<typeof startCli>;

/** Starts the built `sandglass` in a separate process, and kills it when the test ends. */
export function startCli(args: string[], options: CliOptions = {}) {
  const { cwd = tmpdir(), keep = false, stdout } = options;
  const file = stdout === undefined ? undefined : openSync(stdout, "w");
  const child = spawn(process.execPath, [BUILT_CLI, ...args], {
    cwd,
    env: environment(options),
    stdio: ["ignore", file ?? "pipe", "pipe"],
  });
  if (file !== undefined) closeSync(file);
  const output = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      for (const watch of watchers) watch();
    });
  const ended = new Promise<Finished>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal, ...output })),
  );
  if (!keep) onTestFinished(() => void child.kill("SIGKILL"));

  return {
    output,
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Closes the reading end of the program's output, as `head` does. */
    closeOutput: () => void child.stdout?.destroy(),

    /** Resolves with the first match in the output so far or in later output, on either stream. */
    saw(pattern: RegExp): Promise<RegExpExecArray> {
      return new Promise((resolve, reject) => {
        const fail = (why: string) =>
          reject(new Error(`${why} before ${pattern}: ${output.stdout}${output.stderr}`));
        const timer = setTimeout(() => fail("Waited too long"), PATIENCE_MS);
        const watch = () => {
          const found = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
          if (!found) return;
          watchers.delete(watch);
          clearTimeout(timer);
          resolve(found);
        };
        watchers.add(watch);
        watch();
        void ended.then(() => {
          clearTimeout(timer);
          fail("It ended");
        });
      });
    },
  };
}

/** Runs a built command in a separate process until it exits. */
export function runBuiltCli(args: string[], options: CliOptions = {}): Promise<Finished> {
  return startCli(args, options).ended;
}

/** Starts `sandglass start --json` on a free port. Resolves when it is ready. */
export async function serveCli(args: string[] = [], options: CliOptions = {}) {
  const cli = startCli(["start", "--port", "0", "--json", ...args], options);
  const [line] = await cli.saw(/^\{.*\}$/m);
  const status = JSON.parse(line) as { url: string; seed: string; clock: { mode: string; now: string } };
  return { cli, status, url: status.url };
}
