import { clip } from "../http/violation-text.ts";
import { createSave } from "../world/save.ts";
import type { Game, GameContext } from "./context.ts";
import { badRequest, forbidden, notFound } from "./errors.ts";
import type { Players } from "./players.ts";
import type { ChannelKind, ChannelRow, Page, ParticipantRow, PlayerRow } from "./rows.ts";

export const PERMISSIONS = ["read", "write", "moderate", "admin"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** 0 member, 1 moderator, 2 owner, with what each may do. */
export const USER_GROUPS = {
  member: { userGroup: 0, permissions: ["read", "write"] },
  moderator: { userGroup: 1, permissions: ["read", "write", "moderate"] },
  owner: { userGroup: 2, permissions: ["read", "write", "moderate", "admin"] },
} as const satisfies Record<string, { userGroup: number; permissions: readonly Permission[] }>;
export type UserGroup = keyof typeof USER_GROUPS;

export function membership(
  group: UserGroup,
  permissions: readonly string[] = USER_GROUPS[group].permissions,
) {
  return { user_group: USER_GROUPS[group].userGroup, permissions: JSON.stringify(permissions) };
}

export type Channels = ReturnType<typeof createChannels>;

export function createChannels({ world, makeId }: GameContext, players: Players) {
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
  const participantsOf = store.sql<ParticipantRow & { address: string; username: string }>(
    `select p.*, players.address, players.username from game_participants p
     join game_players players on players.id = p.player where p.channel = ? order by p.position`,
  );
  const participant = store.sql<ParticipantRow>(
    "select * from game_participants where player = ? and channel = ?",
  );
  const save = createSave(store);
  const recordMessages = store.sql(
    "update game_channels set messages = messages + ?, updated_at = ? where id = ?",
  );

  function add(
    game: Game,
    kind: ChannelKind,
    { id = makeId("channel"), name, picture }: { id?: string | undefined; name: string; picture: string },
    participants: readonly PlayerRow[],
  ): ChannelRow {
    const now = clock.now();
    const row = { id, game: game.id, kind, name, picture, messages: 0, created_at: now, updated_at: now };
    save("game_channels", row);
    for (const [position, player] of participants.entries())
      save("game_participants", {
        channel: id,
        player: player.id,
        position,
        ...membership(position === 0 ? "owner" : "member"),
      });
    journal.append("channel.created", { id, game: game.slug, kind, name, participants: participants.length });
    return row;
  }

  function resource(row: ChannelRow) {
    return {
      _id: row.id,
      name: row.name,
      chatPicture: row.picture,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      participants: participantsOf.all(row.id).map(({ address, user_group, permissions }) => ({
        wallet: address,
        userGroup: user_group,
        permissions: JSON.parse(permissions) as string[],
      })),
      gameId: row.game,
    };
  }

  return {
    byId: (id: string): ChannelRow | undefined => byId.get(id),
    /** Every channel, the one with the latest message first, with the names of its participants. */
    all: () =>
      all
        .all()
        .map((row) => ({ ...row, participants: participantsOf.all(row.id).map(({ username }) => username) })),
    /** A channel of a game by id or name. */
    find(game: Game, name: string): ChannelRow | undefined {
      const row = byId.get(name) ?? byName.get(game.id, name);
      return row?.game === game.id ? row : undefined;
    },

    ownOf: (player: PlayerRow, game: Game): ChannelRow | undefined => ownOf.get(player.id, game.id),

    /** A player's own channel with a game: it has the sessions, and the game's messages to the player. */
    own: (player: PlayerRow, game: Game, id?: string): ChannelRow =>
      store.transaction(
        () =>
          ownOf.get(player.id, game.id) ??
          add(game, "own", { id, name: game.name, picture: player.avatar }, [player]),
      ),

    /**
     * A channel of a player with others. Two players have one, which is returned again.
     * @throws GameError BadRequest for oneself or the same player twice, NotFound for an address that no player has
     */
    create(
      creator: PlayerRow,
      game: Game,
      wallets: string[],
      { name, picture }: { name?: string | undefined; picture?: string | undefined },
    ) {
      return store.transaction(() => {
        const others = wallets.map((wallet) => {
          const player = players.byAddress(wallet);
          if (!player)
            throw notFound(
              `No player has the address ${wallet}. POST /_sandbox/game/tokens with that address makes one.`,
            );
          return player;
        });
        const distinct = new Set(others.map(({ id }) => id)).add(creator.id);
        if (distinct.size !== others.length + 1)
          throw badRequest("otherParticipants must name each other player once, and not the caller.");
        const [first] = others as [PlayerRow, ...PlayerRow[]];
        const direct = others.length === 1;
        const existing = direct ? directOf.get(creator.id, first.id, game.id) : undefined;
        const names = [creator, ...others].slice(0, 3).map(({ username }) => username);
        const more = others.length > 2 ? ` and ${others.length - 2} more` : "";
        return resource(
          existing ??
            add(
              game,
              direct ? "direct" : "group",
              { name: name ?? names.join(", ") + more, picture: picture ?? first.avatar },
              [creator, ...others],
            ),
        );
      });
    },

    /** A player's channels with a game, the one with the latest message first. */
    list: (player: PlayerRow, game: Game, { limit, skip }: Page) => ({
      total: count.get(player.id, game.id)!.total,
      limit,
      skip,
      data: page.all(player.id, game.id, limit, skip).map(resource),
    }),

    /** A channel that a player may use in this way. @throws GameError NotFound, Forbidden */
    enter(player: PlayerRow, game: Game, id: string, permission: Permission): ChannelRow {
      const row = byId.get(id);
      const part = row && participant.get(player.id, id);
      if (row && part && row.game === game.id && may(part, permission)) return row;
      if (!row)
        throw notFound(`There is no channel '${clip(id)}'. getMessageChannels lists the player's channels.`);
      if (!part)
        throw forbidden(
          `${player.username} takes no part in the channel '${row.name}'. getMessageChannels lists the player's channels.`,
        );
      if (row.game !== game.id)
        throw forbidden(`The channel '${row.name}' belongs to another game than the token, ${game.name}.`);
      throw forbidden(
        `${player.username} may not ${permission} in the channel '${row.name}': permissions there are ${part.permissions}.`,
      );
    },

    /** Counts messages that were added (1), changed (0) or deleted (-1). */
    touch: (id: string, messages: -1 | 0 | 1): void => void recordMessages.run(messages, clock.now(), id),
  };
}

function may({ permissions }: ParticipantRow, permission: Permission): boolean {
  return permissions.includes(`"${permission}"`);
}
