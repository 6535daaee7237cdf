import { type Client, connectTo, DEFAULT_URL, type Status } from "../client/http.ts";
import { findConfig, loadConfig } from "../config/load-config.ts";
import { misuse, unreachable } from "../errors/errors.ts";
import { readHttpUrl } from "../runtime/http-url.ts";
import { type RunningSandbox, runningSandboxes } from "../runtime/running-here.ts";
import { readAddress, type SandboxAddress } from "../runtime/share-link.ts";
import { shellArgument } from "../runtime/shell.ts";
import { wallNow } from "../world/clock.ts";
import { urlAt } from "./ports.ts";

export interface ServerOptions {
  url?: string;
  world?: string;
  json?: boolean;
}

/** The flags that selected the sandbox, for a suggested follow-up command. The token of a shared link is left out. */
export const chosenFlags = ({ url, world }: ServerOptions): string =>
  `${url === undefined ? "" : ` --url ${shellArgument(url.split("#")[0]!)}`}${world === undefined ? "" : ` --world ${world}`}`;

/** The world whose URL has no prefix. */
const MAIN_WORLD = "default";

export async function chosenSandbox({ url, world }: ServerOptions): Promise<Client> {
  const address = await chosenAddress(url);
  return connectTo(
    world === undefined ? address : { ...address, url: worldUrl(address.url, world) },
    "command",
  );
}

/** The URL of one of a sandbox's worlds. The given URL may point to another world of the same sandbox. */
function worldUrl(base: string, world: string): string {
  const server = base.replace(/\/w\/[^/]+$/, "");
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(world))
    throw misuse(
      `--world must be a world's name, not '${world}'.`,
      "A name consists of letters, digits, dots, underscores and hyphens. List all worlds: npx sandglass worlds",
    );
  return world === MAIN_WORLD ? server : `${server}/w/${world}`;
}

/** The sandbox's address: `--url`, else SANDGLASS_URL (either may be a shared link), else the sandbox of this folder. */
export async function chosenAddress(option: string | undefined): Promise<SandboxAddress> {
  if (option !== undefined) return readAddress(readHttpUrl(option, "--url"));
  const named = process.env.SANDGLASS_URL;
  return readAddress(named ? readHttpUrl(named, "SANDGLASS_URL") : await configuredUrl());
}

/**
 * The recorded URL of this folder's sandbox or, without one, the URL where `start` would serve. A configuration file
 * that is code is not executed for this, because the user may not have read the repository yet.
 */
async function configuredUrl(): Promise<string> {
  const cwd = process.cwd();
  const path = findConfig();
  const running = runningSandboxes();
  const here = running.filter(({ folder }) => folder === cwd);
  const [chosen, other] = here.some(({ configured }) => configured)
    ? here.filter(({ configured }) => configured)
    : here;
  if (chosen && !other) return chosen.url;
  if (other)
    throw misuse(
      `${here.length} sandboxes are running in this folder: ${here.map(({ url }) => url).join(", ")}.`,
      "Choose one of them with --url or SANDGLASS_URL.",
    );
  if (!path?.endsWith(".json")) return notElsewhere(path, running);
  const { config, file } = await loadConfig();
  const { resolveConfig } = await import("../config/config.ts");
  const { port, host, https } = resolveConfig(config, wallNow(), file);
  if (port !== 0) return urlAt({ port, host, https });
  throw misuse(
    `${file} sets port 0, so the port changes with each start.`,
    "Specify the sandbox with --url or SANDGLASS_URL.",
  );
}

/** The default URL, unless the sandbox there belongs to another folder and this folder has its own configuration. */
function notElsewhere(path: string | undefined, running: readonly RunningSandbox[]): string {
  const other = running.find(({ url }) => url === DEFAULT_URL);
  if (path === undefined || !other) return DEFAULT_URL;
  throw unreachable(
    `No sandbox is running for this folder, and the one at ${DEFAULT_URL} was started in ${other.folder}.`,
    `Start one: npx sandglass. Or use the other one: --url ${DEFAULT_URL}`,
  );
}

/** The flag that points a command to the sandbox at this URL; empty for the default URL. */
export const urlFlag = (url: string): string => (url === DEFAULT_URL ? "" : ` --url ${shellArgument(url)}`);

const PROBE_MS = 1_000;

/** The status of the sandbox at a URL; undefined if nothing or something else responds. */
export function sandboxAt(url: string): Promise<Status | undefined> {
  return connectTo(readAddress(url), "command")
    .status(PROBE_MS)
    .catch(() => undefined);
}
