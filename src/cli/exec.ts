import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { resolveConfig } from "../config.ts";
import { SandboxError } from "../errors.ts";
import { loadConfig } from "../load-config.ts";
import type { Served } from "../serve.ts";
import { wallNow } from "../world/clock.ts";
import type { Invocation } from "./commands.ts";
import { environmentOf } from "./env.ts";
import { note } from "./output.ts";
import { applyFlags, readFlags, type StartOptions } from "./start-flags.ts";

interface Options extends StartOptions {
  keep?: string;
}

const KEEP = "sandglass-failed";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `sandglass exec`: a sandbox on a free port for as long as a command runs, which it tells where it is. */
export async function run({ args, options }: Invocation<Options>): Promise<number> {
  const [command, ...rest] = args as [string, ...string[]];
  const now = wallNow();
  const flags = readFlags(options, now);
  const { config, file } = await loadConfig({
    cwd: process.cwd(),
    ...(options.config === undefined ? {} : { file: options.config }),
  });
  const settings = { ...applyFlags(resolveConfig(config, now, file), flags), port: 0 };
  const { serve } = await import("../serve.ts");
  const served = await serve(settings);
  try {
    const env = { ...process.env, ...environmentOf(served.sandbox.status()) };
    const code = await ended(spawn(command, rest, { stdio: "inherit", env }), command);
    if (code !== 0) await keepWorld(served, options.keep ?? KEEP);
    return code;
  } finally {
    await served.close();
  }
}

/** Resolves with the command's exit code, or 128 and the number of the signal that ended it, as shells have it. */
function ended(child: ChildProcess, command: string): Promise<number> {
  // A terminal tells the command of a Ctrl-C itself.
  const passOn = (signal: NodeJS.Signals) => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  return new Promise<number>((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new SandboxError(
          "bad_request",
          `Cannot run ${command}: ${error.code === "ENOENT" ? "there is no such command" : error.message}.`,
          "Write the command after --, for example: sandglass exec -- npm test",
        ),
      ),
    );
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  }).finally(() => {
    for (const signal of SIGNALS) process.off(signal, passOn);
  });
}

/** Keeps the world as a failed command left it, so that one can look at it elsewhere. */
async function keepWorld({ sandbox }: Served, folder: string): Promise<void> {
  const path = join(folder, "world.sandglass");
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, await sandbox.snapshot());
  } catch (error) {
    note(`The world could not be kept in ${path}: ${(error as Error).message}`);
    return;
  }
  note(`The world is kept in ${path}. Look at it: sandglass snapshot restore --file ${path}`);
}
