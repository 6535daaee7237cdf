import { instant } from "../story/instant.ts";
import { iso } from "../world/duration.ts";
import type { Invocation } from "./command.ts";
import { fields, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

interface Options extends ServerOptions {
  from?: string;
  game?: string;
}

/** `sandglass message`: posts a message in a channel, as a player or as the game. */
export async function run({ args: [channel, text], options }: Invocation<Options>): Promise<undefined> {
  const { from, game, json } = options;
  const sandbox = await chosenSandbox(options);
  const posted = await sandbox.run("game.post", { channel, content: text, from, gameId: game });
  if (json) printJson(posted);
  else
    for (const line of fields([
      ["message", posted._id],
      ["channel", posted.channelId],
      ["from", from ?? "the game"],
      ["at", `${instant(iso(posted.createdAt))} UTC`],
      ["text", posted.content],
    ]))
      print(line);
  return undefined;
}
