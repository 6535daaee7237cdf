import type { Status } from "../../client/http.ts";
import type { Reached } from "../../client/transport.ts";
import { misuse } from "../../errors/errors.ts";
import { TOKEN_VARIABLE } from "../../runtime/share-link.ts";
import { recordedAuthority } from "../../runtime/trusted.ts";
import type { Invocation } from "../command.ts";
import { print, printJson } from "../output.ts";
import { chosenSandbox, type ServerOptions } from "../server.ts";

/** The syntax that each shell uses to set a variable to a quoted value. */
const SHELLS: Record<string, (name: string, value: string) => string> = {
  sh: (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  fish: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, "\\$&")}'`,
  powershell: (name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
};

export async function run({ options }: Invocation<ServerOptions & { shell?: string }>): Promise<undefined> {
  const write = SHELLS[options.shell ?? "sh"];
  if (!write)
    throw misuse(
      `--shell must be one of ${Object.keys(SHELLS).join(", ")}, not '${options.shell}'.`,
      "For bash and zsh, use sh.",
    );
  const sandbox = await chosenSandbox(options);
  const values = environmentOf(await sandbox.status(), { ...sandbox, ca: recordedAuthority(sandbox.url) });
  if (options.json) printJson(values);
  else for (const [name, value] of Object.entries(values)) print(write(name, value));
  return undefined;
}

/**
 * Variables that make Node, Bun and Deno trust additional certificates. In other programs, such variables replace the
 * machine's certificates instead.
 */
const TRUST_VARIABLES = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"];

const LOOPBACK = ["127.0.0.1", "localhost", "::1"];

/** The variable with the hosts that bypass the proxy, in both spellings, with this machine added. */
function withoutProxy(env: NodeJS.ProcessEnv): Record<string, string> {
  const set = { NO_PROXY: env.NO_PROXY || env.no_proxy, no_proxy: env.no_proxy || env.NO_PROXY };
  return Object.fromEntries(
    Object.entries(set).map(([name, hosts = ""]) => {
      const named = hosts.toLowerCase().split(/[\s,]+/);
      // Programs treat * as every host only if * is the whole value.
      const missing = named.includes("*") ? [] : LOOPBACK.filter((host) => !named.includes(host));
      return [name, [hosts.trim().replace(/,$/, ""), ...missing].filter(Boolean).join(",")];
    }),
  );
}

/**
 * The environment variables that tell programs where a sandbox is.
 * @param reached the sandbox's URL on this machine, which may differ from the one in the status, and `ca`, the
 * certificate file needed to trust it
 */
export function environmentOf(
  { keys, webhook_secret: secret, player }: Pick<Status, "keys" | "webhook_secret" | "player">,
  { url, token, ca }: Reached & { ca?: string | undefined },
): Record<string, string> {
  return {
    SANDGLASS_URL: url,
    SANDGLASS_PLATFORM_URL: `${url}/platform`,
    SANDGLASS_DATA_URL: `${url}/data`,
    SANDGLASS_GAME_URL: `${url}/game`,
    ...(token === undefined ? {} : { [TOKEN_VARIABLE]: token }),
    ...(ca === undefined ? {} : Object.fromEntries(TRUST_VARIABLES.map((name) => [name, ca]))),
    ...withoutProxy(process.env),
    ...(keys === null ? {} : { SANDGLASS_API_KEY: keys.write }),
    ...(secret === null ? {} : { SANDGLASS_WEBHOOK_SECRET: secret }),
    ...(player === null ? {} : { SANDGLASS_PLAYER_TOKEN: player.token }),
  };
}
