import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { listenForTest } from "./listen.ts";
import type { Json } from "./sandbox.ts";

/**
 * A time limit that is long enough for a slow machine. A test that waits for something that never happens fails after
 * this time.
 */
export const PATIENCE_MS = 120_000;

/** The signals that a command may handle. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The folder in which sandboxes record that they are running. It is new, because an earlier process with the same id
 * may have left records.
 */
const STATE = mkdtempSync(join(tmpdir(), "sandglass-state-"));
process.once("exit", () => rmSync(STATE, { recursive: true, force: true }));

export interface CliOptions {
  /** The working directory; by default, a folder without a config file. */
  cwd?: string;
  env?: Record<string, string>;
  /** A file to which the output is written. */
  stdout?: string;
  /** Whether it keeps running after the test ends. The test must then stop it. */
  keep?: boolean;
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Resolves when the last command that was started in this process has ended. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command from source in this process until it ends, which takes a twentieth of the time that a separate process
 * would take. Use it for commands that end on their own; `built-commands.test.ts` covers what the build adds. Commands
 * run one after another, because the environment, the folder and the output belong to the whole process.
 */
export function runCli(
  args: string[],
  options: Pick<CliOptions, "cwd" | "env"> = {},
): Promise<Omit<Finished, "signal">> {
  const running = last.then(() => runHere(args, options));
  last = running.catch(() => undefined);
  return running;
}

async function runHere(args: string[], options: Pick<CliOptions, "cwd" | "env">) {
  const { runCommandLine } = await import("../../src/cli/program.ts");
  const output = { stdout: "", stderr: "" };
  const { env, stdout, stderr } = process;
  const write = { stdout: stdout.write, stderr: stderr.write };
  const folder = process.cwd();
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = (text: string | Uint8Array) => {
      output[name] += text;
      return true;
    };
  process.env = environment(options);
  process.chdir(options.cwd ?? tmpdir());
  const listeners = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const limit = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await new Promise<Omit<Finished, "signal">>((resolve, reject) => {
      limit.addEventListener("abort", () =>
        reject(
          new Error(
            `sandglass ${args.join(" ")} still runs after ${PATIENCE_MS} ms, and printed: ${output.stdout}${output.stderr}\nA command that waits needs runBuiltCli or startCli.`,
          ),
        ),
      );
      runCommandLine(args).then((code) => resolve({ code, ...output }), reject);
    });
  } finally {
    // A process normally exits after its command. This process continues, so remove the command's signal handlers.
    for (const [signal, before] of listeners)
      for (const listener of process.listeners(signal))
        if (!before.includes(listener)) process.off(signal, listener);
    process.chdir(folder);
    process.env = env;
    stdout.write = write.stdout;
    stderr.write = write.stderr;
  }
}

/**
 * The environment of a command. If the command uses the shared default folder, this hides the records of running
 * sandboxes, because the command would find other tests' sandboxes.
 */
export function environment({ cwd, env = {} }: CliOptions): NodeJS.ProcessEnv {
  const {
    SANDGLASS_URL: _url,
    SANDGLASS_API_KEY: _key,
    SANDGLASS_TOKEN: _token,
    NO_COLOR: _color,
    ...inherited
  } = process.env;
  return { ...inherited, XDG_STATE_HOME: cwd === undefined ? "/dev/null" : STATE, ...env };
}

/** Runs a command against the given sandbox. */
export function runAt(sandbox: { url: string }, ...args: string[]): ReturnType<typeof runCli> {
  return runCli(args, { env: { SANDGLASS_URL: sandbox.url } });
}

/**
 * The JSON that a command against the given sandbox prints with `--json`. The command must succeed and print no errors.
 */
export async function readJsonAt(sandbox: { url: string }, ...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await runAt(sandbox, ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** Creates a folder with these files, which is removed after the test. */
export function folderOf(files: Record<string, string> = {}, below = tmpdir()): string {
  const folder = mkdtempSync(join(below, "sandglass-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

/** Writes a configuration that is removed after the test. Returns the arguments that select it. */
export const configured = (subject: object, more: object = {}): string[] => [
  "--config",
  join(folderOf({ "sandbox.config.json": JSON.stringify({ ...more, subject }) }), "sandbox.config.json"),
];

/** Expects exit code 2, one line that says what is wrong, and one line that says what to do. */
export function expectMisuse({ code, stdout, stderr }: Omit<Finished, "signal">, message: RegExp): void {
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  const [first, hint, ...rest] = stderr.trimEnd().split("\n");
  expect(first).toMatch(message);
  expect(first).toMatch(/^sandglass: /);
  expect(hint).toMatch(/^ {2}\S/);
  expect(rest).toEqual([]);
}

/** Starts a server that is not Sandglass. It sends the same response to every request. */
export async function startStranger() {
  const stranger = createServer((_request, response) => response.end('{"hello": "world"}'));
  const port = await listenForTest(stranger);
  return { port, url: `http://127.0.0.1:${port}` };
}
