import type { Client } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import { instant } from "../story/instant.ts";
import { count } from "../story/text.ts";
import { chooseAction } from "./actions.ts";
import type { Invocation } from "./command.ts";
import { columns, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

interface Options extends ServerOptions {
  key?: string;
  address?: string;
}

type Action = (sandbox: Client, options: Options) => Promise<void>;

const ACTIONS: Record<string, Action> = { list, clear };

/** `sandglass cache`: the cached answers of chain data; clears them. */
export async function run({ args: [action = "list"], options }: Invocation<Options>): Promise<undefined> {
  const act = chooseAction("cache", ACTIONS, action);
  if (act === list && (options.key !== undefined || options.address !== undefined))
    throw new SandboxError(
      "bad_request",
      "--key and --address go with clear.",
      "For example: npx sandglass cache clear --address 0x…",
    );
  await act(await chosenSandbox(options), options);
  return undefined;
}

async function list(sandbox: Client, { json }: Options): Promise<void> {
  const cache = await sandbox.run("data.cache");
  if (json) return printJson(cache);
  if (cache.data.length === 0)
    return print("Nothing is cached. The first call for each answer fills the cache.");
  const rows = cache.data.map(({ key, state, rows: size, providers, expires_at: at }) => [
    key,
    { text: state, color: state === "fresh" ? paint.green : paint.yellow },
    count(size, "row"),
    providers,
    { text: `${state === "fresh" ? "expires" : "expired"} ${instant(at)}`, color: paint.dim },
  ]);
  for (const line of columns(rows)) print(line);
}

async function clear(sandbox: Client, { key, address, json }: Options): Promise<void> {
  const cleared = await sandbox.run("data.purge", { key, address });
  if (json) printJson(cleared);
  else
    print(
      cleared.purged === 0
        ? "There was nothing to clear."
        : `Cleared ${count(cleared.purged, "cached answer")}.`,
    );
}
