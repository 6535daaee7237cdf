import { createSave } from "../world/save.ts";
import type { Activities } from "./activities.ts";
import type { Game, GameContext } from "./context.ts";
import type { PlayerRow } from "./rows.ts";

/** Players' items. A grant is recorded as an on-chain activity, like minting. */
export interface Items {
  grant(player: PlayerRow, game: Game, name: string, quantity: number): void;
  /** A player's items with their games, ordered by when the player first received them. */
  of(player: string): ItemTotal[];
}

interface ItemTotal {
  game_id: string;
  name: string;
  quantity: number;
}

export function createItems({ world, makeId }: GameContext, activities: Activities): Items {
  const { store, clock } = world;
  const save = createSave(store);
  const totals = store.sql<ItemTotal>(
    `select game as game_id, name, sum(quantity) as quantity from game_items where player = ?
     group by game, name order by min(id)`,
  );

  return {
    grant(player, game, name, quantity) {
      store.transaction(() => {
        const id = makeId("item");
        save("game_items", { id, game: game.id, player: player.id, name, quantity, created_at: clock.now() });
        const text = quantity === 1 ? name : `${quantity} × ${name}`;
        activities.add(player, game, { type: "on-chain", eventId: id, text: `{username} received ${text}` });
      });
    },

    of: (player) => totals.all(player),
  };
}
