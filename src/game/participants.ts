import { inserter } from "../world/save.ts";
import type { Store } from "../world/store.ts";
import type { Game } from "./context.ts";
import { forbidden } from "./errors.ts";
import type { ChannelRow, ParticipantRow, PlayerRow } from "./rows.ts";

export const PERMISSIONS = ["read", "write", "moderate", "admin"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** User groups (0 member, 1 moderator, 2 owner) and their permissions. */
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

export type NamedParticipant = ParticipantRow & { address: string; username: string };

/** Channel participants and their permissions. */
export function createParticipants(store: Store) {
  const ofChannel = store.sql<NamedParticipant>(
    `select p.*, players.address, players.username from game_participants p
     join game_players players on players.id = p.player where p.channel = ? order by p.position`,
  );
  const one = store.sql<ParticipantRow>("select * from game_participants where player = ? and channel = ?");
  const save = inserter<ParticipantRow>(store, "game_participants");

  return {
    of: (channel: string): NamedParticipant[] => ofChannel.all(channel),

    /** Adds players. The first one becomes the owner. */
    add(channel: string, players: readonly PlayerRow[]): void {
      for (const [position, { id: player }] of players.entries())
        save({ channel, player, position, ...membership(position === 0 ? "owner" : "member") });
    },

    /** @throws GameError Forbidden if the player lacks the permission in this game */
    check(player: PlayerRow, game: Game, channel: ChannelRow, wanted: Permission): void {
      const part = one.get(player.id, channel.id);
      if (!part)
        throw forbidden(
          `${player.username} is not a participant in the channel '${channel.name}'. getMessageChannels lists the player's channels.`,
        );
      if (channel.game !== game.id)
        throw forbidden(`The channel '${channel.name}' does not belong to the token's game, ${game.name}.`);
      if (!part.permissions.includes(`"${wanted}"`))
        throw forbidden(
          `${player.username} does not have permission to ${wanted} in the channel '${channel.name}': permissions there are ${part.permissions}.`,
        );
    },
  };
}
