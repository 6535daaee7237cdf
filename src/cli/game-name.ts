import type { Client, ResultOf } from "../client/http.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";

/** A game, as far as commands need it. */
export type Game = ResultOf<"game.games">["data"][number];

export async function readGames(sandbox: Client): Promise<Game[]> {
  return (await sandbox.run("game.games")).data;
}

/**
 * The game that an id or a slug names.
 * @param command names the command in the way out
 * @throws SandboxError `not_found`
 */
export function findGame(games: readonly Game[], name: string, command: string): Game {
  const found = games.find(({ id, slug }) => id === name || slug === name);
  if (found) return found;
  if (games.length === 0) throw noGame();
  const slugs = games.map(({ slug }) => slug);
  const meant = closest(name, slugs);
  throw new SandboxError(
    "not_found",
    `There is no game ${name}.`,
    meant ? `Did you mean: npx sandglass ${command} ${meant}` : `Games: ${slugs.join(", ")}.`,
  );
}

/** The error of a world without a game. */
export const noGame = (): SandboxError =>
  new SandboxError("not_found", "There is no game.", "Add one to game.games in the configuration.");
