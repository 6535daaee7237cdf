import { SandboxError } from "../errors/errors.ts";
import { instant } from "../story/instant.ts";
import { readCount } from "./actions.ts";
import type { Invocation } from "./command.ts";
import { findGame, noGame, readGames } from "./game-name.ts";
import { type Cell, columns, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

interface Place {
  username: string;
  normalizedAddress: string;
  score: number;
  updatedAt: number;
}

const DEFAULT_PLACES = 20;
const MOST_PLACES = 100;

/** `sandglass scores`: the leaderboard of a game. */
export async function run({
  args: [name],
  options,
}: Invocation<ServerOptions & { limit?: string }>): Promise<undefined> {
  const limit = readCount(options.limit ?? String(DEFAULT_PLACES), "--limit", { most: MOST_PLACES });
  const sandbox = await chosenSandbox(options);
  const games = await readGames(sandbox);
  const game = name === undefined ? games[0] : findGame(games, name, "scores");
  if (!game) throw noGame();
  const { status, body } = await sandbox.request<{ leaderboard: Place[] }>("POST", "/game/scores", {
    body: { gameId: game.id, limit },
    headers: { "x-service-method": "getGameScoresLeaderboard" },
  });
  if (status !== 200)
    throw new SandboxError(
      "invalid_state",
      `The game launcher answered ${status} when it was asked for the leaderboard.`,
      "It may have been made to fail: npx sandglass events --types 'fault.*' shows that.",
    );
  const { leaderboard } = body;
  if (options.json) printJson({ game, leaderboard });
  else if (leaderboard.length === 0) print(`No scores in ${game.name} yet.`);
  else for (const line of columns(leaderboard.map(row))) print(line);
  return undefined;
}

const row = ({ username, normalizedAddress, score, updatedAt }: Place, index: number): Cell[] => [
  { text: String(index + 1).padStart(3), color: paint.dim },
  { text: String(score), color: paint.bold },
  username,
  normalizedAddress,
  { text: instant(new Date(updatedAt).toISOString()), color: paint.dim },
];
