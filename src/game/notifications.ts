import { iso } from "../world/duration.ts";
import { createSave } from "../world/save.ts";
import type { Game, GameContext } from "./context.ts";
import type { PlayerRow } from "./rows.ts";

export const NOTIFICATION_TYPES = ["success", "error"] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

interface NotificationRow {
  id: string;
  game: string;
  username: string;
  type: NotificationType;
  message: string;
  created_at: number;
}

export type Notifications = ReturnType<typeof createNotifications>;

/** Notifications that games show their players in the launcher. */
export function createNotifications({ world, makeId }: GameContext) {
  const { store, clock, journal } = world;
  const save = createSave(store);
  const newest = store.sql<NotificationRow>(
    `select n.*, p.username from game_notifications n join game_players p on p.id = n.player
     order by n.created_at desc, n.id desc limit ?`,
  );

  return {
    send(player: PlayerRow, game: Game, message: string, type: NotificationType = "success"): void {
      store.transaction(() => {
        const id = makeId("notification");
        const about = { game: game.id, player: player.id, type, message };
        save("game_notifications", { id, ...about, created_at: clock.now() });
        journal.append("notification.sent", { id, game: game.slug, player: player.username, type, message });
      });
    },

    /** Newest first, for the control API. */
    list: (limit: number) =>
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
