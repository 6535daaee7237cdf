import { Type } from "typebox";
import { SIGNATURE_MODES } from "../game/context.ts";
import { MAX_MESSAGE_LENGTH, MAX_NONCE_LENGTH } from "../game/limits.ts";
import { NOTIFICATION_TYPES } from "../game/notifications.ts";
import { CHANNEL_KINDS } from "../game/rows.ts";
import { ChannelMessage, LeaderboardEntry } from "../game/schemas/records.ts";
import { integer, listOf, nullable, oneOf, shape, text, VirtualTime } from "../http/shapes.ts";
import { Address } from "../payments/schemas/common.ts";
import {
  Anything,
  body,
  closed,
  DurationValue,
  dataOf,
  idOf,
  Limit,
  PageSize,
  partialBody,
} from "./common.ts";
import { operationsOf } from "./operation.ts";

const Name = Type.String({ minLength: 1, maxLength: 100 });
const PlayerName = { ...Name, description: "A player's id, address or username." };
const WhichGame = "A game's id or slug. Default: the first game.";
export const GameName = { ...Name, description: WhichGame };
export const OfGame = Type.Optional({ ...Name, description: "Only results for this game: its id or slug." });

const playerFields = {
  id: Type.String(),
  address: Type.String(),
  username: Type.String(),
  avatar: Type.String(),
};

export const TokenBody = partialBody("TokenRequest", {
  player: {
    ...PlayerName,
    description: "A player's id, address or username; an unknown address creates a player.",
  },
  address: { ...Address, description: "A wallet; an unknown wallet creates a player." },
  gameId: GameName,
  expiresIn: {
    ...DurationValue,
    description: "How long the token is valid. Default: 24h.",
    examples: ["24h"],
  },
});
export const Token = shape("Token", {
  token: text("The launcherJwt."),
  player: Type.Object(playerFields),
  game: Type.Object({ id: Type.String(), slug: Type.String(), name: Type.String() }),
  session_id: Type.String(),
  expires_at: VirtualTime,
});
export const Game = shape("Game", {
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  secret: text("The secret that signs launcher JWTs and is part of request signatures."),
  signatures: oneOf(SIGNATURE_MODES),
});
export const Nonce = Type.String({
  minLength: 1,
  maxLength: MAX_NONCE_LENGTH,
  description: "A new random string for each request.",
  examples: ["5f1c9a02e4"],
});
export const Signature = shape("RequestSignature", {
  nonce: Type.String(),
  signature: text("MD5(nonce + MD5(secret)) in hex."),
});
export const Player = shape("Player", {
  ...playerFields,
  created_at: VirtualTime,
  items: listOf(
    Type.Object({ game_id: Type.String(), name: Type.String(), quantity: Type.Integer() }),
    "What rules granted.",
  ),
});
export const Removed = shape("RemovedPlayer", { id: Type.String(), removed: Type.Literal(true) });
export const Session = shape("GameSession", {
  id: Type.String(),
  game_id: Type.String(),
  player_id: Type.String(),
  channel_id: Type.String(),
  token: nullable(Type.String()),
  opened_at: VirtualTime,
  expires_at: VirtualTime,
  ended_at: nullable(VirtualTime),
  last_heartbeat_at: nullable(VirtualTime),
  present: Type.Boolean(),
});
export const Channel = shape("GameChannel", {
  id: Type.String(),
  game_id: Type.String(),
  kind: oneOf(CHANNEL_KINDS),
  name: Type.String(),
  participants: listOf(Type.String(), "Usernames."),
  messages: Type.Integer(),
  created_at: VirtualTime,
  updated_at: VirtualTime,
});
export const Channels = shape("GameChannels", {
  data: Type.Array(Channel),
  total_count: integer("All that match."),
});
export const Scores = shape("GameScores", {
  game: Type.Object({ id: Type.String(), slug: Type.String(), name: Type.String() }),
  leaderboard: Type.Array(LeaderboardEntry),
});
export const MessageBody = body("MessageRequest", {
  channel: { ...Name, description: "A channel's id, or its name in the game." },
  from: Type.Optional({
    ...PlayerName,
    description: `${PlayerName.description} Default: the game itself.`,
  }),
  content: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_LENGTH, examples: ["Good game!"] }),
  gameId: Type.Optional(GameName),
});
export const Rule = shape("Rule", {
  name: Type.String(),
  game: nullable(Type.String()),
  when: Type.String(),
  if: nullable(Anything),
  then: Type.Array(Anything),
  fired: integer("How often."),
  skipped: Type.Integer(),
  last_fired_at: nullable(VirtualTime),
  last_skipped_at: nullable(VirtualTime),
  last_reason: nullable(Type.String(), { description: "Why the rule was last skipped." }),
});
export const Notification = shape("GameNotification", {
  id: Type.String(),
  game_id: Type.String(),
  player: text("The username."),
  type: oneOf(NOTIFICATION_TYPES),
  message: Type.String(),
  created_at: VirtualTime,
});
export const NewestQuery = closed({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: "Newest first." }),
});

const operation = operationsOf("Game launcher");

/** Tokens, players, sessions, channels and rules of the game launcher. */
export const gameOperations = [
  operation("game.token", "POST /game/tokens", {
    id: "mintToken",
    summary: "Mint a launcher JWT and open a session",
    description:
      "Takes a player or a wallet; an unknown wallet creates a player. Without either, the token is for the seeded player, else the player who joined first; a world without players creates one.",
    body: TokenBody,
    answer: Token,
    library: { takes: ["*"] },
  }),
  operation("game.games", "GET /game/games", {
    id: "listGames",
    summary: "The games, with their secrets",
    answer: dataOf(Game, "Games"),
  }),
  operation("game.signature", "GET /game/signature", {
    id: "signGameRequest",
    summary: "Create the signature headers of a request, for a game that requires them",
    description: "Send both as `X-Request-Nonce` and `X-Request-Signature`. A nonce works once.",
    query: closed({ gameId: Type.Optional(GameName), nonce: Nonce }),
    answer: Signature,
  }),
  operation("game.players", "GET /game/players", {
    id: "listPlayers",
    summary: "The players, with everything that rules granted them",
    answer: dataOf(Player, "Players"),
  }),
  operation("game.removePlayer", "DELETE /game/players/:id", {
    id: "removePlayer",
    effect: "ends",
    summary: "Remove a player and everything that belongs to them",
    description: "Takes an id, address or username. The player's tokens are refused afterwards.",
    params: idOf("a player"),
    answer: Removed,
  }),
  operation("game.sessions", "GET /game/sessions", {
    id: "listGameSessions",
    summary: "Sessions with their tokens",
    query: NewestQuery,
    answer: dataOf(Session, "GameSessions"),
  }),
  operation("game.endSession", "DELETE /game/sessions/:id", {
    id: "endGameSession",
    summary: "End a session; its token is refused afterwards",
    params: idOf("a session"),
    answer: Session,
  }),
  operation("game.channels", "GET /game/channels", {
    id: "listGameChannels",
    summary: "Message channels, latest messages first",
    query: closed({ game: OfGame, limit: Type.Optional(Limit) }),
    answer: Channels,
  }),
  operation("game.scores", "GET /game/scores", {
    id: "readLeaderboard",
    summary: "The leaderboard of a game",
    query: closed({ game: Type.Optional(GameName), limit: PageSize }),
    answer: Scores,
  }),
  operation("game.post", "POST /game/messages", {
    id: "postMessage",
    summary: "Post a message as a player, or as the game",
    body: MessageBody,
    answer: ChannelMessage,
  }),
  operation("game.rules", "GET /game/rules", {
    id: "listRules",
    summary: "The rules: how often each fired, and why it was last skipped",
    query: closed({ game: OfGame }),
    answer: dataOf(Rule, "Rules"),
  }),
  operation("game.notifications", "GET /game/notifications", {
    id: "listGameNotifications",
    summary: "Notifications that games showed their players",
    query: NewestQuery,
    answer: dataOf(Notification, "GameNotifications"),
  }),
];
