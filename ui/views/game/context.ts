import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { GameApi } from "../../models/game/api.ts";
import type { GameModel } from "../../models/game/model.ts";
import type { Game } from "../../models/game/types.ts";

export interface GameParts {
  api: GameApi;
  model: GameModel;
  /** Read by now; the first is the one that is meant when none is named. */
  games: Game[];
}

const GameContext = createContext<GameParts | undefined>(undefined);
export const GameProvider = GameContext.Provider;

export function useGame(): GameParts {
  const parts = useContext(GameContext);
  if (!parts) throw new Error("A part of the Game view is shown outside of it.");
  return parts;
}
