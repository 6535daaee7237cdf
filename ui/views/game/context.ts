import { createParts } from "../../components/context.ts";
import type { Access, GameApi } from "../../models/game/api.ts";
import type { GameModel } from "../../models/game/model.ts";
import type { Game, Player } from "../../models/game/types.ts";

export interface GameParts {
  api: GameApi;
  model: GameModel;
  /** Read by now; the first is the one that is meant when none is named. */
  games: Game[];
}

export const [GameProvider, useGame] = createParts<GameParts>("the Game view");

/** The player and game of a player's page. */
export interface Seat {
  player: Player;
  game: Game;
  /** What reads as the player; looked up when it is needed, for tokens come and go. */
  access: () => Access;
  /** The address of a part of the page. */
  address: (...parts: string[]) => string;
}

export const [SeatProvider, useSeat] = createParts<Seat>("a player's page");
