import { flushCompileCache } from "node:module";
import { resolveConfig, type Settings } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { portTaken, SandboxError } from "../../errors/errors.ts";
import { recordRunning } from "../../runtime/running-here.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Served } from "../../server/serve.ts";
import { wallNow } from "../../world/clock.ts";
import { iso } from "../../world/duration.ts";
import type { Invocation } from "../command.ts";
import { handsome, note, paint, print, printJson } from "../output.ts";
import { urlAt } from "../ports.ts";
import { sandboxAt } from "../server.ts";
import { stopRequested } from "../stop.ts";
import { createConsoleLog } from "./console-log.ts";
import { applyFlags, readFlags, type StartFlags, type StartOptions } from "./flags.ts";
import { readyLines } from "./lines.ts";
import { noteUnopened } from "./unopened.ts";

/** `sandglass start`: serves until stopped. A clean stop has exit code 0. */
export async function run({ options }: Invocation<StartOptions>): Promise<number> {
  const stopped = stopRequested({ orOutputEnds: true });
  const now = wallNow();
  const flags = readFlags(options);
  // Load the server's code while a TypeScript configuration is being read.
  const loading = import("../../server/serve.ts");
  loading.catch(() => "it is thrown below, where it is awaited");
  const { config, file } = await loadConfig(options.config);
  const settings = applyFlags(resolveConfig(config, now, file, flags), flags);
  const { serve } = await loading;
  const log = options.json || options.quiet ? undefined : createConsoleLog();
  const served = await serve(settings, { observer: log }).catch(async (error: unknown) => {
    throw await explainTakenPort(error, settings);
  });

  await keepToFlags(served.sandbox, flags);
  // Start watching before printing the ready line: users may change the fixtures as soon as they see it.
  const unfollowFixtures =
    settings.from && (await import("./follow-fixtures.ts")).followFixtures(settings.from.path);
  const unrecord = recordRunning({
    url: served.sandbox.ownUrl(),
    configured: options.port === undefined,
    ca: settings.https?.ca,
  });
  announce(served, settings, file, options);
  log?.begin();
  noteUnopened(served);
  // Write the compile cache now rather than at exit, because servers are often killed.
  setImmediate(flushCompileCache);
  if (options.open) (await import("./open-page.ts")).openPage(served.url);

  await stopped;
  unrecord();
  unfollowFixtures?.();
  await served.close();
  if (handsome && !options.json && !options.quiet) print(paint.dim("Stopped."));
  return 0;
}

function announce(
  { url, shareLink: link, sandbox }: Served,
  settings: Settings,
  file: string | undefined,
  options: StartOptions,
) {
  if (options.json) {
    const status = sandbox.status();
    return printJson(link === null ? status : { ...status, share: { ...status.share, link } });
  }
  if (options.quiet) {
    print(url);
    if (link !== null) print(link);
    return;
  }
  for (const line of readyLines({ url, link, sandbox, settings, file })) print(line);
}

/**
 * A world in a data folder has its own seed, start time and clock. Flags set the clock; a note reports a seed or start
 * time that has no effect.
 */
async function keepToFlags(sandbox: Sandbox, flags: StartFlags): Promise<void> {
  if (sandbox.settings.dataDir === undefined) return;
  const { clock, seed } = sandbox.status();
  const { startAt } = sandbox.world.origin();
  const { mode, rate } = flags;
  if ((mode !== undefined && mode !== clock.mode) || (rate !== undefined && rate !== clock.rate))
    await sandbox.clock.set({ ...(mode && { mode }), ...(rate !== undefined && { rate }) });
  const folder = sandbox.settings.dataDir;
  const without = (option: string, why: string) =>
    note(`${option} has no effect: the world in ${folder} ${why}. Remove the folder to start over.`);
  if (flags.from !== undefined && sandbox.wentOn) without("--from", "keeps its data");
  if (flags.seed !== undefined && flags.seed !== seed) without("--seed", `was made from '${seed}'`);
  if (flags.startAt !== undefined && flags.startAt !== startAt)
    without("--start-at", `began at ${iso(startAt)}`);
}

/** Explains the error if another Sandglass already uses the port. */
async function explainTakenPort(error: unknown, { host, https }: Settings): Promise<unknown> {
  const taken = error instanceof SandboxError && /^Port (\d+) is taken/.exec(error.message)?.[1];
  if (!taken) return error;
  const other = await sandboxAt(urlAt({ port: Number(taken), host, https }));
  if (!other) return error;
  const message = `Port ${taken} is taken by another Sandglass, version ${other.version}.`;
  return portTaken(message, error.hintFor("command"));
}
