import { createParts } from "../../components/context.ts";
import type { GameApi } from "../../models/game/api.ts";
import type { GameModel } from "../../models/game/model.ts";
import type { Game } from "../../models/game/types.ts";

export interface GameParts {
  api: GameApi;
  model: GameModel;
  /** Read by now; the first is the one that is meant when none is named. */
  games: Game[];
}

export const [GameProvider, useGame] = createParts<GameParts>("the Game view");
