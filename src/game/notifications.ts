import { iso } from "../world/duration.ts";
import { createSave } from "../world/save.ts";
import type { Game, GameContext } from "./context.ts";
import type { PlayerRow } from "./rows.ts";

export const NOTIFICATION_TYPES = ["success", "error"] as const;
type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** A listed notification. The player is a username; the time is virtual, ISO 8601. */
interface Notification {
  id: string;
  game_id: string;
  player: string;
  type: NotificationType;
  message: string;
  created_at: string;
}

/** Notifications that games show their players in the launcher. */
export interface Notifications {
  send(player: PlayerRow, game: Game, message: string, type?: NotificationType): void;
  /** The latest notifications, newest first. */
  list(limit: number): Notification[];
}

export function createNotifications({ world, makeId }: GameContext): Notifications {
  const { store, clock, journal } = world;
  const save = createSave(store);
  const newest = store.sql<Omit<Notification, "created_at"> & { created_at: number }>(
    `select n.id, n.game as game_id, p.username as player, n.type, n.message, n.created_at from game_notifications n join game_players p on p.id = n.player
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

    list: (limit) => newest.all(limit).map((row) => ({ ...row, created_at: iso(row.created_at) })),
  };
}
