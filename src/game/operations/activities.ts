import { Type } from "typebox";
import { oneOf } from "../../http/shapes.ts";
import { MAX_ACTIVITY_LENGTH, MAX_EVENT_ID_LENGTH, MAX_TRIGGER_LENGTH } from "../limits.ts";
import { NOTIFICATION_TYPES } from "../notifications.ts";
import { ACTION_KINDS } from "../rules/rule.ts";
import { Millis, Nonce, StateText, success, textOf } from "../schemas/common.ts";
import { CustomActivity } from "../schemas/records.ts";
import { playerOperation, tagged } from "./operation.ts";

export const activityOperations = tagged("Activities", [
  playerOperation({
    method: "triggerRulesEngine",
    summary: "Trigger the rules engine",
    description:
      "What the rules are is set in sandbox.config.ts; a trigger that none listens to does nothing.",
    takes: {
      trigger: textOf(MAX_TRIGGER_LENGTH, { examples: ["level-complete"] }),
      value: Type.Optional(Type.Number({ description: "What conditions of rules look at." })),
      nonce: Type.Optional({ ...Nonce, description: "The same trigger with the same nonce runs once." }),
    },
    answer: success("TriggerResult", {
      triggerUuid: Type.String(),
      actions: Type.Array(oneOf(ACTION_KINDS), {
        description: "What rules did, in order; nothing when no rule fired.",
      }),
    }),
    run: ({ rules }, session, { trigger, value, nonce }) => rules.trigger(session, trigger, value, nonce),
  }),
  playerOperation({
    method: "sendCustomActivity",
    summary: "Add an off-chain activity of the player",
    takes: {
      label: textOf(MAX_ACTIVITY_LENGTH, {
        description: "The text; {username} and {wallet} are filled in.",
        examples: ["{username} lit the ninth lantern"],
      }),
      eventId: textOf(MAX_EVENT_ID_LENGTH, {
        description: "Groups activities; it may come again.",
        examples: ["lantern-9"],
      }),
    },
    answer: success("CustomActivity", { activity: CustomActivity }),
    run: ({ activities }, { player, game }, { label, eventId }) => ({
      success: true,
      activity: activities.add(player, game, { type: "off-chain", eventId, text: label }),
    }),
  }),
  playerOperation({
    method: "sendNotification",
    summary: "Show the player a notification",
    takes: {
      message: textOf(MAX_ACTIVITY_LENGTH, { examples: ["Saved."] }),
      type: Type.Optional(oneOf(NOTIFICATION_TYPES)),
    },
    run: ({ notifications }, { player, game }, { message, type }) =>
      notifications.send(player, game, message, type),
  }),
  playerOperation({
    method: "trackGameSessions",
    summary: "Tell how far the player came in a round or a run",
    takes: {
      sessionId: textOf(100, {
        description: "The game's own name of the round or run.",
        examples: ["0b8f6f0e-6d0f-4d7e-9a53-6f6d2f0d6a11"],
      }),
      state: StateText,
      endTime: Type.Optional({ ...Millis, minimum: 0, description: "When it ended, if it did." }),
    },
    run: ({ states }, session, { sessionId, state, endTime }) =>
      states.track(session, sessionId, state, endTime),
  }),
]);
