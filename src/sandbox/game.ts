import type { Static } from "typebox";
import { invalidDuration, invalidState } from "../errors/errors.ts";
import type { GameArea } from "../game/game.ts";
import { MAX_TOKEN_LIFE, MIN_TOKEN_LIFE, TOKEN_LIFE } from "../game/limits.ts";
import type { PlayerRow, SessionRow } from "../game/rows.ts";
import { signRequest } from "../game/signature.ts";
import type * as schemas from "../operations/game.ts";
import type { MethodsOf } from "../operations/index.ts";
import { formatDuration } from "../timeline/duration.ts";
import { iso, isoOrNull, parseDuration } from "../world/duration.ts";
import { createGameNames } from "./game-names.ts";

type Session = Static<typeof schemas.Session>;

/**
 * Operations on a world's game launcher. Games are identified by id or slug, and the default is the first game; players
 * are identified by id, address or username. Times are virtual, in ISO 8601 format. See docs/guide/game.md.
 * @throws SandboxError `not_found`
 */
export type GameControls = MethodsOf<"game", "token">;

export function createGameControls(area: GameArea): GameControls {
  const { games, players, sessions, channels, messages, tokens } = area;
  const { findChannel, findGame, findPlayer, findSession, playerFor } = createGameNames(area);

  const playerView = ({ id, address, username, avatar }: PlayerRow) => ({ id, address, username, avatar });

  const sessionView = (row: SessionRow): Session => ({
    id: row.id,
    game_id: row.game,
    player_id: row.player,
    channel_id: row.channel,
    token: row.token,
    opened_at: iso(row.opened_at),
    expires_at: iso(row.expires_at),
    ended_at: isoOrNull(row.ended_at),
    last_heartbeat_at: isoOrNull(row.last_heartbeat_at),
    present: sessions.isPresent(row),
  });

  return {
    async token(request) {
      const game = findGame(request.gameId);
      const lifetime = readLifetime(request.expiresIn);
      const player = playerFor(request);
      const { token, session } = await tokens.mint(player, game, lifetime);
      return {
        token,
        player: playerView(player),
        game: { id: game.id, slug: game.slug, name: game.name },
        session_id: session.id,
        expires_at: iso(session.expires_at),
      };
    },

    games: () => ({
      data: games
        .list()
        .map(({ id, slug, name, secret, signatures }) => ({ id, slug, name, secret, signatures })),
    }),

    signature: ({ gameId, nonce }) => ({ nonce, signature: signRequest(nonce, findGame(gameId).secret) }),

    players: () => ({
      data: players.list().map((player) => ({
        ...playerView(player),
        created_at: iso(player.created_at),
        items: area.items.of(player.id),
      })),
    }),

    removePlayer({ id }) {
      const player = findPlayer(id);
      players.remove(player);
      return { id: player.id, removed: true };
    },

    sessions: ({ limit }) => ({ data: sessions.list(limit).map(sessionView) }),

    endSession({ id }) {
      const row = findSession(id);
      if (row.ended_at !== null)
        throw invalidState(`The session ${id} was ended at ${iso(row.ended_at)}.`, "No action is needed.");
      sessions.end(row);
      return sessionView(findSession(id));
    },

    channels({ game, limit }) {
      const of = game === undefined ? undefined : findGame(game).id;
      const all = channels.all().filter((channel) => of === undefined || channel.game === of);
      const data = all.slice(0, limit).map(({ participants, ...row }) => ({
        id: row.id,
        game_id: row.game,
        kind: row.kind,
        name: row.name,
        participants,
        messages: row.messages,
        created_at: iso(row.created_at),
        updated_at: iso(row.updated_at),
      }));
      return { data, total_count: all.length };
    },

    scores({ game: name, limit }) {
      const { id, slug, name: title } = findGame(name);
      const leaderboard = area.scores.leaderboard(id, { limit, skip: 0 });
      return { game: { id, slug, name: title }, leaderboard };
    },

    post({ channel: name, from, content, gameId }) {
      const { channel, game } = findChannel(name, gameId);
      if (from === undefined) return messages.sendFromGame(game, channel, content);
      return messages.send({ player: findPlayer(from), game }, channel.id, content);
    },

    rules({ game: name }) {
      const game = name === undefined ? undefined : findGame(name);
      const isOf = (of: string | null) => !game || of === null || [game.id, game.slug].includes(of);
      return { data: area.rules.list().filter((rule) => isOf(rule.game)) };
    },
    notifications: ({ limit }) => ({ data: area.notifications.list(limit) }),
  };
}

/** Parses a token's lifetime into virtual milliseconds. @throws SandboxError `invalid_duration` */
function readLifetime(duration: string | number | undefined): number {
  if (duration === undefined) return TOKEN_LIFE;
  const lifetime = parseDuration(duration);
  if (lifetime >= MIN_TOKEN_LIFE && lifetime <= MAX_TOKEN_LIFE) return lifetime;
  throw invalidDuration(
    `expiresIn must be from ${formatDuration(MIN_TOKEN_LIFE)} to ${formatDuration(MAX_TOKEN_LIFE)}, not ${formatDuration(lifetime)}.`,
    "Use a duration such as 90s, 24h or 7d.",
  );
}
