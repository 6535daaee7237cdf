import chat from "../../../fixtures/game/chat.json" with { type: "json" };
import { DAY, MINUTE, SECOND } from "../../world/duration.ts";
import { membership, type UserGroup } from "../participants.ts";
import type { ChannelKind, ChannelRow, MessageRow, ParticipantRow, PlayerRow } from "../rows.ts";
import { HISTORY, instants, playedGames, type SeededGame, type Seeding, tell } from "./seeding.ts";

export interface SeededChannel {
  row: ChannelRow;
  of: SeededGame;
  members: PlayerRow[];
  /** The channel's share of the seeded messages. */
  weight: number;
}

const DIRECT = 14;
const MODERATORS = 3;

/** Creates 40 channels: a large one for each game with players, rooms, empty channels, direct ones and players' own. */
export function seedChannels(seeding: Seeding): SeededChannel[] {
  const { draws } = seeding;
  const played = playedGames(seeding);
  const [main] = played as [SeededGame];
  const room = (name: string, of: SeededGame, weight: number) =>
    seedChannel(seeding, of, "group", name, draws.some(of.players, draws.between(3, 12)), weight);

  return [
    ...played.map((of) => seedChannel(seeding, of, "group", `${of.game.name}: everyone`, of.players, 400)),
    ...chat.rooms.map((name, index) => room(name, played[index % played.length]!, draws.between(20, 110))),
    ...chat.empty.map((name, index) => room(name, played[index % played.length]!, 0)),
    ...Array.from({ length: DIRECT }, (_, index) => {
      const of = played[index % played.length]!;
      const [seeded] = of.players as [PlayerRow];
      const pair = index < 4 ? [seeded, of.players[index + 1]!] : draws.some(of.players.slice(5), 2);
      const name = pair.map(({ username }) => username).join(", ");
      return seedChannel(seeding, of, "direct", name, pair, draws.between(1, 40));
    }),
    ...played.map((of) => seedChannel(seeding, of, "own", of.game.name, of.players.slice(0, 1), 2)),
    seedChannel(seeding, main, "own", main.game.name, main.players.slice(1, 2), 1),
  ];
}

function seedChannel(
  { draws, makeId, now, save }: Seeding,
  of: SeededGame,
  kind: ChannelKind,
  name: string,
  members: PlayerRow[],
  weight: number,
): SeededChannel {
  const createdAt = now - HISTORY + draws.between(0, 20 * DAY);
  const row: ChannelRow = {
    id: makeId("channel", createdAt),
    game: of.game.id,
    kind,
    name,
    picture: members[0]!.avatar,
    messages: 0,
    created_at: createdAt,
    updated_at: createdAt,
  };
  const large = kind === "group" && members.length > 15;
  for (const [position, { id: player }] of members.entries()) {
    const group: UserGroup =
      position === 0 ? "owner" : large && position <= MODERATORS ? "moderator" : "member";
    // The last member of a large channel has read-only access.
    const muted = large && position === members.length - 1;
    save("game_participants", {
      channel: row.id,
      player,
      position,
      ...membership(group, muted ? ["read"] : undefined),
    } satisfies ParticipantRow);
  }
  return { row, of, members: large ? members.slice(0, -1) : members, weight };
}

const MESSAGES = 1_000;
const OPENS = 0.3;
const EDITED = 0.03;

export function seedMessages(seeding: Seeding, channels: SeededChannel[]): void {
  const { draws, save, makeId } = seeding;
  const places = channels.flatMap((channel) => Array<SeededChannel>(channel.weight).fill(channel));
  const since = Math.max(...channels.map(({ row }) => row.created_at));
  for (const at of instants(seeding, MESSAGES, since)) {
    const channel = draws.pick(places);
    const { row } = channel;
    const editedAt = draws.chance(EDITED) ? at + draws.between(5 * SECOND, MINUTE) : at;
    row.messages += 1;
    row.updated_at = Math.max(row.updated_at, editedAt);
    save("game_messages", {
      channel: row.id,
      id: makeId("message", at),
      ...say(seeding, channel),
      created_at: at,
      updated_at: editedAt,
    } satisfies MessageRow);
  }
  for (const { row } of channels) save("game_channels", row);
}

function say(seeding: Seeding, { row, of, members }: SeededChannel): { sender: string; content: string } {
  const { draws } = seeding;
  if (row.kind === "own") {
    const content = tell(seeding, of, draws.pick(chat.from_game), members[0]!.username);
    return { sender: of.game.id, content };
  }
  const speaker = draws.pickEarly(members);
  const other = draws.pick(members);
  const lines = draws.chance(OPENS) ? chat.openers : chat.replies;
  return { sender: speaker.address, content: tell(seeding, of, draws.pick(lines), other.username) };
}
