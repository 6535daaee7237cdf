import { iso } from "../world/duration.ts";
import { inserter } from "../world/save.ts";
import type { Channels } from "./channels.ts";
import type { Game, GameContext } from "./context.ts";
import { notAuthenticated } from "./errors.ts";
import { type Games, gameGone } from "./games.ts";
import { PRESENCE } from "./limits.ts";
import { type Players, playerGone } from "./players.ts";
import type { PlayerRow, SessionRow } from "./rows.ts";

export interface Seat {
  player: PlayerRow;
  game: Game;
}

export interface Session extends Seat {
  row: SessionRow;
}

export type Sessions = ReturnType<typeof createSessions>;

/** A player's sessions with games: one for each token that was minted. */
export function createSessions(
  { world, makeId }: GameContext,
  games: Games,
  players: Players,
  channels: Channels,
) {
  const { store, clock, journal } = world;
  const byId = store.sql<SessionRow>("select * from game_sessions where id = ?");
  const all = store.sql<SessionRow>("select * from game_sessions order by id desc limit ?");
  const current = store.sql<SessionRow>(
    `select * from game_sessions where player = ? and game = ? and ended_at is null and expires_at > ?
     order by id desc limit 1`,
  );
  const newestToken = store.sql<{ token: string }>(
    `select token from game_sessions
     where player = ? and game = ? and token is not null and ended_at is null and expires_at > ?
     order by id desc limit 1`,
  );
  const save = inserter<SessionRow>(store, "game_sessions");
  const setToken = store.sql("update game_sessions set token = ? where id = ?");
  const setHeartbeat = store.sql("update game_sessions set last_heartbeat_at = ? where id = ?");
  const setEnded = store.sql("update game_sessions set ended_at = ? where id = ?");

  const isPresent = (row: SessionRow): boolean =>
    row.ended_at === null && row.last_heartbeat_at !== null && clock.now() - row.last_heartbeat_at < PRESENCE;

  return {
    byId: (id: string): SessionRow | undefined => byId.get(id),
    /** The newest session of a player with a game that has not ended. */
    current: (player: string, game: string): SessionRow | undefined => current.get(player, game, clock.now()),
    /** The player's newest token for a game that is valid at an instant. */
    newestToken: (player: string, game: string, at = 0): string | undefined =>
      newestToken.get(player, game, at)?.token,
    /** Newest first. */
    list: (limit: number): SessionRow[] => all.all(limit),
    isPresent,

    /** Opens a session in the player's own channel. The player is present only after a heartbeat. */
    open(player: PlayerRow, game: Game, expiresAt: number, newChannelId?: string): SessionRow {
      return store.transaction(() => {
        const id = makeId("session");
        const { id: channel } = channels.own(player, game, newChannelId);
        save({
          id,
          game: game.id,
          player: player.id,
          channel,
          opened_at: clock.now(),
          expires_at: expiresAt,
        });
        journal.append("session.opened", { id, game: game.slug, player: player.username });
        return byId.get(id)!;
      });
    },

    keepToken: (id: string, token: string): void => void setToken.run(token, id),

    /**
     * The session of a call.
     * @throws GameError NotAuthenticated when its player or game is gone, or (unless `evenEnded`) it was ended
     */
    enter(id: string, evenEnded: boolean): Session {
      const row = byId.get(id);
      if (!row)
        throw notAuthenticated(
          "launcherJwt is of a session that is not in this world (was it reset?). POST /_sandbox/game/tokens mints another.",
        );
      if (row.ended_at !== null && !evenEnded)
        throw notAuthenticated(
          `launcherJwt is of a session that was ended at ${iso(row.ended_at)}. POST /_sandbox/game/tokens opens another.`,
        );
      const player = players.byId(row.player);
      if (!player) throw playerGone(row.player);
      const game = games.find(row.game);
      if (!game) throw gameGone(row.game);
      return { row, player, game };
    },

    heartbeat(row: SessionRow): void {
      setHeartbeat.run(clock.now(), row.id);
    },

    status({ row, player }: Session) {
      return {
        exists: row.ended_at === null,
        present: isPresent(row),
        wallet: player.address,
        openedAt: row.opened_at,
      };
    },

    end(row: SessionRow): void {
      store.transaction(() => {
        setEnded.run(clock.now(), row.id);
        journal.append("session.ended", { id: row.id, game: row.game, player: row.player });
      });
    },
  };
}
