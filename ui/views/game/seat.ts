import { createContext } from "preact";
import { useContext } from "preact/hooks";
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

const SeatContext = createContext<Seat | undefined>(undefined);
export const SeatProvider = SeatContext.Provider;

export function useSeat(): Seat {
  const seat = useContext(SeatContext);
  if (!seat) throw new Error("A part of a player's page is shown outside of it.");
  return seat;
}
