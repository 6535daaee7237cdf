import named from "../../fixtures/game/players.json" with { type: "json" };
import type { GameContext } from "./context.ts";
import type { Games } from "./games.ts";
import { TOKEN_LIFE } from "./limits.ts";
import type { Players } from "./players.ts";
import type { PlayerRow } from "./rows.ts";
import type { Sessions } from "./sessions.ts";
import type { Tokens } from "./tokens.ts";

interface Parts {
  games: Games;
  players: Players;
  sessions: Sessions;
  tokens: Tokens;
}

const { address: MAIN_ADDRESS } = named[0]!;

/** The player whose token `sandglass env` prints: the seeded one, else the player who joined first. */
export function createMainPlayer({ world }: GameContext, { games, players, sessions, tokens }: Parts) {
  const row = (): PlayerRow | undefined => players.byAddress(MAIN_ADDRESS) ?? players.first();

  return {
    row,

    /** The player's address and newest token; null in a world without players. */
    view(): { address: string; token: string } | null {
      const player = row();
      const token = player && sessions.newestToken(player.id, games.main().id);
      return player && token !== undefined ? { address: player.address, token } : null;
    },

    async refresh(): Promise<void> {
      const player = row();
      const game = games.main();
      if (!player || sessions.newestToken(player.id, game.id, world.clock.now()) !== undefined) return;
      await tokens.mint(player, game, TOKEN_LIFE);
    },
  };
}
