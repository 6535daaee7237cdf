import { iso } from "../world/duration.ts";
import { createSave } from "../world/save.ts";
import type { Game, GameContext } from "./context.ts";
import type { PlayerRow } from "./rows.ts";

export const NOTIFICATION_TYPES = ["success", "error"] as const;
type NotificationType = (typeof NOTIFICATION_TYPES)[number];

interface NotificationRow {
  id: string;
  game: string;
  username: string;
  type: NotificationType;
  message: string;
  created_at: number;
}

/** Notifications that games show their players in the launcher. */
export interface Notifications {
  send(player: PlayerRow, game: Game, message: string, type?: NotificationType): void;
  /** The latest, newest first. The player is a username; the time is virtual, ISO 8601. */
  list(limit: number): {
    id: string;
    game_id: string;
    player: string;
    type: NotificationType;
    message: string;
    created_at: string;
  }[];
}

export function createNotifications({ world, makeId }: GameContext): Notifications {
  const { store, clock, journal } = world;
  const save = createSave(store);
  const newest = store.sql<NotificationRow>(
    `select n.*, p.username from game_notifications n join game_players p on p.id = n.player
     order by n.created_at desc, n.id desc limit ?`,
  );

  return {
    send(player, game, message, type = "success") {
      store.transaction(() => {
        const id = makeId("notification");
        const about = { game: game.id, player: player.id, type, message };
        save("game_notifications", { id, ...about, created_at: clock.now() });
        journal.append("notification.sent", { id, game: game.slug, player: player.username, type, message });
      });
    },

    list: (limit) =>
      newest.all(limit).map(({ id, game, username, type, message, created_at }) => ({
        id,
        game_id: game,
        player: username,
        type,
        message,
        created_at: iso(created_at),
      })),
  };
}
