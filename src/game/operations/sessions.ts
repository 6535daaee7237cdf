import { Done } from "../schemas/common.ts";
import * as shapes from "../schemas/sessions.ts";
import { openOperation, playerOperation, tagged } from "./operation.ts";

export const sessionOperations = tagged("Sessions", [
  playerOperation({
    method: "channelStatus",
    summary: "Whether the player's session exists, and the player is there",
    body: shapes.ChannelStatusBody,
    answer: shapes.ChannelStatus,
    evenEnded: true,
    run: ({ sessions }, session) => sessions.status(session),
  }),
  playerOperation({
    method: "channelHeartbeat",
    summary: "Say that the player is there, for two minutes",
    body: shapes.ChannelHeartbeat,
    answer: Done,
    run({ sessions }, { row }) {
      sessions.heartbeat(row);
      return { success: true };
    },
  }),
  openOperation({
    method: "createUnverifiedChannel",
    summary: "Begin to sign a player in with a wallet",
    description: "For games outside the launcher. Without gameId it is the first game's.",
    body: shapes.CreateUnverifiedChannel,
    answer: shapes.UnverifiedChannel,
    gameOf: ({ games }, { gameId }) => (gameId === undefined ? games.main() : games.get(gameId)),
    run: ({ games, signIns }, { wallet, gameId }) =>
      signIns.begin(wallet, gameId === undefined ? games.main() : games.get(gameId)),
  }),
  openOperation({
    method: "verifyUnverifiedChannel",
    summary: "End the sign-in with the wallet's signature",
    description: "Within 15 minutes. Answers with the token of the session that this opens.",
    body: shapes.VerifyUnverifiedChannel,
    answer: shapes.VerifiedChannel,
    gameOf: ({ signIns }, { channelId }) => signIns.gameOf(channelId),
    run: ({ signIns }, { channelId, signature }) => signIns.verify(channelId, signature),
  }),
]);
