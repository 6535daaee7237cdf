import { type ChildProcess, fork } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { BUILT_CLI } from "./built.ts";
import { type CliOptions, environment, type Finished } from "./cli.ts";

const PROGRAM = fileURLToPath(new URL("warm-process.mjs", import.meta.url));

let warm: ChildProcess | undefined;
/** Resolves when the most recent command has ended. */
let last: Promise<unknown> = Promise.resolve();

/** The options of a command. With `keep`, a command is not tied to a particular test, for example in `beforeAll`. */
type WarmOptions = Pick<CliOptions, "cwd" | "env" | "keep">;
type Ended = Omit<Finished, "signal">;

/**
 * Runs a built command until it ends, in a process that all such commands of a test worker share. The process has
 * already loaded the code, so a command takes a third of the time. Commands run one after another, and a user's modules
 * that one of them has loaded stay loaded for the next.
 */
export function runWarmCli(args: string[], options: WarmOptions = {}): Promise<Ended> {
  let isOver = false;
  const running = last.then(() => run(args, options)).finally(() => (isOver = true));
  last = running.catch(() => undefined);
  // If the test times out, the command is still running, and the next one needs a free process.
  if (!options.keep) onTestFinished(() => void (isOver || warm?.kill("SIGKILL")));
  return running;
}

function run(args: string[], options: WarmOptions): Promise<Ended> {
  warm ??= start();
  const host = warm;
  return new Promise((resolve, reject) => {
    const died = () => reject(new Error(`sandglass ${args.join(" ")} ended the process that it shares.`));
    host.once("exit", died);
    host.once("message", (ended: Ended) => {
      host.off("exit", died);
      setBusy(host, false);
      resolve(ended);
    });
    setBusy(host, true);
    host.send({ cli: BUILT_CLI, args, cwd: options.cwd ?? tmpdir(), env: environment(options) });
  });
}

/** While the process is idle, it must not keep its worker alive. */
function setBusy(host: ChildProcess, isBusy: boolean): void {
  for (const one of [host, host.channel]) one?.[isBusy ? "ref" : "unref"]();
}

function start(): ChildProcess {
  const child = fork(PROGRAM, { execArgv: [] });
  child.once("exit", () => {
    if (warm === child) warm = undefined;
  });
  return child;
}
