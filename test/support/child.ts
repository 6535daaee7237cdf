import { execFile } from "node:child_process";

/** The result of a child process that was not killed. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
  /** The output of both streams, one after the other. */
  output: string;
}

export interface ChildOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/**
 * Stops a child that hangs before its test times out, because only the child's output explains what happened. Normal
 * work takes a tenth of this time.
 */
const LIMIT_MS = 280_000;

/** How many of the child's last lines are included in the error. */
const LAST_LINES = 20;

/**
 * Runs a program until it exits.
 * @throws if the program did not start, was killed, or was still running at the limit; the message contains its last
 * lines
 */
export function runChild(file: string, args: readonly string[], options: ChildOptions = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: LIMIT_MS, killSignal: "SIGKILL", maxBuffer: Number.POSITIVE_INFINITY } as const;
    const child = execFile(file, args, { ...options, ...limits }, (error, stdout, stderr) => {
      const { exitCode, signalCode } = child;
      if (exitCode !== null) return resolve({ code: exitCode, stdout, stderr, output: stdout + stderr });
      const why =
        signalCode === null
          ? error?.message
          : child.killed
            ? `still ran after ${LIMIT_MS / 1_000} s`
            : `was killed by ${signalCode}`;
      reject(new Error(`${file} ${args.join(" ")}: ${why}. Its last lines:\n${lastLines(stdout + stderr)}`));
    });
  });
}

const lastLines = (output: string): string => output.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
