import type { Game, GameContext } from "./context.ts";
import type { Games } from "./games.ts";
import type { ActivityRow, ActivityType, PlayerRow } from "./rows.ts";
import { fillText } from "./rules/rule.ts";

/** The query of activities, after the route's schema checked it. */
export interface ActivityQuery {
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

export type Activities = ReturnType<typeof createActivities>;

export function createActivities({ world, makeId }: GameContext, games: Games) {
  const { store, clock, journal } = world;
  const insert = store.sql(
    "insert into game_activities (id, game, player, type, event_id, text, created_at) values (?, ?, ?, ?, ?, ?, ?)",
  );

  function find(query: ActivityQuery): ActivityOfPlayer[] {
    const game = query.gameId === undefined ? undefined : (games.find(query.gameId)?.id ?? query.gameId);
    const filters: [sql: string, value: string | undefined][] = [
      ["p.address = ?", query.walletAddress?.toLowerCase()],
      ["a.game = ?", game],
      ["a.type = ?", query.type],
    ];
    const used = filters.filter(([, value]) => value !== undefined) as [string, string][];
    const where = used.length === 0 ? "" : ` where ${used.map(([sql]) => sql).join(" and ")}`;
    return store
      .sql<ActivityOfPlayer>(
        `select a.*, p.address, p.username from game_activities a join game_players p on p.id = a.player${where}
         order by a.created_at desc, a.id desc limit ? offset ?`,
      )
      .all(...used.map(([, value]) => value), query.pageSize, (query.pageNumber - 1) * query.pageSize);
  }

  return {
    /** Adds an activity; {username} and {wallet} in the text are filled in. */
    add(
      player: PlayerRow,
      game: Game,
      { type, eventId, text }: { type: ActivityType; eventId?: string | undefined; text: string },
    ) {
      return store.transaction(() => {
        const id = makeId("activity");
        const now = clock.now();
        const shown = fillText(text, { username: player.username, wallet: player.address });
        const event = eventId ?? id;
        insert.run(id, game.id, player.id, type, event, shown, now);
        journal.append("activity.added", { id, game: game.slug, player: player.username, type, text: shown });
        return {
          _id: id,
          label: shown,
          normalizedAddress: player.address,
          timestamp: now,
          eventId: event,
          gameId: game.id,
        };
      });
    },

    /** Activities, newest first. */
    list(query: ActivityQuery) {
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
