import type { CommandSpec } from "../command.ts";
import { operationCommand } from "../operation/command.ts";

export const GAME_COMMANDS: CommandSpec[] = [
  operationCommand({
    name: "players",
    summary: "list the games' players",
    acts: {
      does: "game.players",
      shows: "username address id items",
      empty: "No players. Create one: npx sandglass token --player <address>",
    },
    json: "the players",
    examples: [["npx sandglass players", "their names, wallets and items"]],
  }),
  operationCommand({
    name: "scores",
    summary: "print a game's leaderboard",
    acts: {
      does: "game.scores",
      args: ["[game]"],
      flags: ["--limit <number>"],
      shows: "score username normalizedAddress updatedAt",
      empty: "No scores in this game yet.",
    },
    json: "the leaderboard",
    examples: [["npx sandglass scores lantern-keeper --limit 3", "the three best"]],
  }),
  operationCommand({
    name: "rules",
    summary: "list the games' rules: how often each fired, and why it was last skipped",
    acts: {
      does: "game.rules",
      args: ["[game]"],
      shows: "name game when if then fired skipped last_reason last_skipped_at",
      empty:
        "No rules found. Add some to game.rules in the configuration; npx sandglass rules lists every game's rules.",
    },
    json: "the rules",
    examples: [
      ["npx sandglass rules", "trigger, condition, actions, counts"],
      ["npx sandglass rules lantern-keeper", "rules for this game, and those for all games"],
    ],
  }),
  operationCommand({
    name: "channels",
    summary: "list the games' message channels, latest messages first",
    acts: {
      does: "game.channels",
      args: ["[game]"],
      flags: ["--limit <number>=20"],
      shows: "id name kind game_id participants messages updated_at",
      empty: "There are no channels. A token for a player creates one: npx sandglass token",
    },
    json: "the channels with their players",
    examples: [["npx sandglass channels lantern-keeper", "their ids and names"]],
  }),
  operationCommand({
    name: "message",
    summary: "post a message in a channel, as a player or as the game",
    acts: {
      does: "game.post",
      args: ["<channel>", ["<text>", "what to write"]],
      flags: ["--from <player>", "--game <game>"],
      names: { text: "content", game: "gameId" },
      shows: "_id channelId senderId createdAt content",
    },
    json: "the message",
    examples: [
      ['npx sandglass message "night shift" "Good game!" --from mira_lantern', "as a player"],
      ["npx sandglass message 68d68ec50f1ba93ecabd32b0 'Back in an hour.'", "as the game"],
    ],
  }),
];
