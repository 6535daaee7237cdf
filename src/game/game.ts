import named from "../../fixtures/game/players.json" with { type: "json" };
import type { AreaPart } from "../http/area.ts";
import { countRows } from "../world/save.ts";
import type { World } from "../world/world.ts";
import { type Activities, createActivities } from "./activities.ts";
import { type Channels, createChannels } from "./channels.ts";
import type { GameContext, GameSettings } from "./context.ts";
import { createGames, type Games } from "./games.ts";
import { createItems, type Items } from "./items.ts";
import { TOKEN_LIFE } from "./limits.ts";
import { createMessages, type Messages } from "./messages.ts";
import { createNotifications, type Notifications } from "./notifications.ts";
import { createObjectIds } from "./object-id.ts";
import { createPlayers, type Players } from "./players.ts";
import type { PlayerRow } from "./rows.ts";
import { createRuleActions } from "./rules/actions.ts";
import { createRulesEngine, type RulesEngine } from "./rules/engine.ts";
import { createRuleStats, createRules } from "./rules/rules.ts";
import { createScores, type Scores } from "./scores.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { createSignIns, type SignIns } from "./sign-ins.ts";
import { type CheckSignature, createSignatureCheck } from "./signature.ts";
import { createStates, type States } from "./states.ts";
import { createTokens, type Tokens } from "./tokens.ts";

const COUNTED = ["players", "channels", "messages", "scores", "activities"];

export interface GameArea extends AreaPart {
  games: Games;
  players: Players;
  channels: Channels;
  messages: Messages;
  sessions: Sessions;
  tokens: Tokens;
  signIns: SignIns;
  checkSignature: CheckSignature;
  states: States;
  scores: Scores;
  activities: Activities;
  items: Items;
  notifications: Notifications;
  rules: RulesEngine;
  /** The player whose token `sandglass env` prints: the seeded one, or else the first to join. */
  mainPlayer(): PlayerRow | undefined;
  /** The main player's address and token; null in a world without players. */
  status(): { player: { address: string; token: string } | null };
}

export function createGame({ world, settings }: { world: World; settings: GameSettings }): GameArea {
  const context: GameContext = { world, settings, makeId: createObjectIds(world) };
  const games = createGames(context);
  const players = createPlayers(context);
  const channels = createChannels(context, players);
  const messages = createMessages(context, channels);
  const sessions = createSessions(context, { games, players, channels });
  const tokens = createTokens(context, { games, players, sessions });
  const scores = createScores(context);
  const activities = createActivities(context, games);
  const items = createItems(context, activities);
  const notifications = createNotifications(context);
  const mainPlayer = () => players.byAddress(named[0]!.address) ?? players.first();
  const parts = { activities, scores, messages, channels, items, notifications };
  const actions = createRuleActions(context, parts);
  const rules = createRules(context);

  return {
    ...parts,
    world,
    games,
    players,
    sessions,
    tokens,
    signIns: createSignIns(context, { games, players, channels, tokens }),
    checkSignature: createSignatureCheck(context),
    states: createStates(context),
    rules: createRulesEngine(context, actions, rules, createRuleStats(context, rules)),
    mainPlayer,

    /** Mints a token for the main player unless a valid one exists. */
    async refresh() {
      const player = mainPlayer();
      const game = games.main();
      if (player && sessions.newestToken(player.id, game.id, world.clock.now()) === undefined)
        await tokens.mint(player, game, TOKEN_LIFE);
    },

    status() {
      const player = mainPlayer();
      const token = player && sessions.newestToken(player.id, games.main().id);
      return { player: player && token !== undefined ? { address: player.address, token } : null };
    },

    counts: () => countRows(world.store, COUNTED, "game_"),
  };
}
