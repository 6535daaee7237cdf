import { Type } from "typebox";
import { SIGNATURE_MODES } from "../game/context.ts";
import { MAX_MESSAGE_LENGTH } from "../game/limits.ts";
import { NOTIFICATION_TYPES } from "../game/notifications.ts";
import { Address } from "../payments/schemas/common.ts";
import { Anything, closed, DurationValue, enumOf, VirtualTime } from "./schemas.ts";

/** Shapes of the control API's calls about the game launcher. */

const MaybeTime = Type.Union([VirtualTime, Type.Null()]);
const MaybeText = Type.Union([Type.String(), Type.Null()]);
const Name = Type.String({ minLength: 1, maxLength: 100 });
const PlayerName = { ...Name, description: "A player's id, address or username." };
const GameName = { ...Name, description: "A game's id or slug; the first game without it." };

const playerFields = {
  id: Type.String(),
  address: Type.String(),
  username: Type.String(),
  avatar: Type.String(),
};

export const TokenBody = Type.Object(
  {
    player: Type.Optional(PlayerName),
    address: Type.Optional({ ...Address, description: "A wallet; a new player where nobody has it." }),
    gameId: Type.Optional(GameName),
    expiresIn: Type.Optional({ ...DurationValue, examples: ["24h"] }),
  },
  { ...closed, title: "TokenRequest" },
);
export const Token = Type.Object(
  {
    token: Type.String({ description: "The launcherJwt." }),
    player: Type.Object(playerFields),
    game: Type.Object({ id: Type.String(), slug: Type.String(), name: Type.String() }),
    session_id: Type.String(),
    expires_at: VirtualTime,
  },
  { title: "Token" },
);
export const Game = Type.Object(
  {
    id: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    secret: Type.String({ description: "Signs launcher JWTs, and is part of request signatures." }),
    signatures: enumOf(SIGNATURE_MODES),
  },
  { title: "Game" },
);
export const Player = Type.Object(
  {
    ...playerFields,
    created_at: VirtualTime,
    items: Type.Array(
      Type.Object({ game_id: Type.String(), name: Type.String(), quantity: Type.Integer() }),
      { description: "What rules granted." },
    ),
  },
  { title: "Player" },
);
export const Removed = Type.Object(
  { id: Type.String(), removed: Type.Literal(true) },
  { title: "RemovedPlayer" },
);
export const Session = Type.Object(
  {
    id: Type.String(),
    game_id: Type.String(),
    player_id: Type.String(),
    channel_id: Type.String(),
    token: MaybeText,
    opened_at: VirtualTime,
    expires_at: VirtualTime,
    ended_at: MaybeTime,
    last_heartbeat_at: MaybeTime,
    present: Type.Boolean(),
  },
  { title: "GameSession" },
);
export const Channel = Type.Object(
  {
    id: Type.String(),
    game_id: Type.String(),
    kind: enumOf(["own", "direct", "group"]),
    name: Type.String(),
    participants: Type.Array(Type.String(), { description: "Usernames." }),
    messages: Type.Integer(),
    created_at: VirtualTime,
    updated_at: VirtualTime,
  },
  { title: "GameChannel" },
);
export const MessageBody = Type.Object(
  {
    channel: { ...Name, description: "A channel's id, or its name in the game." },
    from: Type.Optional({
      ...PlayerName,
      description: `${PlayerName.description} The game itself without it.`,
    }),
    content: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_LENGTH, examples: ["Good game!"] }),
    gameId: Type.Optional(GameName),
  },
  { ...closed, title: "MessageRequest" },
);
export const Rule = Type.Object(
  {
    name: Type.String(),
    game: MaybeText,
    when: Type.String(),
    if: Type.Union([Anything, Type.Null()]),
    then: Type.Array(Anything),
    fired: Type.Integer({ description: "How often." }),
    skipped: Type.Integer(),
    last_fired_at: MaybeTime,
    last_skipped_at: MaybeTime,
    last_reason: { ...MaybeText, description: "Why it last did not fire." },
  },
  { title: "Rule" },
);
export const Notification = Type.Object(
  {
    id: Type.String(),
    game_id: Type.String(),
    player: Type.String({ description: "The username." }),
    type: enumOf(NOTIFICATION_TYPES),
    message: Type.String(),
    created_at: VirtualTime,
  },
  { title: "GameNotification" },
);
export const NewestQuery = Type.Object(
  { limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: "Newest first." }) },
  closed,
);
