import { Type } from "typebox";
import { ChannelMessage } from "../game/schemas/records.ts";
import { operationsOf } from "./operation.ts";
import { closed, dataOf, idOf, Limit, PageSize } from "./schemas/common.ts";
import * as game from "./schemas/game.ts";

const operation = operationsOf("Game launcher");

/** Tokens, players, sessions, channels and rules of the game launcher. */
export const gameOperations = [
  operation("game.token", "POST /game/tokens", {
    id: "mintToken",
    summary: "Mint a launcher JWT; opens a session",
    description:
      "Names a player, or a wallet: an unknown wallet creates a player. Without either, the token is for the seeded player, or else for the one who joined first; a world without players creates one.",
    body: game.TokenBody,
    answer: game.Token,
    library: { takes: ["*"] },
  }),
  operation("game.games", "GET /game/games", {
    id: "listGames",
    summary: "The games, with their secrets",
    answer: dataOf(game.Game, "Games"),
  }),
  operation("game.signature", "GET /game/signature", {
    id: "signGameRequest",
    summary: "The signature of a request, for a game that requires one",
    description: "Send both as `X-Request-Nonce` and `X-Request-Signature`. A nonce works once.",
    query: closed({ gameId: Type.Optional(game.GameName), nonce: game.Nonce }),
    answer: game.Signature,
  }),
  operation("game.players", "GET /game/players", {
    id: "listPlayers",
    summary: "The players, with what rules granted them",
    answer: dataOf(game.Player, "Players"),
  }),
  operation("game.removePlayer", "DELETE /game/players/:id", {
    id: "removePlayer",
    effect: "ends",
    summary: "Remove a player and all that is theirs",
    description: "By id, address or username. Their tokens are refused afterwards.",
    params: idOf("a player"),
    answer: game.Removed,
  }),
  operation("game.sessions", "GET /game/sessions", {
    id: "listGameSessions",
    summary: "Sessions with their tokens",
    query: game.NewestQuery,
    answer: dataOf(game.Session, "GameSessions"),
  }),
  operation("game.endSession", "DELETE /game/sessions/:id", {
    id: "endGameSession",
    summary: "End a session; its token is refused afterwards",
    params: idOf("a session"),
    answer: game.Session,
  }),
  operation("game.channels", "GET /game/channels", {
    id: "listGameChannels",
    summary: "Message channels, those with news first",
    query: closed({ game: game.OfGame, limit: Type.Optional(Limit) }),
    answer: game.Channels,
  }),
  operation("game.scores", "GET /game/scores", {
    id: "readLeaderboard",
    summary: "The leaderboard of a game",
    query: closed({ game: Type.Optional(game.GameName), limit: PageSize }),
    answer: game.Scores,
  }),
  operation("game.post", "POST /game/messages", {
    id: "postMessage",
    summary: "Post a message as a player, or as the game",
    body: game.MessageBody,
    answer: ChannelMessage,
  }),
  operation("game.rules", "GET /game/rules", {
    id: "listRules",
    summary: "The rules: how often each fired, and why it last did not",
    query: closed({ game: game.OfGame }),
    answer: dataOf(game.Rule, "Rules"),
  }),
  operation("game.notifications", "GET /game/notifications", {
    id: "listGameNotifications",
    summary: "What games showed their players",
    query: game.NewestQuery,
    answer: dataOf(game.Notification, "GameNotifications"),
  }),
];
