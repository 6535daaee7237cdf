import { Type } from "typebox";
import { oneOf, shape } from "../../http/shapes.ts";
import {
  ACTIVITIES_PAGE_SIZE,
  MAX_ACTIVITY_LENGTH,
  MAX_EVENT_ID_LENGTH,
  MAX_PAGE_SIZE,
  MAX_TRIGGER_LENGTH,
} from "../limits.ts";
import { NOTIFICATION_TYPES } from "../notifications.ts";
import { ACTIVITY_TYPES } from "../rows.ts";
import { ACTION_KINDS } from "../rules/rule.ts";
import {
  GameId,
  launcherBody,
  Millis,
  Nonce,
  NormalizedAddress,
  ObjectId,
  Success,
  Wallet,
} from "./common.ts";
import { StateText } from "./states.ts";

const Type_ = oneOf(ACTIVITY_TYPES);

export const Activity = shape("Activity", {
  type: Type_,
  eventId: Type.String(),
  gameId: Type.String(),
  gameName: Type.String(),
  gameSlug: Type.String(),
  user: Type.Object({ id: Type.String(), address: Type.String(), username: Type.String() }),
  displayText: Type.String(),
  timestamp: Millis,
});
export const ActivitiesQuery = Type.Object({
  pageSize: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: ACTIVITIES_PAGE_SIZE }),
  pageNumber: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: "From 1." }),
  walletAddress: Type.Optional(Wallet),
  gameId: Type.Optional(GameId),
  type: Type.Optional(Type_),
});
export const ActivitiesPage = shape("ActivitiesPage", {
  success: Success,
  result: Type.Object({
    pageNumber: Type.Integer(),
    pageSize: Type.Integer(),
    data: Type.Array(Activity),
  }),
});

export const SendCustomActivity = launcherBody("SendCustomActivity", {
  label: Type.String({
    minLength: 1,
    maxLength: MAX_ACTIVITY_LENGTH,
    description: "The text; {username} and {wallet} are filled in.",
    examples: ["{username} lit the ninth lantern"],
  }),
  eventId: Type.String({
    minLength: 1,
    maxLength: MAX_EVENT_ID_LENGTH,
    description: "Groups activities; it may come again.",
    examples: ["lantern-9"],
  }),
});
export const CustomActivity = shape("CustomActivity", {
  success: Success,
  activity: shape("CustomActivityRecord", {
    _id: ObjectId,
    label: Type.String(),
    normalizedAddress: NormalizedAddress,
    timestamp: Millis,
    eventId: Type.String(),
    gameId: Type.String(),
  }),
});
export const SendNotification = launcherBody("SendNotification", {
  message: Type.String({ minLength: 1, maxLength: MAX_ACTIVITY_LENGTH, examples: ["Saved."] }),
  type: Type.Optional(oneOf(NOTIFICATION_TYPES)),
});
export const TrackGameSessions = launcherBody("TrackGameSessions", {
  sessionId: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "The game's own name of the round or run.",
    examples: ["0b8f6f0e-6d0f-4d7e-9a53-6f6d2f0d6a11"],
  }),
  state: StateText,
  endTime: Type.Optional({ ...Millis, minimum: 0, description: "When it ended, if it did." }),
});

export const TriggerRulesEngine = launcherBody("TriggerRulesEngine", {
  trigger: Type.String({ minLength: 1, maxLength: MAX_TRIGGER_LENGTH, examples: ["level-complete"] }),
  value: Type.Optional(Type.Number({ description: "What conditions of rules look at." })),
  nonce: Type.Optional({ ...Nonce, description: "The same trigger with the same nonce runs once." }),
});
export const TriggerResult = shape("TriggerResult", {
  success: Success,
  triggerUuid: Type.String(),
  actions: Type.Array(oneOf(ACTION_KINDS), {
    description: "What rules did, in order; nothing when no rule fired.",
  }),
});
