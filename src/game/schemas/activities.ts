import { Type } from "typebox";
import { ACTIVITIES_PAGE_SIZE, MAX_ACTIVITY_LENGTH, MAX_EVENT_ID_LENGTH, MAX_PAGE_SIZE } from "../limits.ts";
import { NOTIFICATION_TYPES } from "../notifications.ts";
import { ACTIVITY_TYPES, type ActivityType } from "../rows.ts";
import { GameId, launcherBody, Millis, NormalizedAddress, ObjectId, Success, Wallet } from "./common.ts";
import { StateText } from "./states.ts";

const Type_ = Type.Unsafe<ActivityType>({ type: "string", enum: [...ACTIVITY_TYPES] });

export const Activity = Type.Object(
  {
    type: Type_,
    eventId: Type.String(),
    gameId: Type.String(),
    gameName: Type.String(),
    gameSlug: Type.String(),
    user: Type.Object({ id: Type.String(), address: Type.String(), username: Type.String() }),
    displayText: Type.String(),
    timestamp: Millis,
  },
  { title: "Activity" },
);
export const ActivitiesQuery = Type.Object({
  pageSize: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: ACTIVITIES_PAGE_SIZE }),
  pageNumber: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: "From 1." }),
  walletAddress: Type.Optional(Wallet),
  gameId: Type.Optional(GameId),
  type: Type.Optional(Type_),
});
export const ActivitiesPage = Type.Object(
  {
    success: Success,
    result: Type.Object({
      pageNumber: Type.Integer(),
      pageSize: Type.Integer(),
      data: Type.Array(Activity),
    }),
  },
  { title: "ActivitiesPage" },
);

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
export const CustomActivity = Type.Object(
  {
    success: Success,
    activity: Type.Object(
      {
        _id: ObjectId,
        label: Type.String(),
        normalizedAddress: NormalizedAddress,
        timestamp: Millis,
        eventId: Type.String(),
        gameId: Type.String(),
      },
      { title: "CustomActivityRecord" },
    ),
  },
  { title: "CustomActivity" },
);
export const SendNotification = launcherBody("SendNotification", {
  message: Type.String({ minLength: 1, maxLength: MAX_ACTIVITY_LENGTH, examples: ["Saved."] }),
  type: Type.Optional(
    Type.Unsafe<(typeof NOTIFICATION_TYPES)[number]>({ type: "string", enum: [...NOTIFICATION_TYPES] }),
  ),
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
