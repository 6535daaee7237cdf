import { ChannelMessage } from "../game/schemas/channels.ts";
import { operation } from "./operation.ts";
import { dataOf, idOf } from "./schemas/common.ts";
import * as game from "./schemas/game.ts";

const tag = "Game launcher";

/** Tokens, players, sessions, channels and rules of the game launcher. */
export const gameOperations = [
  operation("game.token", {
    route: "POST /game/tokens",
    id: "mintToken",
    tag,
    summary: "Mint a launcher JWT; opens a session",
    description:
      "Names a player, or a wallet: an unknown wallet creates a player. Without either, the token is for the seeded player, or else for the one who joined first; a world without players creates one.",
    body: game.TokenBody,
    answer: game.Token,
    library: { takes: ["*"] },
    run: ({ sandbox, body }) => sandbox.game.token(body),
  }),
  operation("game.games", {
    route: "GET /game/games",
    id: "listGames",
    tag,
    summary: "The games, with their secrets",
    answer: dataOf(game.Game, "Games"),
    run: ({ sandbox }) => ({ data: sandbox.game.games() }),
  }),
  operation("game.players", {
    route: "GET /game/players",
    id: "listPlayers",
    tag,
    summary: "The players, with what rules granted them",
    answer: dataOf(game.Player, "Players"),
    run: ({ sandbox }) => ({ data: sandbox.game.players() }),
  }),
  operation("game.removePlayer", {
    route: "DELETE /game/players/:id",
    id: "removePlayer",
    effect: "ends",
    tag,
    summary: "Remove a player and all that is theirs",
    description: "By id, address or username. Their tokens are refused afterwards.",
    params: idOf("a player"),
    answer: game.Removed,
    run: ({ sandbox, params }) => sandbox.game.removePlayer(params.id),
  }),
  operation("game.sessions", {
    route: "GET /game/sessions",
    id: "listGameSessions",
    tag,
    summary: "Sessions with their tokens",
    query: game.NewestQuery,
    answer: dataOf(game.Session, "GameSessions"),
    run: ({ sandbox, query }) => ({ data: sandbox.game.sessions(query.limit) }),
  }),
  operation("game.endSession", {
    route: "DELETE /game/sessions/:id",
    id: "endGameSession",
    tag,
    summary: "End a session; its token is refused afterwards",
    params: idOf("a session"),
    answer: game.Session,
    run: ({ sandbox, params }) => sandbox.game.endSession(params.id),
  }),
  operation("game.channels", {
    route: "GET /game/channels",
    id: "listGameChannels",
    tag,
    summary: "Message channels, those with news first",
    answer: dataOf(game.Channel, "GameChannels"),
    run: ({ sandbox }) => ({ data: sandbox.game.channels() }),
  }),
  operation("game.post", {
    route: "POST /game/messages",
    id: "postMessage",
    tag,
    summary: "Post a message as a player, or as the game",
    body: game.MessageBody,
    answer: ChannelMessage,
    run: ({ sandbox, body }) => sandbox.game.post(body),
  }),
  operation("game.rules", {
    route: "GET /game/rules",
    id: "listRules",
    tag,
    summary: "The rules: how often each fired, and why it last did not",
    answer: dataOf(game.Rule, "Rules"),
    run: ({ sandbox }) => ({ data: sandbox.game.rules() }),
  }),
  operation("game.notifications", {
    route: "GET /game/notifications",
    id: "listGameNotifications",
    tag,
    summary: "What games showed their players",
    query: game.NewestQuery,
    answer: dataOf(game.Notification, "GameNotifications"),
    run: ({ sandbox, query }) => ({ data: sandbox.game.notifications(query.limit) }),
  }),
];
