import type { AreaPart } from "../http/area.ts";
import { countRows } from "../world/save.ts";
import type { World } from "../world/world.ts";
import { type Activities, createActivities } from "./activities.ts";
import { type Channels, createChannels } from "./channels.ts";
import type { GameContext, GameSettings } from "./context.ts";
import { createGames, type Games } from "./games.ts";
import { createItems, type Items } from "./items.ts";
import { createMainPlayer } from "./main-player.ts";
import { createMessages, type Messages } from "./messages.ts";
import { createNotifications, type Notifications } from "./notifications.ts";
import { createObjectIds } from "./object-id.ts";
import { createPlayers, type Players } from "./players.ts";
import { createRuleActions } from "./rules/actions.ts";
import { createRulesEngine } from "./rules/engine.ts";
import { createRuleStats, createRules } from "./rules/rules.ts";
import { createScores, type Scores } from "./scores.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { createSignIns } from "./sign-ins.ts";
import { createSignatures, type Signatures } from "./signature.ts";
import { createStates, type States } from "./states.ts";
import { createTokens, type Tokens } from "./tokens.ts";

const COUNTED = Object.entries({
  players: "game_players",
  channels: "game_channels",
  messages: "game_messages",
  scores: "game_scores",
  activities: "game_activities",
});

export interface GameArea extends AreaPart {
  settings: GameSettings;
  games: Games;
  players: Players;
  channels: Channels;
  messages: Messages;
  sessions: Sessions;
  tokens: Tokens;
  signIns: ReturnType<typeof createSignIns>;
  signatures: Signatures;
  states: States;
  scores: Scores;
  activities: Activities;
  items: Items;
  notifications: Notifications;
  rules: ReturnType<typeof createRulesEngine>;
  mainPlayer: ReturnType<typeof createMainPlayer>;
  /** The main player's address and token; null in a world without players. */
  status(): { player: { address: string; token: string } | null };
}

export function createGame({ world, settings }: { world: World; settings: GameSettings }): GameArea {
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
  const mainPlayer = createMainPlayer(context, { games, players, sessions, tokens });
  const parts = { activities, scores, messages, channels, items, notifications };
  const actions = createRuleActions(context, parts);
  const rules = createRules(context);

  return {
    ...parts,
    world,
    settings,
    games,
    players,
    sessions,
    tokens,
    signIns: createSignIns(context, { games, players, channels, tokens }),
    signatures: createSignatures(context),
    states: createStates(context),
    rules: createRulesEngine(context, actions, rules, createRuleStats(context, rules)),
    mainPlayer,

    refresh: mainPlayer.refresh,
    status: () => ({ player: mainPlayer.view() }),
    counts: () => countRows(world.store, COUNTED),
  };
}
