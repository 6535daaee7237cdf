import * as shapes from "../schemas/activities.ts";
import { TriggerResult, TriggerRulesEngine } from "../schemas/activities.ts";
import { Done } from "../schemas/common.ts";
import { playerOperation, tagged } from "./operation.ts";

export const activityOperations = tagged("Activities", [
  playerOperation({
    method: "triggerRulesEngine",
    summary: "Trigger the rules engine",
    description:
      "What the rules are is set in sandbox.config.ts; a trigger that none listens to does nothing.",
    body: TriggerRulesEngine,
    answer: TriggerResult,
    run: ({ rules }, session, { trigger, value, nonce }) => rules.trigger(session, trigger, value, nonce),
  }),
  playerOperation({
    method: "sendCustomActivity",
    summary: "Add an off-chain activity of the player",
    body: shapes.SendCustomActivity,
    answer: shapes.CustomActivity,
    run: ({ activities }, { player, game }, { label, eventId }) => ({
      success: true,
      activity: activities.add(player, game, { type: "off-chain", eventId, text: label }),
    }),
  }),
  playerOperation({
    method: "sendNotification",
    summary: "Show the player a notification",
    body: shapes.SendNotification,
    answer: Done,
    run({ notifications }, { player, game }, { message, type }) {
      notifications.send(player, game, message, type);
      return { success: true };
    },
  }),
  playerOperation({
    method: "trackGameSessions",
    summary: "Tell how far the player came in a round or a run",
    body: shapes.TrackGameSessions,
    answer: Done,
    run({ playSessions }, session, { sessionId, state, endTime }) {
      playSessions.track(session, sessionId, state, endTime);
      return { success: true };
    },
  }),
]);
