import { type ChildProcess, fork } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { BUILT_CLI } from "./built.ts";
import { type CliOptions, environment, type Finished } from "./cli.ts";

const PROGRAM = fileURLToPath(new URL("warm-process.mjs", import.meta.url));

let warm: ChildProcess | undefined;
/** The end of the last command. */
let last: Promise<unknown> = Promise.resolve();

/** What a command is run with. One with `keep` belongs to no test, as in `beforeAll`. */
type WarmOptions = Pick<CliOptions, "cwd" | "env" | "keep">;
type Ended = Omit<Finished, "signal">;

/**
 * Runs a command to its end, as the build made it, in a process that all such commands of a test worker share. It has
 * loaded the code for the command before, so that a command takes a third of the time. Commands run one after another, and
 * the user's modules that one has loaded stay loaded for the next.
 */
export function runWarmCli(args: string[], options: WarmOptions = {}): Promise<Ended> {
  let isOver = false;
  const running = last.then(() => run(args, options)).finally(() => (isOver = true));
  last = running.catch(() => undefined);
  // When the test runs out of time, the command still runs, and the next one needs a process that is free.
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

/** An idle one does not keep its worker. */
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
