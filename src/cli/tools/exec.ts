import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { resolveConfig, type Settings } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { KEEP, keepFailed } from "../../entries/keep.ts";
import { misuse, SandboxError } from "../../errors/errors.ts";
import type { SandglassConfig } from "../../library/config.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { createCatalog, type KnownScenario } from "../../scenarios/catalog.ts";
import { settingsFor } from "../../scenarios/settings.ts";
import type { Route } from "../../server/route.ts";
import { ROUTES, type RouteName } from "../../server/route-names.ts";
import { wallNow } from "../../world/clock.ts";
import type { Invocation } from "../command.ts";
import { settingsKnowing } from "../named-values.ts";
import { note, paint } from "../output.ts";
import { checkFolder } from "../report-files.ts";
import { applyFlags, readFlags, type StartOptions } from "../start/flags.ts";
import { noteUnopened } from "../start/unopened.ts";
import { readParamFlags } from "../trial/run-flags.ts";
import { environmentOf } from "../world/env.ts";

interface ExecOptions extends StartOptions {
  keep?: string;
  known?: string[];
  route?: string;
  scenario?: string;
  param?: string[];
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `sandglass exec`: runs a command with a sandbox on a free port, whose URL is in the command's environment. */
export async function run({ args, options }: Invocation<ExecOptions>): Promise<number> {
  const [command, ...rest] = args as [string, ...string[]];
  const params = readParamFlags(options.param ?? []);
  if (options.scenario === undefined && options.param !== undefined)
    throw misuse(
      "--param needs --scenario: only a scenario has parameters.",
      "For example: npx sandglass exec --scenario retry-and-recover --param failures=1 -- npm test",
    );
  const route = readRoute(options.route);
  if (options.keep !== undefined) checkFolder("--keep", options.keep);
  const now = wallNow();
  const flags = readFlags(options);
  const { config, file } = await loadConfig(options.config);
  // Only the command uses this sandbox, so it is not shared with other machines.
  const configured = settingsKnowing(resolveConfig(unshared(config), now, file, flags), options.known);
  const scenario =
    options.scenario === undefined ? undefined : await findScenario(options.scenario, configured);
  const { serve } = await import("../../server/serve.ts");
  const settings = applyFlags(
    { ...configured, ...(scenario ? settingsFor(scenario, configured, null) : {}) },
    flags,
  );
  // A scenario runs with a paused clock, so its result is the same on every machine.
  const clock = scenario ? { mode: "paused" as const, rate: 1 } : settings.clock;
  const served = await serve({ ...settings, clock, port: 0 });
  const { sandbox } = served;
  noteUnopened(served);
  const begun = sandbox.journal.lastSeq();
  const keep = (title: string) => keepWorld(sandbox, options.keep ?? KEEP, title, begun);
  let opened: Route | undefined;
  try {
    if (scenario) {
      const report = await (await served.scenarios()).playIn(sandbox, scenario, params);
      if (report.status === "failed") {
        const { scenarioLines } = await import("../../reports/terminal.ts");
        for (const line of scenarioLines(report, { paint })) process.stderr.write(`${line}\n`);
        await keep(`sandglass exec --scenario ${scenario.name}`);
        return 1;
      }
      await sandbox.clock.set(settings.clock);
    }
    const env = { ...process.env, ...environmentOf(sandbox.status(), { ...served, ca: settings.https?.ca }) };
    const { mailEnv } = settings.subject;
    if (
      mailEnv.length > 0 ||
      (route !== undefined && (route === "services" || settings.senders.length > 0))
    ) {
      const { openRoute } = await import("../../server/route.ts");
      opened = await openRoute(served, { route, mailEnv, env });
    }
    const code = await runToItsEnd(command, rest, { ...env, ...opened?.env });
    if (code !== 0) await keep(`${args.join(" ")} exited with code ${code}`);
    return code;
  } finally {
    await opened?.close();
    await served.close();
  }
}

/** @throws SandboxError `bad_request` */
function readRoute(text = "senders"): RouteName | undefined {
  if (text === "none") return undefined;
  const route = ROUTES.find((name) => name === text);
  if (route) return route;
  throw misuse(
    `--route must be ${ROUTES.join(", ")} or none, not '${text}'.`,
    "For example: --route services",
  );
}

/**
 * The configuration without the fields that share the sandbox with other machines. An invalid configuration is returned
 * unchanged.
 */
const unshared = (config: SandglassConfig): SandglassConfig =>
  config?.share === true ? { ...config, share: false } : config;

async function findScenario(name: string, settings: Settings): Promise<KnownScenario> {
  const cwd = process.cwd();
  const catalog = createCatalog({ cwd, folder: resolve(cwd, settings.scenarios) });
  const { scenarios: found, problems } = await catalog.find([name]);
  const [problem] = problems;
  if (problem) throw new SandboxError("invalid_scenario", problem.message, problem.hint);
  if (found.length === 1) return found[0]!;
  throw misuse(`--scenario takes one scenario, but ${name} has ${found.length}.`, "Choose one of them.");
}

/** Resolves with the command's exit code or, as in shells, 128 plus the number of the signal that ended it. */
function runToItsEnd(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // The terminal sends Ctrl-C to the command as well.
  const passOn = (signal: NodeJS.Signals) => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  // Do this before the command starts: an early signal must not kill only this process.
  for (const signal of SIGNALS) process.on(signal, passOn);
  const child = spawn(command, args, { stdio: "inherit", env });
  return new Promise<number>((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        misuse(
          `Cannot run ${command}: ${error.code === "ENOENT" ? "there is no such command" : error.message}.`,
          "Write the command after --, for example: npx sandglass exec -- npm test",
        ),
      ),
    );
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  }).finally(() => {
    for (const signal of SIGNALS) process.off(signal, passOn);
  });
}

/**
 * Saves the world of a failed command, together with a page that shows what happened.
 * @param after the seq of the journal entry after which the page starts
 */
async function keepWorld(sandbox: Sandbox, folder: string, title: string, after: number): Promise<void> {
  const { worldPage } = await import("../../scenarios/world-page.ts");
  const files = { world: join(folder, "world.sandglass"), page: join(folder, "timeline.html") };
  const content = {
    world: () => sandbox.snapshot(),
    page: async () => worldPage(sandbox, { title, after }),
  };
  note(await keepFailed(files, content));
}
