import type { Static } from "typebox";
import { inserter } from "../world/save.ts";
import type { Game, GameContext } from "./context.ts";
import type { Games } from "./games.ts";
import type { ActivityRow, ActivityType, PlayerRow } from "./rows.ts";
import { fillText } from "./rules/rule.ts";
import type * as records from "./schemas/records.ts";

type Activity = Static<typeof records.Activity>;

interface ActivityQuery {
  pageSize: number;
  pageNumber: number;
  walletAddress?: string | undefined;
  gameId?: string | undefined;
  type?: ActivityType | undefined;
}

interface ActivityOfPlayer extends ActivityRow {
  address: string;
  username: string;
}

/** The activities of players. */
export interface Activities {
  /** Adds an activity, filling in {username} and {wallet}. @param activity `eventId` is the activity's own id by default */
  add(
    player: PlayerRow,
    game: Game,
    activity: { type: ActivityType; eventId?: string | undefined; text: string },
  ): Static<typeof records.CustomActivity>;
  /** Lists activities, newest first. */
  list(query: ActivityQuery): { pageNumber: number; pageSize: number; data: Activity[] };
}

export function createActivities({ world, makeId }: GameContext, games: Games): Activities {
  const { store, clock, journal } = world;
  const save = inserter<ActivityRow>(store, "game_activities");

  function find(query: ActivityQuery): ActivityOfPlayer[] {
    const game = query.gameId === undefined ? undefined : (games.find(query.gameId)?.id ?? query.gameId);
    const filters = Object.entries({
      "p.address": query.walletAddress?.toLowerCase(),
      "a.game": game,
      "a.type": query.type,
    }).filter((filter): filter is [string, string] => filter[1] !== undefined);
    const where = ["true", ...filters.map(([column]) => `${column} = ?`)].join(" and ");
    return store
      .sql<ActivityOfPlayer>(
        `select a.*, p.address, p.username from game_activities a join game_players p on p.id = a.player
         where ${where} order by a.created_at desc, a.id desc limit ? offset ?`,
      )
      .all(...filters.map(([, value]) => value), query.pageSize, (query.pageNumber - 1) * query.pageSize);
  }

  return {
    add(player, game, { type, eventId, text }) {
      return store.transaction(() => {
        const id = makeId("activity");
        const shown = fillText(text, { username: player.username, wallet: player.address });
        const about = { id, game: game.id, player: player.id, type, text: shown };
        const row = { ...about, event_id: eventId ?? id, created_at: clock.now() };
        save(row);
        journal.append("activity.added", { id, game: game.slug, player: player.username, type, text: shown });
        return {
          _id: id,
          label: shown,
          normalizedAddress: player.address,
          timestamp: row.created_at,
          eventId: row.event_id,
          gameId: game.id,
        };
      });
    },

    list(query) {
      const { pageNumber, pageSize } = query;
      return { pageNumber, pageSize, data: find(query).map(resource) };
    },
  };

  function resource(row: ActivityOfPlayer) {
    const game = games.find(row.game);
    return {
      type: row.type,
      eventId: row.event_id,
      gameId: row.game,
      gameName: game?.name ?? row.game,
      gameSlug: game?.slug ?? row.game,
      user: { id: row.player, address: row.address, username: row.username },
      displayText: row.text,
      timestamp: row.created_at,
    };
  }
}
