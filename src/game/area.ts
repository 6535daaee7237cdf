import { type Area, HISTORY_DAYS } from "../http/area.ts";
import { refusalText } from "../http/refusals.ts";
import { HINT_DESCRIPTION } from "../http/unknown-input.ts";
import { unlessThrown } from "../runtime/unless-thrown.ts";
import { DAY } from "../world/duration.ts";
import { oneOf, type ValueRule } from "../world/snapshot-rows.ts";
import type { World } from "../world/world.ts";
import { type GameSettings, SIGNATURE_MODES } from "./context.ts";
import { asSandboxError, errorOfStatus } from "./errors.ts";
import type { GameArea } from "./game.ts";
import { GAME } from "./name.ts";
import { NOTIFICATION_TYPES } from "./notifications.ts";
import { ACTIVITY_TYPES } from "./rows.ts";
import { PAYMENT_REQUESTED } from "./rules/actions.ts";
import { GAME_TABLES } from "./tables.ts";

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

const json: ValueRule = {
  kind: "JSON",
  fits: (value) => unlessThrown(() => JSON.parse(String(value))) !== undefined,
};

export const gameArea: Area<GameArea, { world: World; settings: { game: GameSettings } }> = {
  name: GAME,
  tables: GAME_TABLES,
  timerKinds: [],
  rowRules: {
    json: {
      "game_participants.permissions": "array",
      "game_rules.rule": "object",
      "game_rule_runs.answer": "object",
    },
    values: {
      "game_games.signatures": oneOf("signature mode", ...SIGNATURE_MODES),
      "game_activities.type": oneOf("type", ...ACTIVITY_TYPES),
      "game_notifications.type": oneOf("type", ...NOTIFICATION_TYPES),
      "game_states.state": json,
      "game_play_sessions.state": json,
    },
    references: [],
  },
  entries: GAME_ENTRIES,
  async seed(world, days) {
    if (days === 0) return;
    const { seedGame, shortenGame } = await import("./seed/index.ts");
    await seedGame(world);
    if (days < HISTORY_DAYS) shortenGame(world, world.clock.now() - days * DAY);
  },
  fixtures: async () => (await import("./fixtures/index.ts")).gameFixtures,
  open: async ({ world, settings }) =>
    (await import("./game.ts")).createGame({ world, settings: settings.game }),
  routes: async (app, door) => (await import("./index.ts")).gameRoutes(app, door),
  refusals: {
    body: (refusal) => errorOfStatus(refusal.status, "BadRequest", refusalText(refusal)).body(),
    // No resource can have an unreadable id, so this is a 404.
    unreadablePath: { status: 404 },
  },
  translate: asSandboxError,
  document: {
    title: "Game launcher",
    description:
      "Sessions, message channels, states, scores, the leaderboard, activities and the rules engine, for games. A launcherJwt in the body identifies the player; `sandglass token` mints one.",
    answerHeaders: { "X-Sandbox-Hint": `${HINT_DESCRIPTION}.` },
  },
};
