import { Type } from "typebox";
import { oneOf, shape } from "../../http/shapes.ts";
import { cidOf } from "../cid.ts";
import {
  DEFAULT_LABEL,
  MAX_ACTIVITY_LENGTH,
  MAX_EVENT_ID_LENGTH,
  MAX_LABEL_LENGTH,
  MAX_MESSAGE_LENGTH,
  MAX_NAME_LENGTH,
  MAX_OTHERS,
  MAX_TRIGGER_LENGTH,
  PAGE_SIZE,
  SCORES_PAGE_SIZE,
} from "../limits.ts";
import { NOTIFICATION_TYPES } from "../notifications.ts";
import { ACTION_KINDS } from "../rules/rule.ts";
import {
  envelopeFields,
  GameId,
  Millis,
  Nonce,
  pageFields,
  RecordId,
  StateText,
  success,
  textOf,
  Wallet,
} from "../schemas/common.ts";
import {
  Channel,
  ChannelMessage,
  CustomActivity,
  LeaderboardEntry,
  Score,
  UserState,
} from "../schemas/records.ts";
import { type Operation, openOperation, playerOperation, tagged } from "./operation.ts";

const sessionOperations = tagged("Sessions", [
  playerOperation({
    method: "channelStatus",
    summary: "Read whether the player's session exists and the player is present",
    title: "ChannelStatusBody",
    takes: {},
    answer: shape("ChannelStatus", {
      exists: Type.Boolean({ description: "False once the session has ended." }),
      present: Type.Boolean({ description: "Whether a heartbeat arrived in the last two minutes." }),
      wallet: Type.String(),
      openedAt: Millis,
    }),
    evenEnded: true,
    run: ({ sessions }, session) => sessions.status(session),
  }),
  playerOperation({
    method: "channelHeartbeat",
    summary: "Mark the player as present for two minutes",
    takes: {},
    run: ({ sessions }, { row }) => sessions.heartbeat(row),
  }),
  openOperation({
    method: "createUnverifiedChannel",
    summary: "Start a sign-in with a wallet",
    description: "For games outside the launcher. Default for gameId: the first game.",
    takes: { wallet: Wallet, gameId: Type.Optional(GameId) },
    answer: success("UnverifiedChannel", {
      signRequest: Type.String({ description: "The text for the wallet to sign." }),
      channelId: Type.String(),
    }),
    gameOf: ({ games }, { gameId }) => (gameId === undefined ? games.main() : games.get(gameId)),
    run: ({ games, signIns }, { wallet, gameId }) =>
      signIns.begin(wallet, gameId === undefined ? games.main() : games.get(gameId)),
  }),
  openOperation({
    method: "verifyUnverifiedChannel",
    summary: "Complete the sign-in with the wallet's signature",
    description: "Must happen within 15 minutes. Returns the new session's token.",
    takes: {
      channelId: RecordId,
      signature: Type.String({
        pattern: "^0x[0-9a-fA-F]{130,}$",
        maxLength: 20_000,
        description: "0x followed by at least 130 hexadecimal characters. Only its format is checked.",
        examples: [`0x${"1b".repeat(65)}`],
      }),
      chainId: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    },
    answer: success("VerifiedChannel", {
      jwt: Type.String({ description: "The session's launcherJwt." }),
    }),
    gameOf: ({ signIns }, { channelId }) => signIns.gameOf(channelId),
    run: ({ signIns }, { channelId, signature }) => signIns.verify(channelId, signature),
  }),
]);

const Content = textOf(MAX_MESSAGE_LENGTH, { examples: ["Good game!"] });

const channelOperations = tagged("Channels", [
  playerOperation({
    method: "getMessageChannels",
    summary: "List the player's channels with the game",
    description: "Channels with the latest messages come first.",
    takes: pageFields(PAGE_SIZE),
    answer: shape("ChannelList", { ...envelopeFields, data: Type.Array(Channel) }),
    run: ({ channels }, { player, game }, page) => channels.list(player, game, page),
  }),
  playerOperation({
    method: "getChannelMessages",
    summary: "List the messages of a channel, newest first",
    takes: { channelId: RecordId, ...pageFields(PAGE_SIZE) },
    answer: shape("ChannelMessageList", { ...envelopeFields, data: Type.Array(ChannelMessage) }),
    run: ({ messages }, session, { channelId, ...page }) => messages.list(session, channelId, page),
  }),
  playerOperation({
    method: "createMessageChannel",
    summary: "Create a channel with other players",
    description: "Two players share one channel: creating it again returns the existing one.",
    takes: {
      otherParticipants: Type.Array(Wallet, { minItems: 1, maxItems: MAX_OTHERS }),
      name: Type.Optional(textOf(MAX_NAME_LENGTH)),
      chatPicture: Type.Optional(Type.String({ maxLength: 2_048 })),
    },
    answer: Channel,
    run: ({ channels }, { player, game }, { otherParticipants, name, chatPicture }) =>
      channels.create(player, game, otherParticipants, { name, picture: chatPicture }),
  }),
  playerOperation({
    method: "sendChannelMessage",
    summary: "Send a message",
    takes: { channelId: RecordId, content: Content },
    answer: ChannelMessage,
    run: ({ messages }, session, { channelId, content }) => messages.send(session, channelId, content),
  }),
  playerOperation({
    method: "editChannelMessage",
    summary: "Edit a message that the player wrote",
    takes: { messageId: RecordId, newContent: Content },
    answer: ChannelMessage,
    run: ({ messages }, session, { messageId, newContent }) => messages.edit(session, messageId, newContent),
  }),
  playerOperation({
    method: "unsendChannelMessage",
    summary: "Delete a message",
    description:
      "Players can delete their own messages, and any message if they have permission to moderate. Returns the deleted message.",
    takes: { messageId: RecordId },
    answer: ChannelMessage,
    run: ({ messages }, session, { messageId }) => messages.unsend(session, messageId),
  }),
]);

const label = (description: string) =>
  Type.Optional(textOf(MAX_LABEL_LENGTH, { examples: ["save-1"], description }));

const stateOperations = tagged("States", [
  playerOperation({
    method: "setState",
    summary: "Store a state for the player",
    description: "One record per game, player and label; the text is stored byte for byte.",
    takes: { state: StateText, label: label(`Default: \`${DEFAULT_LABEL}\`.`) },
    answer: success("NewState", { newState: UserState }),
    run: ({ states }, session, { state, label }) =>
      `{"success":true,"newState":${states.set(session, state, cidOf(state), label)}}`,
  }),
  playerOperation({
    method: "getStates",
    aliases: ["getState"],
    summary: "List the player's states, latest first",
    takes: { label: label("Return only the state with this label."), ...pageFields(PAGE_SIZE) },
    answer: success("StateList", { states: Type.Array(UserState) }),
    run: ({ states }, session, { label, ...page }) =>
      `{"success":true,"states":[${states.list(session, label, page).join(",")}]}`,
  }),
]);

const scoreOperations = tagged("Scores", [
  playerOperation({
    method: "setUserScore",
    summary: "Set a score for the player",
    description: "One record for each game, player and nonce; the same nonce updates it.",
    takes: {
      score: Type.Number({ examples: [1_250] }),
      nonce: Type.Optional({ ...Nonce, description: "One record for each nonce. Default: a random one." }),
    },
    answer: success("NewScore", { newScore: Score }),
    run: ({ scores }, session, { score, nonce }) => ({
      success: true,
      newScore: scores.set(session, score, nonce),
    }),
  }),
  playerOperation({
    method: "getUserScores",
    summary: "List the player's scores, latest first",
    takes: {
      nonce: Type.Optional({ ...Nonce, description: "Return only the score with this nonce." }),
      ...pageFields(SCORES_PAGE_SIZE),
    },
    answer: success("ScoreList", { scores: Type.Array(Score) }),
    run: ({ scores }, session, { nonce, ...page }) => ({
      success: true,
      scores: scores.list(session, nonce, page),
    }),
  }),
  openOperation({
    method: "getGameScoresLeaderboard",
    services: ["scores", "launcher"],
    summary: "A game's leaderboard",
    description: "Each player's best score, highest first; of two equal scores, the earlier one is first.",
    takes: { gameId: GameId, ...pageFields(SCORES_PAGE_SIZE) },
    answer: success("Leaderboard", { leaderboard: Type.Array(LeaderboardEntry) }),
    run: ({ games, scores }, { gameId, ...page }) => ({
      success: true,
      leaderboard: scores.leaderboard(games.get(gameId).id, page),
    }),
  }),
  openOperation({
    method: "getUsersPositionInGameScoreLeaderboard",
    services: ["launcher", "scores"],
    summary: "Read a player's place on a game's leaderboard",
    takes: { gameId: GameId, wallet: Wallet },
    answer: success("Position", {
      position: Type.Integer({ minimum: 0, description: "Starts at 1; 0 for a player without a score." }),
    }),
    run({ games, players, scores }, { gameId, wallet }) {
      const game = games.get(gameId);
      const player = players.byAddress(wallet);
      return { success: true, position: player ? scores.position(game.id, player.id) : 0 };
    },
  }),
]);

const activityOperations = tagged("Activities", [
  playerOperation({
    method: "triggerRulesEngine",
    summary: "Trigger the rules engine",
    description: "sandbox.config.ts defines the rules. A trigger without a matching rule does nothing.",
    takes: {
      trigger: textOf(MAX_TRIGGER_LENGTH, { examples: ["level-complete"] }),
      value: Type.Optional(Type.Number({ description: "The value that the rules' conditions check." })),
      nonce: Type.Optional({ ...Nonce, description: "A trigger with the same nonce runs only once." }),
    },
    answer: success("TriggerResult", {
      triggerUuid: Type.String(),
      actions: Type.Array(oneOf(ACTION_KINDS), {
        description: "The rules' actions, in order; empty if no rule fired.",
      }),
    }),
    run: ({ rules }, session, { trigger, value, nonce }) => rules.trigger(session, trigger, value, nonce),
  }),
  playerOperation({
    method: "sendCustomActivity",
    summary: "Add an off-chain activity for the player",
    takes: {
      label: textOf(MAX_ACTIVITY_LENGTH, {
        description: "The text; {username} and {wallet} are filled in.",
        examples: ["{username} lit the ninth lantern"],
      }),
      eventId: textOf(MAX_EVENT_ID_LENGTH, {
        description: "Groups activities; it can repeat.",
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
    summary: "Report the player's progress in a round or run",
    takes: {
      sessionId: textOf(100, {
        description: "The game's own name for the round or run.",
        examples: ["0b8f6f0e-6d0f-4d7e-9a53-6f6d2f0d6a11"],
      }),
      state: StateText,
      endTime: Type.Optional({
        ...Millis,
        minimum: 0,
        description: "When the round or run ended, if it has.",
      }),
    },
    run: ({ states }, session, { sessionId, state, endTime }) =>
      states.track(session, sessionId, state, endTime),
  }),
]);

/** Every operation except GET /activities: a flat list, however long. */
export const OPERATIONS: readonly Operation[] = [
  ...sessionOperations,
  ...channelOperations,
  ...stateOperations,
  ...scoreOperations,
  ...activityOperations,
];
