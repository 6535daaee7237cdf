import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import type { Status } from "../client/http.ts";
import { resolveConfig, type Settings } from "../config/config.ts";
import { CONFIG_FILES, findConfig, loadConfig } from "../config/load-config.ts";
import { SandboxError } from "../errors/errors.ts";
import { isFree, nextFree } from "../runtime/free-port.ts";
import { runningSandboxes } from "../runtime/running-here.ts";
import { readAddress } from "../runtime/share-link.ts";
import { isSupportedNode, OLDEST_NODE } from "../runtime/supported-node.ts";
import { instant } from "../timeline/instant.ts";
import { wallNow } from "../world/clock.ts";
import { loadSqlite } from "../world/sqlite.ts";
import { pace } from "./output.ts";
import { urlAt } from "./ports.ts";
import { chosenSandbox, sandboxAt } from "./server.ts";

/** One thing that was looked at. */
export interface Check {
  name: string;
  state: "ok" | "warn" | "problem";
  message: string;
  /** What to do about it. */
  remedy?: string;
}

export function checkNode(version: string): Check {
  return isSupportedNode(version)
    ? { name: "node", state: "ok", message: `${version}, and ${OLDEST_NODE} or later is needed` }
    : {
        name: "node",
        state: "problem",
        message: `${version} is too old`,
        remedy: `Install Node ${OLDEST_NODE} or later: https://nodejs.org`,
      };
}

/** Opens a database in memory: the native part is loaded only then. */
export function checkSqlite(): Check {
  const name = "better-sqlite3";
  try {
    const db = new (loadSqlite())(":memory:");
    const { version } = db.prepare("select sqlite_version() as version").get() as { version: string };
    db.close();
    return { name, state: "ok", message: `loads, with SQLite ${version}` };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { name, state: "problem", message: error.message, remedy: error.hintFor("command") };
  }
}

export async function checkConfig(
  file: string | undefined,
  cwd: string,
): Promise<{ check: Check; settings?: Settings }> {
  const name = "config";
  try {
    const code = file === undefined ? findConfig(cwd) : undefined;
    if (code !== undefined && !code.endsWith(".json")) {
      const found = basename(code);
      const message = `${found} is code, and was not run`;
      return {
        check: { name, state: "ok", message, remedy: `Check it: npx sandglass doctor --config ${found}` },
      };
    }
    const loaded = await loadConfig({ cwd, ...(file === undefined ? {} : { file }) });
    const settings = resolveConfig(loaded.config, wallNow(), loaded.file);
    if (loaded.file === undefined)
      return { settings, check: { name, state: "ok", message: "no config file here; the defaults hold" } };
    const unread = CONFIG_FILES.filter((other) => other !== loaded.file && existsSync(resolve(cwd, other)));
    if (unread.length === 0 || file !== undefined)
      return { settings, check: { name, state: "ok", message: `${loaded.file} is fine` } };
    return {
      settings,
      check: {
        name,
        state: "warn",
        message: `${loaded.file} is read, and ${unread.join(", ")} is not`,
        remedy: "Keep one of them.",
      },
    };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { check: { name, state: "problem", message: error.message, remedy: error.hintFor("command") } };
  }
}

/** A port is fine when it is free, or when a sandbox of this version has it. */
export async function checkPort({ port, host, https }: Settings): Promise<{ check: Check; status?: Status }> {
  const name = "port";
  if (port === 0) return { check: { name, state: "ok", message: "any free one" } };
  if (await isFree(port, host)) return { check: { name, state: "ok", message: `${port} is free` } };
  const status = await sandboxAt(urlAt({ port, host, https }));
  if (!status) {
    const free = await nextFree(port, host);
    return {
      check: {
        name,
        state: "problem",
        message: `${port} is taken by another program`,
        remedy: `Use --port ${free ?? 0}${free === undefined ? ", for any free one" : ", which is free"}.`,
      },
    };
  }
  return { status, check: runningCheck(name, `${port} has`, status) };
}

/** The sandbox that runs in this folder, where its configuration is code, so that the port is not known. */
export async function checkRunning(): Promise<{ check: Check; status?: Status }> {
  const name = "sandbox";
  const [here] = runningSandboxes().filter(({ folder }) => folder === process.cwd());
  const status = here && (await sandboxAt(here.url));
  return status
    ? { status, check: runningCheck(name, `${here.url} has`, status) }
    : { check: { name, state: "ok", message: "none runs in this folder" } };
}

function runningCheck(name: string, where: string, { version }: Status): Check {
  const message = `${where} a running Sandglass ${version}`;
  if (version === packageJson.version) return { name, state: "ok", message };
  return {
    name,
    state: "warn",
    message: `${message}, and this is ${packageJson.version}`,
    remedy: "Stop it and start it with this version.",
  };
}

/** Where the other commands look, when the environment says so. */
export async function checkChosenServer(url: string | undefined): Promise<Check | undefined> {
  if (!url) return undefined;
  const name = "SANDGLASS_URL";
  try {
    const { version } = await (await chosenSandbox({})).status();
    return { name, state: "ok", message: `${readAddress(url).url} answers, version ${version}` };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return {
      name,
      state: "problem",
      message: error.message,
      remedy: "Start it there, or unset SANDGLASS_URL.",
    };
  }
}

/** Whether the folder, or the nearest one above it that exists, can be written. */
export function checkDataDir(folder: string | undefined): Check {
  const name = "data";
  if (folder === undefined) return { name, state: "ok", message: "in memory; --data-dir keeps it" };
  let nearest = resolve(folder);
  while (!existsSync(nearest)) nearest = dirname(nearest);
  try {
    if (!statSync(nearest).isDirectory()) throw new Error(`${nearest} is not a folder`);
    accessSync(nearest, constants.W_OK);
    return { name, state: "ok", message: `${folder} can be written` };
  } catch (error) {
    return {
      name,
      state: "problem",
      message: `${folder} cannot be written: ${(error as Error).message}`,
      remedy: "Name another folder in dataDir or with --data-dir.",
    };
  }
}

/** A clock that stands still is the usual reason why no retry comes. */
export function checkClock(clock: Settings["clock"], status: Status | undefined): Check {
  const name = "clock";
  const shown = status?.clock ?? clock;
  const message = status
    ? `${pace(shown)}, at ${instant(status.clock.now)} UTC`
    : `will start ${pace(shown)}`;
  if (shown.mode !== "paused") return { name, state: "ok", message };
  return {
    name,
    state: "warn",
    message: `${message}: retries and expiries wait until you advance it`,
    remedy: "Move it: npx sandglass advance 1h",
  };
}
