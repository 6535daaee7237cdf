import { Type } from "typebox";
import { oneOf, shape } from "../../http/shapes.ts";
import { PERMISSIONS } from "../participants.ts";
import { ACTIVITY_TYPES } from "../rows.ts";
import { Millis, NormalizedAddress, ObjectId } from "./common.ts";

const scoreFields = {
  _id: ObjectId,
  nonce: Type.String(),
  gameId: Type.String(),
  normalizedAddress: NormalizedAddress,
  score: Type.Number(),
  updatedAt: Millis,
};
export const Score = shape("Score", scoreFields);
export const LeaderboardEntry = shape("LeaderboardEntry", {
  ...scoreFields,
  username: Type.String(),
  avatar: Type.String(),
});

export const UserState = shape("UserState", {
  _id: ObjectId,
  gameId: Type.String(),
  ipfsHash: Type.String({
    description: "The content id (CIDv1, raw, SHA-256) of the state's bytes.",
    examples: ["bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"],
  }),
  normalizedAddress: NormalizedAddress,
  label: Type.String(),
  updatedAt: Millis,
  state: Type.Unknown({ description: "The parsed JSON value of the text." }),
});

export const Channel = shape("Channel", {
  _id: ObjectId,
  name: Type.String(),
  chatPicture: Type.String(),
  createdAt: Millis,
  updatedAt: Millis,
  participants: Type.Array(
    shape("ChannelParticipant", {
      wallet: Type.String(),
      userGroup: Type.Integer({ description: "0 member, 1 moderator, 2 owner." }),
      permissions: Type.Array(oneOf(PERMISSIONS)),
    }),
  ),
  gameId: Type.String(),
});
export const ChannelMessage = shape("ChannelMessage", {
  _id: ObjectId,
  channelId: Type.String(),
  senderId: Type.String({
    description: "The sender's address, or the game's id if the game itself sent the message.",
  }),
  content: Type.String(),
  createdAt: Millis,
  updatedAt: Millis,
});

export const Activity = shape("Activity", {
  type: oneOf(ACTIVITY_TYPES),
  eventId: Type.String(),
  gameId: Type.String(),
  gameName: Type.String(),
  gameSlug: Type.String(),
  user: Type.Object({ id: Type.String(), address: Type.String(), username: Type.String() }),
  displayText: Type.String(),
  timestamp: Millis,
});
export const CustomActivity = shape("CustomActivityRecord", {
  _id: ObjectId,
  label: Type.String(),
  normalizedAddress: NormalizedAddress,
  timestamp: Millis,
  eventId: Type.String(),
  gameId: Type.String(),
});
