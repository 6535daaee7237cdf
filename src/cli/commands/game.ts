import type { CommandSpec } from "../command.ts";
import { json, server } from "../command-options.ts";
import { limit } from "./lists.ts";

/** Commands about the games and their players. */
export const GAME_COMMANDS: CommandSpec[] = [
  {
    name: "players",
    summary: "list the players of the games",
    options: [server, json("print the players as JSON")],
    examples: [["npx sandglass players", "their names, wallets and items"]],
    load: () => import("../players.ts"),
  },
  {
    name: "scores",
    summary: "print the leaderboard of a game",
    args: [["[game]", "a game's id or slug (default: the first game)"]],
    options: [limit("places"), server, json("print the leaderboard as JSON")],
    examples: [["npx sandglass scores lantern-keeper --limit 3", "the three best"]],
    load: () => import("../scores.ts"),
  },
  {
    name: "rules",
    summary: "list the rules of the games: how often each fired, and why it last did not",
    args: [["[game]", "only those of this game: its id or slug"]],
    options: [server, json("print the rules as JSON")],
    examples: [
      ["npx sandglass rules", "trigger, condition, actions, counts"],
      ["npx sandglass rules lantern-keeper", "of one game, and of every game"],
    ],
    load: () => import("../rules.ts"),
  },
  {
    name: "channels",
    summary: "list the message channels of the games, newest messages first",
    args: [["[game]", "only those of this game: its id or slug"]],
    options: [
      { flags: "--limit <number>", summary: "how many channels (default: 20)" },
      server,
      json("print the channels with their players as JSON"),
    ],
    examples: [["npx sandglass channels lantern-keeper", "their ids and names"]],
    load: () => import("../channels.ts"),
  },
  {
    name: "message",
    summary: "post a message in a channel, as a player or as the game",
    args: [
      ["<channel>", "the channel's id, or its name in the game"],
      ["<text>", "what to write"],
    ],
    options: [
      { flags: "--from <player>", summary: "a player's id, address or username (default: the game itself)" },
      { flags: "--game <game>", summary: "the game of a channel that is named (default: the first game)" },
      server,
      json("print the message as JSON"),
    ],
    examples: [
      ['npx sandglass message "night shift" "Good game!" --from mira_lantern', "as a player"],
      ["npx sandglass message 68d68ec50f1ba93ecabd32b0 'Back in an hour.'", "as the game"],
    ],
    load: () => import("../message.ts"),
  },
];
