import type { Status } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Invocation } from "./command.ts";
import { print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Writer = (name: string, value: string) => string;

/** How each shell sets a variable, with the value quoted so that it is taken as it is. */
const SHELLS: Record<string, Writer> = {
  sh: (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  fish: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, "\\$&")}'`,
  powershell: (name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
};

/** `sandglass env`: the running sandbox's address and keys, for a shell. */
export async function run({ options }: Invocation<ServerOptions & { shell?: string }>): Promise<undefined> {
  const write = SHELLS[options.shell ?? "sh"];
  if (!write)
    throw new SandboxError(
      "bad_request",
      `--shell must be one of ${Object.keys(SHELLS).join(", ")}, not '${options.shell}'.`,
      "bash and zsh are sh.",
    );
  const values = environmentOf(await (await chosenSandbox(options)).status());
  if (options.json) printJson(values);
  else for (const [name, value] of Object.entries(values)) print(write(name, value));
  return undefined;
}

/** The environment variables that tell programs where a sandbox is. */
export function environmentOf({
  url,
  bases,
  keys,
  webhook_secret: secret,
  player,
}: Pick<Status, "url" | "bases" | "keys" | "webhook_secret" | "player">): Record<string, string> {
  return {
    SANDGLASS_URL: url,
    SANDGLASS_PLATFORM_URL: bases.platform,
    SANDGLASS_DATA_URL: bases.data,
    SANDGLASS_GAME_URL: bases.game,
    SANDGLASS_API_KEY: keys.write,
    ...(secret === null ? {} : { SANDGLASS_WEBHOOK_SECRET: secret }),
    ...(player === null ? {} : { SANDGLASS_PLAYER_TOKEN: player.token }),
  };
}
