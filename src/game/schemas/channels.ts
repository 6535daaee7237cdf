import { Type } from "typebox";
import { oneOf, shape } from "../../http/shapes.ts";
import { PERMISSIONS } from "../channels.ts";
import { MAX_MESSAGE_LENGTH, MAX_NAME_LENGTH, MAX_OTHERS, PAGE_SIZE } from "../limits.ts";
import { envelopeFields, launcherBody, Millis, ObjectId, pageFields, Wallet } from "./common.ts";

const ChannelId = Type.String({ minLength: 1, maxLength: 100, examples: ["6967fa40000a2b1c9f3e5d71"] });
const MessageId = ChannelId;
const Content = Type.String({ minLength: 1, maxLength: MAX_MESSAGE_LENGTH, examples: ["Good game!"] });

export const ChannelParticipant = shape("ChannelParticipant", {
  wallet: Type.String(),
  userGroup: Type.Integer({ description: "0 member, 1 moderator, 2 owner." }),
  permissions: Type.Array(oneOf(PERMISSIONS)),
});
export const Channel = shape("Channel", {
  _id: ObjectId,
  name: Type.String(),
  chatPicture: Type.String(),
  createdAt: Millis,
  updatedAt: Millis,
  participants: Type.Array(ChannelParticipant),
  gameId: Type.String(),
});
export const ChannelMessage = shape("ChannelMessage", {
  _id: ObjectId,
  channelId: Type.String(),
  senderId: Type.String({
    description: "The sender's address; the game's id for a message of the game itself.",
  }),
  content: Type.String(),
  createdAt: Millis,
  updatedAt: Millis,
});

export const GetMessageChannels = launcherBody("GetMessageChannels", pageFields(PAGE_SIZE));
export const ChannelList = shape("ChannelList", { ...envelopeFields, data: Type.Array(Channel) });
export const GetChannelMessages = launcherBody("GetChannelMessages", {
  channelId: ChannelId,
  ...pageFields(PAGE_SIZE),
});
export const ChannelMessageList = shape("ChannelMessageList", {
  ...envelopeFields,
  data: Type.Array(ChannelMessage),
});
export const CreateMessageChannel = launcherBody("CreateMessageChannel", {
  otherParticipants: Type.Array(Wallet, { minItems: 1, maxItems: MAX_OTHERS }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH })),
  chatPicture: Type.Optional(Type.String({ maxLength: 2_048 })),
});
export const SendChannelMessage = launcherBody("SendChannelMessage", {
  channelId: ChannelId,
  content: Content,
});
export const EditChannelMessage = launcherBody("EditChannelMessage", {
  messageId: MessageId,
  newContent: Content,
});
export const UnsendChannelMessage = launcherBody("UnsendChannelMessage", { messageId: MessageId });
