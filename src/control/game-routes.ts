import { ChannelMessage } from "../game/schemas/channels.ts";
import * as game from "./game-schemas.ts";
import { dataOf, IdParams } from "./schemas.ts";
import { call } from "./table.ts";

const tag = "Game launcher";

/** Tokens, players, sessions, channels and rules of the game launcher. */
export const gameControlRoutes = [
  call("POST /game/tokens", {
    id: "mintToken",
    tag,
    summary: "Mint a launcher JWT; opens a session",
    description:
      "Names a player, or a wallet: an unknown wallet creates a player. Without either, the token is for the seeded player, or else for the one who joined first; a world without players creates one.",
    body: game.TokenBody,
    answer: game.Token,
    run: ({ sandbox, body }) => sandbox.game.token(body),
  }),
  call("GET /game/games", {
    id: "listGames",
    tag,
    summary: "The games, with their secrets",
    answer: dataOf(game.Game, "Games"),
    run: ({ sandbox }) => ({ data: sandbox.game.games() }),
  }),
  call("GET /game/players", {
    id: "listPlayers",
    tag,
    summary: "The players, with what rules granted them",
    answer: dataOf(game.Player, "Players"),
    run: ({ sandbox }) => ({ data: sandbox.game.players() }),
  }),
  call("DELETE /game/players/:id", {
    id: "removePlayer",
    tag,
    summary: "Remove a player and all that is theirs",
    description: "By id, address or username. Their tokens are refused afterwards.",
    params: IdParams,
    answer: game.Removed,
    run: ({ sandbox, params }) => sandbox.game.removePlayer(params.id),
  }),
  call("GET /game/sessions", {
    id: "listGameSessions",
    tag,
    summary: "Sessions with their tokens",
    query: game.NewestQuery,
    answer: dataOf(game.Session, "GameSessions"),
    run: ({ sandbox, query }) => ({ data: sandbox.game.sessions(query.limit) }),
  }),
  call("DELETE /game/sessions/:id", {
    id: "endGameSession",
    tag,
    summary: "End a session; its token is refused afterwards",
    params: IdParams,
    answer: game.Session,
    run: ({ sandbox, params }) => sandbox.game.endSession(params.id),
  }),
  call("GET /game/channels", {
    id: "listGameChannels",
    tag,
    summary: "Message channels, those with news first",
    answer: dataOf(game.Channel, "GameChannels"),
    run: ({ sandbox }) => ({ data: sandbox.game.channels() }),
  }),
  call("POST /game/messages", {
    id: "postMessage",
    tag,
    summary: "Post a message as a player, or as the game",
    body: game.MessageBody,
    answer: ChannelMessage,
    run: ({ sandbox, body }) => sandbox.game.post(body),
  }),
  call("GET /game/rules", {
    id: "listRules",
    tag,
    summary: "The rules: how often each fired, and why it last did not",
    answer: dataOf(game.Rule, "Rules"),
    run: ({ sandbox }) => ({ data: sandbox.game.rules() }),
  }),
  call("GET /game/notifications", {
    id: "listGameNotifications",
    tag,
    summary: "What games showed their players",
    query: game.NewestQuery,
    answer: dataOf(game.Notification, "GameNotifications"),
    run: ({ sandbox, query }) => ({ data: sandbox.game.notifications(query.limit) }),
  }),
];
