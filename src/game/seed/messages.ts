import chat from "../../../fixtures/game/chat.json" with { type: "json" };
import { MINUTE, SECOND } from "../../world/duration.ts";
import type { MessageRow } from "../rows.ts";
import type { SeededChannel } from "./channels.ts";
import { instants, type Seeding, tell } from "./seeding.ts";

const MESSAGES = 3_000;
const OPENS = 0.3;
const EDITED = 0.03;

/** Lets players talk, and writes their channels with what came of it. */
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
