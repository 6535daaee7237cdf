import type { Static } from "typebox";
import { closest } from "../errors/closest.ts";
import { hintOfOption, invalidState, misuse, notFound, SandboxError } from "../errors/errors.ts";
import type { Game } from "../game/context.ts";
import type { GameArea } from "../game/game.ts";
import { MAX_TOKEN_LIFE, MIN_TOKEN_LIFE, TOKEN_LIFE } from "../game/limits.ts";
import { ADDRESS } from "../game/players.ts";
import type { PlayerRow, SessionRow } from "../game/rows.ts";
import type { ChannelMessage } from "../game/schemas/records.ts";
import { signRequest } from "../game/signature.ts";
import type * as schemas from "../operations/game.ts";
import { formatDuration } from "../timeline/duration.ts";
import { iso, isoOrNull, parseDuration } from "../world/duration.ts";

type TokenRequest = Static<typeof schemas.TokenBody>;

type Session = Static<typeof schemas.Session>;

/**
 * The operations on a world's game launcher. A game is named by its id or slug, by default it is the first one; a player by id,
 * address or username. Times are virtual, ISO 8601. See docs/guide/game.md.
 * @throws SandboxError `not_found`
 */
export interface GameControls {
  /** Mints a launcher JWT, which opens a session. @throws SandboxError `bad_request`, `invalid_duration` */
  token(request?: TokenRequest): Promise<Static<typeof schemas.Token>>;
  games(): Static<typeof schemas.Game>[];
  /** The signature of a request with this nonce. */
  signature(gameId: string | undefined, nonce: string): Static<typeof schemas.Signature>;
  players(): Static<typeof schemas.Player>[];
  /** Removes a player; the player's tokens are refused from now on. */
  removePlayer(name: string): Static<typeof schemas.Removed>;
  sessions(limit: number): Session[];
  /** Ends a session; its token is refused from now on. @throws SandboxError `invalid_state` if it was ended before */
  endSession(id: string): Session;
  /** Message channels, the one with the latest message first. @param game only those of this game */
  channels(game: string | undefined, limit: number | undefined): Static<typeof schemas.Channels>;
  scores(game: string | undefined, limit: number): Static<typeof schemas.Scores>;
  /** Posts a message as the game, or as a player with permission. @throws GameError Forbidden */
  post(message: Static<typeof schemas.MessageBody>): Static<typeof ChannelMessage>;
  /** The rules of every game, or of one: its own, and those for all games. */
  rules(game?: string): Static<typeof schemas.Rule>[];
  /** The latest notifications, newest first. */
  notifications(limit: number): Static<typeof schemas.Notification>[];
}

export function createGameControls(area: GameArea): GameControls {
  const { world, games, players, sessions, channels, messages, tokens } = area;
  const { ids } = world;

  /** @throws SandboxError `not_found` */
  function findPlayer(name: string): PlayerRow {
    const player = players.find(name);
    if (player) return player;
    if (/^0x[0-9a-f]*$/i.test(name) && !ADDRESS.test(name))
      throw misuse(
        `'${name.slice(0, 100)}' is not an address.`,
        "An address is 0x and 40 hexadecimal characters.",
      );
    throw notFound(`There is no player '${name.slice(0, 100)}'.`, {
      command: "A new address makes a new player: npx sandglass token --player 0x…",
      library: "A new address makes a new player: game.token({ address }).",
      http: "GET /_sandbox/game/players lists them; a token for a new address makes one.",
    });
  }

  function findGame(name: string | undefined): Game {
    const game = name === undefined ? games.main() : games.find(name);
    if (game) return game;
    const slugs = games.list().map(({ slug }) => slug);
    const meant = closest(name ?? "", slugs);
    throw notFound(
      name === undefined ? "There is no game." : `There is no game '${name.slice(0, 100)}'.`,
      slugs.length === 0
        ? "Add one to game.games in the configuration."
        : `${meant ? `Did you mean ${meant}? ` : ""}Games here: ${slugs.join(", ")}.`,
    );
  }

  function findSession(id: string): SessionRow {
    const row = sessions.byId(id);
    if (row) return row;
    throw notFound(`There is no session '${id.slice(0, 100)}'.`, "GET /_sandbox/game/sessions lists them.");
  }

  function chosenPlayer({ player, address }: TokenRequest): PlayerRow {
    if (player !== undefined && address !== undefined)
      throw misuse(
        "Name either player or address.",
        "A player is named by id, address or username; a new address makes a new player.",
      );
    if (player !== undefined) return ADDRESS.test(player) ? players.join(player) : findPlayer(player);
    if (address !== undefined) return players.join(address);
    return area.mainPlayer() ?? players.join(ids.hex("player_address", 20));
  }

  function noChannel(asked: Game, name: string): SandboxError {
    const other = games.list().find((game) => channels.find(game, name));
    const shown = `'${name.slice(0, 100)}'`;
    if (other)
      return notFound(
        `The game ${asked.slug} has no channel ${shown}, but ${other.slug} has.`,
        hintOfOption(
          `--game ${other.slug}`,
          `gameId: "${other.slug}"`,
          (option) => `Name that game: ${option}`,
        ),
      );
    return notFound(`There is no channel ${shown}.`, {
      command: "Print them all: npx sandglass channels",
      library: "GET /_sandbox/game/channels lists them.",
      http: "GET /_sandbox/game/channels lists them.",
    });
  }

  function readLifetime(duration: string | number | undefined): number {
    if (duration === undefined) return TOKEN_LIFE;
    const lifetime = parseDuration(duration);
    if (lifetime >= MIN_TOKEN_LIFE && lifetime <= MAX_TOKEN_LIFE) return lifetime;
    throw new SandboxError(
      "invalid_duration",
      `expiresIn must be from ${formatDuration(MIN_TOKEN_LIFE)} to ${formatDuration(MAX_TOKEN_LIFE)}, not ${formatDuration(lifetime)}.`,
      "Write it like 90s, 24h or 7d.",
    );
  }

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
    async token(request = {}) {
      const game = findGame(request.gameId);
      const lifetime = readLifetime(request.expiresIn);
      const player = chosenPlayer(request);
      const { token, session } = await tokens.mint(player, game, lifetime);
      return {
        token,
        player: playerView(player),
        game: { id: game.id, slug: game.slug, name: game.name },
        session_id: session.id,
        expires_at: iso(session.expires_at),
      };
    },

    games: () =>
      games.list().map(({ id, slug, name, secret, signatures }) => ({ id, slug, name, secret, signatures })),

    signature: (gameId, nonce) => ({ nonce, signature: signRequest(nonce, findGame(gameId).secret) }),

    players: () =>
      players.list().map((player) => ({
        ...playerView(player),
        created_at: iso(player.created_at),
        items: area.items.of(player.id),
      })),

    removePlayer(name) {
      const player = findPlayer(name);
      players.remove(player);
      return { id: player.id, removed: true };
    },

    sessions: (limit) => sessions.list(limit).map(sessionView),

    endSession(id) {
      const row = findSession(id);
      if (row.ended_at !== null)
        throw invalidState(`The session ${id} was ended at ${iso(row.ended_at)}.`, "There is nothing to do.");
      sessions.end(row);
      return sessionView(findSession(id));
    },

    channels(game, limit) {
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

    scores(name, limit) {
      const { id, slug, name: title } = findGame(name);
      const leaderboard = area.scores.leaderboard(id, { limit, skip: 0 });
      return { game: { id, slug, name: title }, leaderboard };
    },

    post({ channel: name, from, content, gameId }) {
      const asked = findGame(gameId);
      const channel = channels.byId(name) ?? channels.find(asked, name);
      if (!channel) throw noChannel(asked, name);
      const game = findGame(channel.game);
      if (from === undefined) return messages.sendFromGame(game, channel, content);
      return messages.send({ player: findPlayer(from), game }, channel.id, content);
    },

    rules(name) {
      const game = name === undefined ? undefined : findGame(name);
      return area.rules
        .list()
        .filter((rule) => !game || rule.game === null || [game.id, game.slug].includes(rule.game));
    },
    notifications: area.notifications.list,
  };
}
