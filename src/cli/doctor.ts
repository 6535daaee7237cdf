import type { Settings } from "../config/config.ts";
import type { Invocation } from "./command.ts";
import {
  type Check,
  checkChosenServer,
  checkClock,
  checkConfig,
  checkDataDir,
  checkNode,
  checkPort,
  checkRunning,
  checkSqlite,
} from "./doctor-checks.ts";
import { columns, paint, print, printable, printJson } from "./output.ts";

/** Something is wrong here. */
const PROBLEM = 1;

/** `sandglass doctor`: looks at all that a sandbox needs here; a line for each, with the remedy. */
export async function run({ options }: Invocation<{ config?: string; json?: boolean }>): Promise<number> {
  const checks: Check[] = [checkNode(process.versions.node), checkSqlite()];
  const config = await checkConfig(options.config, process.cwd());
  checks.push(config.check);
  if (config.settings) checks.push(...(await checkPlace(config.settings)));
  else if (config.check.state === "ok") checks.push(...(await checkHere()));
  const chosen = await checkChosenServer(process.env.SANDGLASS_URL);
  if (chosen) checks.push(chosen);

  const well = checks.every(({ state }) => state !== "problem");
  if (options.json) printJson({ ok: well, checks });
  else for (const line of lines(checks)) print(line);
  return well ? 0 : PROBLEM;
}

async function checkPlace(settings: Settings): Promise<Check[]> {
  const { check, status } = await checkPort(settings);
  return [check, checkDataDir(settings.dataDir), checkClock(settings.clock, status)];
}

async function checkHere(): Promise<Check[]> {
  const { check, status } = await checkRunning();
  return status ? [check, checkClock(status.clock, status)] : [check];
}

function lines(checks: Check[]): string[] {
  const colors = { ok: paint.green, warn: paint.yellow, problem: paint.red };
  const shown = columns(
    checks.map(({ state, name, message }) => [
      { text: state, color: colors[state] },
      name,
      message.split("\n")[0]!,
    ]),
  );
  const indent = " ".repeat(Math.max(...checks.map(({ state }) => state.length)) + 2);
  return checks.flatMap(({ message, remedy }, index) => [
    shown[index]!,
    ...message
      .split("\n")
      .slice(1)
      .map((line) => indent + printable(line)),
    ...(remedy === undefined ? [] : [paint.dim(indent + remedy)]),
  ]);
}
