import type { Static } from "typebox";
import { clip } from "../http/violation-text.ts";
import { inserter } from "../world/save.ts";
import type { Channels } from "./channels.ts";
import type { Game, GameContext } from "./context.ts";
import { forbidden, notFound } from "./errors.ts";
import type { ChannelRow, MessageRow, Page } from "./rows.ts";
import type { ChannelMessage } from "./schemas/records.ts";
import type { Seat } from "./sessions.ts";

type Message = Static<typeof ChannelMessage>;

/** Channel messages. @throws GameError NotFound; Forbidden if the player lacks the permission */
export interface Messages {
  /** A channel's messages, newest first. */
  list(seat: Seat, channelId: string, page: Page): Page & { total: number; data: Message[] };
  send(seat: Seat, channelId: string, content: string): Message;
  /** Posts a message from the game itself, with the game's id as its sender. */
  sendFromGame(game: Game, channel: ChannelRow, content: string): Message;
  /** Edits the player's own message. */
  edit(seat: Seat, id: string, content: string): Message;
  /** Deletes and returns a message: the player's own, or any message if the player may moderate. */
  unsend(seat: Seat, id: string): Message;
}

export function createMessages({ world, makeId }: GameContext, channels: Channels): Messages {
  const { store, clock, journal } = world;
  const byId = store.sql<MessageRow>("select * from game_messages where id = ?");
  const page = store.sql<MessageRow>(
    "select * from game_messages where channel = ? order by id desc limit ? offset ?",
  );
  const save = inserter<MessageRow>(store, "game_messages");
  const update = store.sql(
    "update game_messages set content = ?, updated_at = ? where channel = ? and id = ?",
  );
  const remove = store.sql("delete from game_messages where channel = ? and id = ?");

  function find(id: string): MessageRow {
    const row = byId.get(id);
    if (row) return row;
    throw notFound(`There is no message '${clip(id)}'. getChannelMessages lists a channel's messages.`);
  }

  function post(channel: ChannelRow, sender: string, content: string) {
    return store.transaction(() => {
      const id = makeId("message");
      const now = clock.now();
      const row = { channel: channel.id, id, sender, content, created_at: now, updated_at: now };
      save(row);
      channels.touch(channel.id, 1);
      journal.append("message.sent", { id, channel: channel.id, sender, content: clip(content) });
      return messageResource(row);
    });
  }

  return {
    list({ player, game }, channelId, { limit, skip }) {
      const channel = channels.enter(player, game, channelId, "read");
      return {
        total: channel.messages,
        limit,
        skip,
        data: page.all(channel.id, limit, skip).map(messageResource),
      };
    },

    send: ({ player, game }, channelId, content) =>
      post(channels.enter(player, game, channelId, "write"), player.address, content),

    sendFromGame: (game, channel, content) => post(channel, game.id, content),

    edit({ player, game }, id, content) {
      return store.transaction(() => {
        const row = find(id);
        channels.enter(player, game, row.channel, "write");
        if (row.sender !== player.address)
          throw forbidden("Only the author of a message can edit it. Send a new one instead.");
        update.run(content, clock.now(), row.channel, id);
        channels.touch(row.channel, 0);
        journal.append("message.edited", { id, channel: row.channel, content: clip(content) });
        return messageResource(byId.get(id)!);
      });
    },

    unsend({ player, game }, id) {
      return store.transaction(() => {
        const row = find(id);
        channels.enter(player, game, row.channel, row.sender === player.address ? "write" : "moderate");
        remove.run(row.channel, id);
        channels.touch(row.channel, -1);
        journal.append("message.unsent", { id, channel: row.channel });
        return messageResource(row);
      });
    },
  };
}

function messageResource(row: MessageRow): Message {
  return {
    _id: row.id,
    channelId: row.channel,
    senderId: row.sender,
    content: row.content,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
