import type { Sandbox } from "../sandbox/sandbox.ts";
import { instant } from "../story/instant.ts";
import { count } from "../story/text.ts";
import { readCount } from "./actions.ts";
import type { Invocation } from "./command.ts";
import { findGame, type Game, readGames } from "./game-name.ts";
import { type Cell, columns, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Channel = ReturnType<Sandbox["game"]["channels"]>[number];

const DEFAULT_LIMIT = "20";
const MOST = 10_000;

/** `sandglass channels`: the message channels, those with the newest messages first. */
export async function run({
  args: [name],
  options,
}: Invocation<ServerOptions & { limit?: string }>): Promise<undefined> {
  const limit = readCount(options.limit ?? DEFAULT_LIMIT, "--limit", { most: MOST });
  const sandbox = await chosenSandbox(options);
  const games = await readGames(sandbox);
  const game = name === undefined ? undefined : findGame(games, name, "channels");
  const { data: all } = await sandbox.run("game.channels");
  const matching = game ? all.filter(({ game_id: id }) => id === game.id) : all;
  const data = matching.slice(0, limit);
  if (options.json) printJson({ data });
  else if (data.length === 0)
    print("There are no channels. A token for a player creates one: npx sandglass token");
  else {
    for (const line of columns(data.map((channel) => row(channel, games)))) print(line);
    if (data.length < matching.length)
      print(paint.dim(`and ${matching.length - data.length} more; --limit prints them`));
  }
  return undefined;
}

const row = (channel: Channel, games: readonly Game[]): Cell[] => [
  channel.id,
  { text: channel.name, color: paint.bold },
  channel.kind,
  games.find(({ id }) => id === channel.game_id)?.slug ?? channel.game_id,
  count(channel.participants.length, "player"),
  count(channel.messages, "message"),
  { text: instant(channel.updated_at), color: paint.dim },
];
