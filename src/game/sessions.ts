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

/** Players' sessions with games, one per minted token. Instants are virtual milliseconds. */
export interface Sessions {
  byId(id: string): SessionRow | undefined;
  /** The newest session between a player and a game that has not ended. */
  current(player: string, game: string): SessionRow | undefined;
  /** The player's newest token for a game. With `at`, only tokens valid at that instant count. */
  newestToken(player: string, game: string, at?: number): string | undefined;
  /** All sessions, newest first. */
  list(limit: number): SessionRow[];
  /** Whether the session is open and its latest heartbeat is recent. */
  isPresent(row: SessionRow): boolean;
  /** Opens a session in the player's own channel. The player is present only after a heartbeat. */
  open(player: PlayerRow, game: Game, expiresAt: number, newChannelId?: string): SessionRow;
  keepToken(id: string, token: string): void;
  /**
   * Returns a call's session.
   * @throws GameError NotAuthenticated if its player or game no longer exists or (unless `evenEnded`) it has ended
   */
  enter(id: string, evenEnded: boolean): Session;
  heartbeat(row: SessionRow): void;
  status(session: Session): { exists: boolean; present: boolean; wallet: string; openedAt: number };
  end(row: SessionRow): void;
}

export function createSessions(
  { world, makeId }: GameContext,
  { games, players, channels }: { games: Games; players: Players; channels: Channels },
): Sessions {
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
  const save = inserter<SessionRow, "token" | "ended_at" | "last_heartbeat_at">(store, "game_sessions");
  const setToken = store.sql("update game_sessions set token = ? where id = ?");
  const setHeartbeat = store.sql("update game_sessions set last_heartbeat_at = ? where id = ?");
  const setEnded = store.sql("update game_sessions set ended_at = ? where id = ?");

  const isPresent = (row: SessionRow): boolean =>
    row.ended_at === null && row.last_heartbeat_at !== null && clock.now() - row.last_heartbeat_at < PRESENCE;

  return {
    byId: (id) => byId.get(id),
    current: (player, game) => current.get(player, game, clock.now()),
    newestToken: (player, game, at = 0) => newestToken.get(player, game, at)?.token,
    list: (limit) => all.all(limit),
    isPresent,

    open(player, game, expiresAt, newChannelId) {
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

    keepToken: (id, token) => void setToken.run(token, id),

    enter(id, evenEnded) {
      const row = byId.get(id);
      if (!row)
        throw notAuthenticated(
          "launcherJwt belongs to a session that does not exist in this world (was it reset?). POST /_sandbox/game/tokens mints a token for a new session.",
        );
      if (row.ended_at !== null && !evenEnded)
        throw notAuthenticated(
          `launcherJwt belongs to a session that ended at ${iso(row.ended_at)}. POST /_sandbox/game/tokens opens a new session.`,
        );
      const player = players.byId(row.player);
      if (!player) throw playerGone(row.player);
      const game = games.find(row.game);
      if (!game) throw gameGone(row.game);
      return { row, player, game };
    },

    heartbeat: ({ id }) => void setHeartbeat.run(clock.now(), id),

    status: ({ row, player }) => ({
      exists: row.ended_at === null,
      present: isPresent(row),
      wallet: player.address,
      openedAt: row.opened_at,
    }),

    end(row) {
      store.transaction(() => {
        setEnded.run(clock.now(), row.id);
        journal.append("session.ended", { id: row.id, game: row.game, player: row.player });
      });
    },
  };
}
