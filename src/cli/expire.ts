import { instant } from "../story/instant.ts";
import type { Invocation } from "./command.ts";
import { fields, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

/** `sandglass expire`: ends a checkout session as if its time were up. */
export async function run({ args: [idOrUrl], options }: Invocation<ServerOptions>): Promise<undefined> {
  const id = idOrUrl!.split(/[?#]/)[0]!.replace(/\/+$/, "").split("/").at(-1)!;
  const session = await (await chosenSandbox(options)).expireSession(id);
  if (options.json) printJson(session);
  else
    for (const line of fields([
      ["session", `${session.status}, ${session.id}`],
      ["at", `${instant(session.expired_at!)} UTC`],
    ]))
      print(line);
  return undefined;
}
