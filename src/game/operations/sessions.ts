import { Type } from "typebox";
import { shape } from "../../http/shapes.ts";
import { GameId, Millis, RecordId, success, Wallet } from "../schemas/common.ts";
import { openOperation, playerOperation, tagged } from "./operation.ts";

export const sessionOperations = tagged("Sessions", [
  playerOperation({
    method: "channelStatus",
    summary: "Whether the player's session exists, and the player is there",
    title: "ChannelStatusBody",
    takes: {},
    answer: shape("ChannelStatus", {
      exists: Type.Boolean({ description: "False once the session was ended." }),
      present: Type.Boolean({ description: "Whether a heartbeat came in the last two minutes." }),
      wallet: Type.String(),
      openedAt: Millis,
    }),
    evenEnded: true,
    run: ({ sessions }, session) => sessions.status(session),
  }),
  playerOperation({
    method: "channelHeartbeat",
    summary: "Say that the player is there, for two minutes",
    takes: {},
    run: ({ sessions }, { row }) => sessions.heartbeat(row),
  }),
  openOperation({
    method: "createUnverifiedChannel",
    summary: "Begin to sign a player in with a wallet",
    description: "For games outside the launcher. Without gameId it is the first game's.",
    takes: { wallet: Wallet, gameId: Type.Optional(GameId) },
    answer: success("UnverifiedChannel", {
      signRequest: Type.String({ description: "What the wallet is to sign." }),
      channelId: Type.String(),
    }),
    gameOf: ({ games }, { gameId }) => (gameId === undefined ? games.main() : games.get(gameId)),
    run: ({ games, signIns }, { wallet, gameId }) =>
      signIns.begin(wallet, gameId === undefined ? games.main() : games.get(gameId)),
  }),
  openOperation({
    method: "verifyUnverifiedChannel",
    summary: "End the sign-in with the wallet's signature",
    description: "Within 15 minutes. Answers with the token of the session that this opens.",
    takes: {
      channelId: RecordId,
      signature: Type.String({
        pattern: "^0x[0-9a-fA-F]{130,}$",
        maxLength: 20_000,
        description: "0x and at least 130 hexadecimal characters. Its form is checked, not whose it is.",
        examples: [`0x${"1b".repeat(65)}`],
      }),
      chainId: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    },
    answer: success("VerifiedChannel", {
      jwt: Type.String({ description: "The launcherJwt of the session." }),
    }),
    gameOf: ({ signIns }, { channelId }) => signIns.gameOf(channelId),
    run: ({ signIns }, { channelId, signature }) => signIns.verify(channelId, signature),
  }),
]);
