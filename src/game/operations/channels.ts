import { Type } from "typebox";
import { shape } from "../../http/shapes.ts";
import { MAX_MESSAGE_LENGTH, MAX_NAME_LENGTH, MAX_OTHERS, PAGE_SIZE } from "../limits.ts";
import { envelopeFields, pageFields, RecordId, textOf, Wallet } from "../schemas/common.ts";
import { Channel, ChannelMessage } from "../schemas/records.ts";
import { playerOperation, tagged } from "./operation.ts";

const Content = textOf(MAX_MESSAGE_LENGTH, { examples: ["Good game!"] });

export const channelOperations = tagged("Channels", [
  playerOperation({
    method: "getMessageChannels",
    summary: "List the player's channels with the game",
    description: "Those with news first.",
    takes: pageFields(PAGE_SIZE),
    answer: shape("ChannelList", { ...envelopeFields, data: Type.Array(Channel) }),
    run: ({ channels }, { player, game }, page) => channels.list(player, game, page),
  }),
  playerOperation({
    method: "getChannelMessages",
    summary: "List the messages of a channel, newest first",
    takes: { channelId: RecordId, ...pageFields(PAGE_SIZE) },
    answer: shape("ChannelMessageList", { ...envelopeFields, data: Type.Array(ChannelMessage) }),
    run: ({ messages }, session, { channelId, ...page }) => messages.list(session, channelId, page),
  }),
  playerOperation({
    method: "createMessageChannel",
    summary: "Create a channel with other players",
    description: "Two players share one channel: asking again returns the same one.",
    takes: {
      otherParticipants: Type.Array(Wallet, { minItems: 1, maxItems: MAX_OTHERS }),
      name: Type.Optional(textOf(MAX_NAME_LENGTH)),
      chatPicture: Type.Optional(Type.String({ maxLength: 2_048 })),
    },
    answer: Channel,
    run: ({ channels }, { player, game }, { otherParticipants, name, chatPicture }) =>
      channels.create(player, game, otherParticipants, { name, picture: chatPicture }),
  }),
  playerOperation({
    method: "sendChannelMessage",
    summary: "Send a message",
    takes: { channelId: RecordId, content: Content },
    answer: ChannelMessage,
    run: ({ messages }, session, { channelId, content }) => messages.send(session, channelId, content),
  }),
  playerOperation({
    method: "editChannelMessage",
    summary: "Edit a message that the player wrote",
    takes: { messageId: RecordId, newContent: Content },
    answer: ChannelMessage,
    run: ({ messages }, session, { messageId, newContent }) => messages.edit(session, messageId, newContent),
  }),
  playerOperation({
    method: "unsendChannelMessage",
    summary: "Take a message back",
    description: "One's own, or anybody's with the permission to moderate. Answers with what it was.",
    takes: { messageId: RecordId },
    answer: ChannelMessage,
    run: ({ messages }, session, { messageId }) => messages.unsend(session, messageId),
  }),
]);
