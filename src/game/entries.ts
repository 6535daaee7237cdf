import { PAYMENT_REQUESTED } from "./rules/actions.ts";

/** The journal entries that the game launcher writes. */
export const GAME_ENTRIES = [
  "session.opened",
  "session.ended",
  "player.joined",
  "player.removed",
  "channel.created",
  "message.sent",
  "message.edited",
  "message.unsent",
  "state.set",
  "score.set",
  "activity.added",
  "notification.sent",
  "play_session.tracked",
  "rule.fired",
  "rule.skipped",
  "rule.unmatched",
  "rule.repeated",
  "rule.action_failed",
  PAYMENT_REQUESTED,
] as const;
