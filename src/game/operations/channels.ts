import * as shapes from "../schemas/channels.ts";
import { playerOperation, tagged } from "./operation.ts";

export const channelOperations = tagged("Channels", [
  playerOperation({
    method: "getMessageChannels",
    summary: "List the player's channels with the game",
    description: "Those with news first.",
    body: shapes.GetMessageChannels,
    answer: shapes.ChannelList,
    run: ({ channels }, { player, game }, page) => channels.list(player, game, page),
  }),
  playerOperation({
    method: "getChannelMessages",
    summary: "List the messages of a channel, newest first",
    body: shapes.GetChannelMessages,
    answer: shapes.ChannelMessageList,
    run: ({ messages }, session, { channelId, ...page }) => messages.list(session, channelId, page),
  }),
  playerOperation({
    method: "createMessageChannel",
    summary: "Create a channel with other players",
    description: "Two players share one channel: asking again returns the same one.",
    body: shapes.CreateMessageChannel,
    answer: shapes.Channel,
    run: ({ channels }, { player, game }, { otherParticipants, name, chatPicture }) =>
      channels.create(player, game, otherParticipants, { name, picture: chatPicture }),
  }),
  playerOperation({
    method: "sendChannelMessage",
    summary: "Send a message",
    body: shapes.SendChannelMessage,
    answer: shapes.ChannelMessage,
    run: ({ messages }, session, { channelId, content }) => messages.send(session, channelId, content),
  }),
  playerOperation({
    method: "editChannelMessage",
    summary: "Edit a message that the player wrote",
    body: shapes.EditChannelMessage,
    answer: shapes.ChannelMessage,
    run: ({ messages }, session, { messageId, newContent }) => messages.edit(session, messageId, newContent),
  }),
  playerOperation({
    method: "unsendChannelMessage",
    summary: "Take a message back",
    description: "One's own, or anybody's with the permission to moderate. Answers with what it was.",
    body: shapes.UnsendChannelMessage,
    answer: shapes.ChannelMessage,
    run: ({ messages }, session, { messageId }) => messages.unsend(session, messageId),
  }),
]);
