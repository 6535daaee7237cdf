import type { Static } from "typebox";
import { clip } from "../http/violation-text.ts";
import { inserter } from "../world/save.ts";
import type { Game, GameContext } from "./context.ts";
import { badRequest, notFound } from "./errors.ts";
import { createParticipants, type NamedParticipant, type Permission } from "./participants.ts";
import type { Players } from "./players.ts";
import type { ChannelKind, ChannelRow, Page, PlayerRow } from "./rows.ts";
import type * as records from "./schemas/records.ts";

type Channel = Static<typeof records.Channel>;

/** A world's message channels. See docs/fidelity.md, "Game launcher: resources". */
export interface Channels {
  byId(id: string): ChannelRow | undefined;
  /** Every channel with its participants' names, sorted by latest message, newest first. */
  all(): (ChannelRow & { participants: string[] })[];
  find(game: Game, name: string): ChannelRow | undefined;
  ownOf(player: PlayerRow, game: Game): ChannelRow | undefined;
  /**
   * A player's own channel with a game. It contains the sessions and the game's messages to the player, and is created
   * on first use.
   * @param id the id for a new channel
   */
  own(player: PlayerRow, game: Game, id?: string): ChannelRow;
  /**
   * Creates a channel between a player and others. For two players, an existing channel is returned.
   * @throws GameError BadRequest if a player is listed twice or is the creator, NotFound for an unknown address
   */
  create(
    creator: PlayerRow,
    game: Game,
    wallets: string[],
    look: { name?: string | undefined; picture?: string | undefined },
  ): Channel;
  /** A player's channels with a game, sorted by latest message, newest first. */
  list(player: PlayerRow, game: Game, page: Page): Page & { total: number; data: Channel[] };
  /** Returns a channel if the player has the permission. @throws GameError NotFound, Forbidden */
  enter(player: PlayerRow, game: Game, id: string, permission: Permission): ChannelRow;
  /** Updates a channel after a message was added (1), changed (0) or deleted (-1). */
  touch(id: string, messages: -1 | 0 | 1): void;
}

export function createChannels({ world, makeId }: GameContext, players: Players): Channels {
  const { store, clock, journal } = world;
  const byId = store.sql<ChannelRow>("select * from game_channels where id = ?");
  const byName = store.sql<ChannelRow>(
    "select * from game_channels where game = ? and name = ? order by id limit 1",
  );
  const ownOf = store.sql<ChannelRow>(
    `select c.* from game_participants p join game_channels c on c.id = p.channel
     where p.player = ? and c.game = ? and c.kind = 'own' limit 1`,
  );
  const directOf = store.sql<ChannelRow>(
    `select c.* from game_participants a join game_participants b on b.channel = a.channel
     join game_channels c on c.id = a.channel
     where a.player = ? and b.player = ? and c.game = ? and c.kind = 'direct' limit 1`,
  );
  const all = store.sql<ChannelRow>("select * from game_channels order by updated_at desc, id desc");
  const page = store.sql<ChannelRow>(
    `select c.* from game_participants p join game_channels c on c.id = p.channel
     where p.player = ? and c.game = ? order by c.updated_at desc, c.id desc limit ? offset ?`,
  );
  const count = store.sql<{ total: number }>(
    `select count(*) as total from game_participants p join game_channels c on c.id = p.channel
     where p.player = ? and c.game = ?`,
  );
  const participants = createParticipants(store);
  const save = inserter<ChannelRow>(store, "game_channels");
  const recordMessages = store.sql(
    "update game_channels set messages = messages + ?, updated_at = ? where id = ?",
  );

  function add(
    game: Game,
    kind: ChannelKind,
    { id = makeId("channel"), name, picture }: { id?: string | undefined; name: string; picture: string },
    members: readonly PlayerRow[],
  ): ChannelRow {
    const now = clock.now();
    const row = { id, game: game.id, kind, name, picture, messages: 0, created_at: now, updated_at: now };
    save(row);
    participants.add(id, members);
    journal.append("channel.created", { id, game: game.slug, kind, name, participants: members.length });
    return row;
  }

  const resource = (row: ChannelRow) => channelResource(row, participants.of(row.id));

  return {
    byId: (id) => byId.get(id),
    all: () =>
      all
        .all()
        .map((row) => ({ ...row, participants: participants.of(row.id).map(({ username }) => username) })),
    find(game, name) {
      const row = byId.get(name) ?? byName.get(game.id, name);
      return row?.game === game.id ? row : undefined;
    },

    ownOf: (player, game) => ownOf.get(player.id, game.id),
    own: (player, game, id) =>
      store.transaction(
        () =>
          ownOf.get(player.id, game.id) ??
          add(game, "own", { id, name: game.name, picture: player.avatar }, [player]),
      ),

    create(creator, game, wallets, { name, picture }) {
      return store.transaction(() => {
        const others = playersOf(players, creator, wallets);
        const [first] = others as [PlayerRow, ...PlayerRow[]];
        const direct = others.length === 1;
        const existing = direct ? directOf.get(creator.id, first.id, game.id) : undefined;
        const members = [creator, ...others];
        const look = { name: name ?? namesOf(members), picture: picture ?? first.avatar };
        return resource(existing ?? add(game, direct ? "direct" : "group", look, members));
      });
    },

    list: (player, game, { limit, skip }) => ({
      total: count.get(player.id, game.id)!.total,
      limit,
      skip,
      data: page.all(player.id, game.id, limit, skip).map(resource),
    }),

    enter(player, game, id, permission) {
      const row = byId.get(id);
      if (!row)
        throw notFound(`There is no channel '${clip(id)}'. getMessageChannels lists the player's channels.`);
      participants.check(player, game, row, permission);
      return row;
    },

    touch: (id, messages) => void recordMessages.run(messages, clock.now(), id),
  };
}

/** Resolves wallets to players. @throws GameError like `create` */
function playersOf(players: Players, creator: PlayerRow, wallets: readonly string[]): PlayerRow[] {
  const others = wallets.map((wallet) => {
    const player = players.byAddress(wallet);
    if (player) return player;
    throw notFound(
      `No player has the address ${wallet}. POST /_sandbox/game/tokens with that address creates one.`,
    );
  });
  const distinct = new Set(others.map(({ id }) => id)).add(creator.id);
  if (distinct.size === others.length + 1) return others;
  throw badRequest("otherParticipants must contain each other player once, and not the caller.");
}

/** The default channel name, made from its members' names. */
function namesOf(members: readonly PlayerRow[]): string {
  const names = members.slice(0, 3).map(({ username }) => username);
  return names.join(", ") + (members.length > 3 ? ` and ${members.length - 3} more` : "");
}

function channelResource(row: ChannelRow, participants: readonly NamedParticipant[]): Channel {
  return {
    _id: row.id,
    name: row.name,
    chatPicture: row.picture,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    participants: participants.map(({ address, user_group, permissions }) => ({
      wallet: address,
      userGroup: user_group,
      permissions: JSON.parse(permissions) as Permission[],
    })),
    gameId: row.game,
  };
}
