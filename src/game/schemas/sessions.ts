import { Type } from "typebox";
import { shape } from "../../http/shapes.ts";
import { GameId, launcherBody, Millis, Success, Wallet } from "./common.ts";

export const ChannelStatusBody = launcherBody("ChannelStatusBody", {});
export const ChannelStatus = shape("ChannelStatus", {
  exists: Type.Boolean({ description: "False once the session was ended." }),
  present: Type.Boolean({ description: "Whether a heartbeat came in the last two minutes." }),
  wallet: Type.String(),
  openedAt: Millis,
});
export const ChannelHeartbeat = launcherBody("ChannelHeartbeat", {});

export const CreateUnverifiedChannel = shape("CreateUnverifiedChannel", {
  wallet: Wallet,
  gameId: Type.Optional(GameId),
});
export const UnverifiedChannel = shape("UnverifiedChannel", {
  success: Success,
  signRequest: Type.String({ description: "What the wallet is to sign." }),
  channelId: Type.String(),
});
export const VerifyUnverifiedChannel = shape("VerifyUnverifiedChannel", {
  channelId: Type.String({ minLength: 1, maxLength: 100, examples: ["6967fa40000a2b1c9f3e5d71"] }),
  signature: Type.String({
    pattern: "^0x[0-9a-fA-F]{130,}$",
    maxLength: 20_000,
    description: "0x and at least 130 hexadecimal characters. Its form is checked, not whose it is.",
    examples: [`0x${"1b".repeat(65)}`],
  }),
  chainId: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
});
export const VerifiedChannel = shape("VerifiedChannel", {
  success: Success,
  jwt: Type.String({ description: "The launcherJwt of the session." }),
});
