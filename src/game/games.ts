import fixtures from "../../fixtures/game/games.json" with { type: "json" };
import { clip } from "../http/violation-text.ts";
import type { Game, GameSettings } from "./context.ts";
import { notAuthenticated, notFound } from "./errors.ts";

/** The games that every world knows; see fixtures/game/games.json. */
export const KNOWN_GAMES: readonly Game[] = fixtures.map((game) => ({ ...game, signatures: "optional" }));

export type Games = ReturnType<typeof createGames>;

/** The games are set, not stored: every world and every seed knows the same. */
export function createGames({ games }: GameSettings) {
  const byName = new Map<string, Game>();
  for (const game of games) byName.set(game.id, game).set(game.slug, game);

  return {
    list: (): readonly Game[] => games,

    /** The game that stands for all where none is named. */
    main: (): Game => games[0]!,

    /** By id or slug. */
    find: (name: string): Game | undefined => byName.get(name),

    /** @throws GameError NotFound */
    get(name: string): Game {
      const game = byName.get(name);
      if (game) return game;
      const names = games.map(({ slug, id }) => `${slug} (${id})`).join(", ");
      throw notFound(`There is no game '${clip(name)}'. Games here: ${names}.`);
    },
  };
}

/** A game that a valid token names and that is not among those here. */
export function gameGone(id: string): Error {
  return notAuthenticated(
    `launcherJwt is of the game '${id}', which does not exist here. GET /_sandbox/game/games lists those that do.`,
  );
}
