import type { Status } from "../client/http.ts";
import { instant } from "../story/instant.ts";
import type { Invocation } from "./command.ts";
import { fields, pace, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

/** `sandglass status`: what is running, where, with which keys, and how much there is in it. */
export async function run({ options }: Invocation<ServerOptions>): Promise<undefined> {
  const status = await (await chosenSandbox(options)).status();
  if (options.json) printJson(status);
  else for (const line of lines(status)) print(line);
  return undefined;
}

function lines(status: Status): string[] {
  const { version, url, world, seed, clock, organization, bases, keys, player, counts } = status;
  return [
    `${paint.bold("Sandglass")} ${version} is running at ${paint.cyan(url)}`,
    ...fields([
      ["world", `${world}, from seed ${seed}`],
      ["clock", `${pace(clock)}, at ${instant(clock.now)} UTC`],
      ["organization", `${organization.name}, ${organization.id}`],
      ...Object.entries(bases),
      ...Object.entries(keys).map(([name, key]) => [`${name} key`, key] as const),
      ["webhook secret", status.webhook_secret ?? "none: no endpoint is enabled"],
      ["player", player === null ? "none" : `${player.address}; for its token: sandglass token`],
      ...Object.entries(counts).map(([name, count]) => [name.replaceAll("_", " "), String(count)] as const),
    ]),
  ];
}
