import { execFile } from "node:child_process";

/** How a child process ended by itself. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
  /** Both streams, one after the other. */
  output: string;
}

export interface ChildOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** Ends a child that hangs, before the time of its test does: only the child can say why. Work takes a tenth of it. */
const LIMIT_MS = 280_000;

/** How many of a child's last lines a failure shows. */
const LAST_LINES = 20;

/**
 * Runs a program until it exits.
 * @throws if it did not start, was killed, or still ran after the limit; the message has its last lines
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
