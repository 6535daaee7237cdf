import type { Invocation } from "./command.ts";
import { print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

interface Options extends ServerOptions {
  player?: string;
  game?: string;
  expiresIn?: string;
}

/** `sandglass token`: a launcher JWT, alone in its line, so that a shell can take it. */
export async function run({ options }: Invocation<Options>): Promise<undefined> {
  const { player, game, expiresIn } = options;
  const minted = await (await chosenSandbox(options)).run("game.token", { player, gameId: game, expiresIn });
  if (options.json) printJson(minted);
  else print(minted.token);
  return undefined;
}
