import type { ResultOf } from "../client/http.ts";
import type { Invocation } from "./command.ts";
import { type Cell, columns, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Player = ResultOf<"game.players">["data"][number];

/** `sandglass players`: the players of the games, with what rules granted them. */
export async function run({ options }: Invocation<ServerOptions>): Promise<undefined> {
  const sandbox = await chosenSandbox(options);
  const list = await sandbox.run("game.players");
  if (options.json) printJson(list);
  else if (list.data.length === 0) print("No players. Create one: npx sandglass token --player <address>");
  else for (const line of columns(list.data.map(row))) print(line);
  return undefined;
}

const row = ({ id, address, username, items }: Player): Cell[] => [
  { text: username, color: paint.bold },
  address,
  id,
  items.map(({ name, quantity }) => `${quantity} ${name}`).join(", "),
];
