import { basename } from "node:path";
import type { Status } from "../../client/http.ts";
import { findConfig, loadConfig } from "../../config/load-config.ts";
import { SandboxError, unreachable } from "../../errors/errors.ts";
import { reasonOf } from "../../errors/file-error.ts";
import { OLDEST_NODE } from "../../runtime/supported-node.ts";
import { instant } from "../../timeline/instant.ts";
import { count } from "../../timeline/text.ts";
import { wallNow } from "../../world/clock.ts";
import type { Invocation } from "../command.ts";
import { fields, pace, paint, print, printJson } from "../output.ts";
import { tryToWriteIn } from "../report-files.ts";
import { chosenSandbox, type ServerOptions } from "../server.ts";

/**
 * `sandglass status`: the running sandbox with its URL, keys and counts. Without a sandbox, shows the Node version and
 * the data folder. It never executes code in a configuration.
 */
export async function run({ options }: Invocation<ServerOptions>): Promise<undefined> {
  try {
    const sandbox = await chosenSandbox(options);
    const status = await sandbox.status();
    if (options.json) printJson(status);
    else for (const line of lines(status, sandbox.url)) print(line);
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== "unreachable") throw error;
    const node = process.versions.node;
    const data = await dataFolder();
    const hint = chosenHint(options) ?? error.hintFor("command");
    if (options.json) printJson({ ready: false, node, data, error: { message: error.message, hint } });
    else {
      const state = data.problem ?? (data.folder === null ? data.note : `${data.folder} is writable`);
      for (const line of fields([
        ["node", `${node}; ${OLDEST_NODE} or later is needed`],
        ["data folder", state!],
      ]))
        print(line);
    }
    throw unreachable(error.message, hint);
  }
}

/** @param reached the URL on this machine, which may differ from the URL for others */
function lines(status: Status, reached: string): string[] {
  const { version, node, share, world, seed, clock, senders, organization, bases, keys, player } = status;
  const isOfSenders = organization === null;
  const counts = Object.entries(status.counts).filter(([, count]) => count > 0 || !isOfSenders);
  const keysOfPlatform: [string, string][] = [
    ...Object.entries(keys ?? {}).map(([name, key]): [string, string] => [`${name} key`, key]),
    ["webhook secret", status.webhook_secret ?? "none: no endpoint is enabled"],
    ["player", player === null ? "none" : `${player.address}; for its token: npx sandglass token`],
  ];
  return [
    `${paint.bold("Sandglass")} ${version} is running at ${paint.cyan(reached)}`,
    ...fields([
      ["node", node],
      ["world", `${world}, from seed ${seed}`],
      ["clock", `${pace(clock)}, at ${instant(clock.now)} UTC`],
      organization === null
        ? ["senders", senders.join(", ")]
        : ["organization", `${organization.name}, ${organization.id}`],
      ...(isOfSenders ? [] : Object.entries(bases)),
      ...(share === null
        ? []
        : [["shared", `by a link; ${count(share.wrong_tokens, "wrong token")}`] as const]),
      ...(isOfSenders ? [] : keysOfPlatform),
      ...counts.map(([name, count]) => [name.replaceAll("_", " "), String(count)] as const),
    ]),
  ];
}

const chosenHint = ({ url }: ServerOptions): string | undefined =>
  url === undefined && process.env.SANDGLASS_URL
    ? "SANDGLASS_URL has this address: start a sandbox there, or unset the variable."
    : undefined;

interface DataFolder {
  /** The folder in `sandbox.config.json`; null for worlds in memory, or if the configuration is code. */
  folder: string | null;
  /** Why the folder cannot be used; null if it can. */
  problem: string | null;
  /** Why there is no folder. */
  note?: string;
}

/** Whether the configured folder, or its nearest existing parent, is writable. */
async function dataFolder(): Promise<DataFolder> {
  const found = findConfig();
  const none = (note: string): DataFolder => ({ folder: null, problem: null, note });
  if (found !== undefined && !found.endsWith(".json"))
    return none(`unknown: ${basename(found)} is code, and was not run`);
  const { config, file } = await loadConfig();
  const { resolveConfig } = await import("../../config/config.ts");
  const { dataDir } = resolveConfig(config, wallNow(), file);
  if (dataDir === undefined) return none("none: worlds are in memory; --data-dir stores them");
  try {
    tryToWriteIn(dataDir);
    return { folder: dataDir, problem: null };
  } catch (error) {
    const why = `${dataDir} is not writable: ${reasonOf(error)}`;
    return { folder: dataDir, problem: `${why}. Choose another one in dataDir or with --data-dir.` };
  }
}
