import { ChannelMessage } from "../game/schemas/channels.ts";
import type { App } from "../http/types.ts";
import * as game from "./game-schemas.ts";
import * as shapes from "./schemas.ts";

const tags = ["Game launcher"];

/** Tokens, players, sessions, channels and rules of the game launcher. */
export function gameControlRoutes(app: App): void {
  tokenRoutes(app);
  playerRoutes(app);
  sessionRoutes(app);
  channelRoutes(app);
  ruleRoutes(app);
}

function tokenRoutes(app: App): void {
  app.post(
    "/game/tokens",
    {
      schema: {
        operationId: "mintToken",
        summary: "Mint a launcher JWT; opens a session",
        description:
          "For a player that is named, or for the wallet of a new one. Without either for the seeded player, or where there is none for a new one.",
        tags,
        body: game.TokenBody,
        response: { 200: game.Token, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body }) => sandbox.game.token(body),
  );
  app.get(
    "/game/games",
    {
      schema: {
        operationId: "listGames",
        summary: "The games, with their secrets",
        tags,
        response: { 200: shapes.dataOf(game.Game, "Games"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.game.games() }),
  );
}

function playerRoutes(app: App): void {
  app.get(
    "/game/players",
    {
      schema: {
        operationId: "listPlayers",
        summary: "The players, with what rules granted them",
        tags,
        response: { 200: shapes.dataOf(game.Player, "Players"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.game.players() }),
  );
  app.delete(
    "/game/players/:id",
    {
      schema: {
        operationId: "removePlayer",
        summary: "Remove a player and all that is theirs",
        description: "By id, address or username. Tokens of theirs are refused from then on.",
        tags,
        params: shapes.IdParams,
        response: { 200: game.Removed, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => sandbox.game.removePlayer(params.id),
  );
}

function sessionRoutes(app: App): void {
  app.get(
    "/game/sessions",
    {
      schema: {
        operationId: "listGameSessions",
        summary: "Sessions with their tokens",
        tags,
        querystring: game.NewestQuery,
        response: { 200: shapes.dataOf(game.Session, "GameSessions"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox, query }) => ({ data: sandbox.game.sessions(query.limit) }),
  );
  app.delete(
    "/game/sessions/:id",
    {
      schema: {
        operationId: "endGameSession",
        summary: "End a session; its token is refused from then on",
        tags,
        params: shapes.IdParams,
        response: { 200: game.Session, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => sandbox.game.endSession(params.id),
  );
}

function channelRoutes(app: App): void {
  app.get(
    "/game/channels",
    {
      schema: {
        operationId: "listGameChannels",
        summary: "Message channels, those with news first",
        tags,
        response: { 200: shapes.dataOf(game.Channel, "GameChannels"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.game.channels() }),
  );
  app.post(
    "/game/messages",
    {
      schema: {
        operationId: "postMessage",
        summary: "Post a message as a player, or as the game",
        tags,
        body: game.MessageBody,
        response: { 200: ChannelMessage, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body }) => sandbox.game.post(body),
  );
}

function ruleRoutes(app: App): void {
  app.get(
    "/game/rules",
    {
      schema: {
        operationId: "listRules",
        summary: "The rules: how often each fired, and why it last did not",
        tags,
        response: { 200: shapes.dataOf(game.Rule, "Rules"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.game.rules() }),
  );
  app.get(
    "/game/notifications",
    {
      schema: {
        operationId: "listGameNotifications",
        summary: "What games showed their players",
        tags,
        querystring: game.NewestQuery,
        response: { 200: shapes.dataOf(game.Notification, "GameNotifications"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox, query }) => ({ data: sandbox.game.notifications(query.limit) }),
  );
}
