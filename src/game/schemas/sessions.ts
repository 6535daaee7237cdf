import { Type } from "typebox";
import { GameId, launcherBody, Millis, Success, Wallet } from "./common.ts";

export const ChannelStatusBody = launcherBody("ChannelStatusBody", {});
export const ChannelStatus = Type.Object(
  {
    exists: Type.Boolean({ description: "False once the session was ended." }),
    present: Type.Boolean({ description: "Whether a heartbeat came in the last two minutes." }),
    wallet: Type.String(),
    openedAt: Millis,
  },
  { title: "ChannelStatus" },
);
export const ChannelHeartbeat = launcherBody("ChannelHeartbeat", {});

export const CreateUnverifiedChannel = Type.Object(
  {
    wallet: Wallet,
    gameId: Type.Optional(GameId),
  },
  { title: "CreateUnverifiedChannel" },
);
export const UnverifiedChannel = Type.Object(
  {
    success: Success,
    signRequest: Type.String({ description: "What the wallet is to sign." }),
    channelId: Type.String(),
  },
  { title: "UnverifiedChannel" },
);
export const VerifyUnverifiedChannel = Type.Object(
  {
    channelId: Type.String({ minLength: 1, maxLength: 100, examples: ["6967fa40000a2b1c9f3e5d71"] }),
    signature: Type.String({
      pattern: "^0x[0-9a-fA-F]{130,}$",
      maxLength: 20_000,
      description: "0x and at least 130 hexadecimal characters. Its form is checked, not whose it is.",
      examples: [`0x${"1b".repeat(65)}`],
    }),
    chainId: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { title: "VerifyUnverifiedChannel" },
);
export const VerifiedChannel = Type.Object(
  { success: Success, jwt: Type.String({ description: "The launcherJwt of the session." }) },
  { title: "VerifiedChannel" },
);
