import fixtures from "../../fixtures/game/games.json" with { type: "json" };
import { clip } from "../http/violation-text.ts";
import type { Game, GameContext } from "./context.ts";
import { notAuthenticated, notFound } from "./errors.ts";

/** The games in every world; see fixtures/game/games.json. */
export const KNOWN_GAMES: readonly Game[] = fixtures.map((game) => ({ ...game, signatures: "optional" }));

/** A world's games: from its fixtures, then from the configuration, which all worlds share. A name is an id or a slug. */
export interface Games {
  list(): readonly Game[];
  /** The default game. */
  main(): Game;
  find(name: string): Game | undefined;
  /** @throws GameError NotFound */
  get(name: string): Game;
}

export function createGames({ world, settings }: Pick<GameContext, "world" | "settings">): Games {
  const { store } = world;
  const own = store.sql<Game>("select id, slug, name, secret, signatures from game_games order by position");
  const games = store.memo((): readonly Game[] => {
    const rows = own.all();
    const taken = new Set(rows.flatMap(({ id, slug }) => [id, slug]));
    return [...rows, ...settings.games.filter(({ id, slug }) => !taken.has(id) && !taken.has(slug))];
  });
  const find = (name: string) => games.get().find(({ id, slug }) => name === id || name === slug);

  return {
    list: games.get,
    main: () => games.get()[0]!,
    find,
    get(name) {
      const game = find(name);
      if (game) return game;
      const names = games
        .get()
        .map(({ slug, id }) => `${slug} (${id})`)
        .join(", ");
      throw notFound(`There is no game '${clip(name)}'. The games are ${names}.`);
    },
  };
}

/** The error for a valid token of a game that does not exist here. */
export function gameGone(id: string): Error {
  return notAuthenticated(
    `The game '${id}' of launcherJwt does not exist in this world. GET /_sandbox/game/games lists the games that do.`,
  );
}
