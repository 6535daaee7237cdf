import { createParts } from "../../components/context.ts";
import type { Access } from "../../models/game/api.ts";
import type { Game, Player } from "../../models/game/types.ts";

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
