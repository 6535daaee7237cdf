import type { World } from "../world/world.ts";
import { createActivities } from "./activities.ts";
import { createChannels } from "./channels.ts";
import type { GameContext, GameSettings } from "./context.ts";
import { createGames } from "./games.ts";
import { createItems } from "./items.ts";
import { createMainPlayer } from "./main-player.ts";
import { createMessages } from "./messages.ts";
import { createNotifications } from "./notifications.ts";
import { createObjectIds } from "./object-id.ts";
import { createPlayers } from "./players.ts";
import { createRuleActions } from "./rules/actions.ts";
import { createRulesEngine } from "./rules/engine.ts";
import { createRules } from "./rules/rules.ts";
import { createRuleStats } from "./rules/stats.ts";
import { createScores } from "./scores.ts";
import { createSessions } from "./sessions.ts";
import { createSignIns } from "./sign-ins.ts";
import { createSignatures } from "./signature.ts";
import { createStates } from "./states.ts";
import { createTokens } from "./tokens.ts";

const COUNTED = {
  players: "game_players",
  channels: "game_channels",
  messages: "game_messages",
  scores: "game_scores",
  activities: "game_activities",
} as const;

export type GameArea = ReturnType<typeof createGame>;

/** Wires one world's game launcher: its resources, and the rules engine that uses them. */
export function createGame({ world, settings }: { world: World; settings: GameSettings }) {
  const context: GameContext = { world, settings, makeId: createObjectIds(world) };
  const games = createGames(context);
  const players = createPlayers(context);
  const channels = createChannels(context, players);
  const messages = createMessages(context, channels);
  const sessions = createSessions(context, games, players, channels);
  const tokens = createTokens(context, games, players, sessions);
  const scores = createScores(context);
  const activities = createActivities(context, games);
  const items = createItems(context, activities);
  const notifications = createNotifications(context);
  const mainPlayer = createMainPlayer(context, games, players, sessions, tokens);
  const actions = createRuleActions(context, {
    activities,
    scores,
    messages,
    channels,
    items,
    notifications,
  });

  const rules = createRules(context);

  return {
    world,
    settings,
    games,
    players,
    channels,
    messages,
    sessions,
    tokens,
    signIns: createSignIns(context, games, players, channels, tokens),
    signatures: createSignatures(context),
    states: createStates(context),
    scores,
    activities,
    items,
    notifications,
    rules: createRulesEngine(context, actions, rules, createRuleStats(context, rules)),
    mainPlayer,

    refresh: mainPlayer.refresh,
    status: () => ({ player: mainPlayer.view() }),

    /** The numbers of rows in all games. */
    counts: (): Record<string, number> =>
      Object.fromEntries(
        Object.entries(COUNTED).map(([name, table]) => [
          name,
          world.store.sql<{ n: number }>(`select count(*) as n from ${table}`).get()!.n,
        ]),
      ),
  };
}
