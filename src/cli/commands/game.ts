import type { CommandSpec } from "../command.ts";
import { operationCommand } from "../operation-command.ts";

const views = () => import("../game.ts");

/** Commands about the games and their players. */
export const GAME_COMMANDS: CommandSpec[] = [
  operationCommand({
    name: "players",
    summary: "list the players of the games",
    acts: { does: "game.players" },
    json: "the players",
    examples: [["npx sandglass players", "their names, wallets and items"]],
    views,
  }),
  operationCommand({
    name: "scores",
    summary: "print the leaderboard of a game",
    acts: { does: "game.scores", args: ["[game]"], flags: ["--limit <number>"] },
    json: "the leaderboard",
    examples: [["npx sandglass scores lantern-keeper --limit 3", "the three best"]],
    views,
  }),
  operationCommand({
    name: "rules",
    summary: "list the rules of the games: how often each fired, and why it last did not",
    acts: { does: "game.rules", args: ["[game]"] },
    json: "the rules",
    examples: [
      ["npx sandglass rules", "trigger, condition, actions, counts"],
      ["npx sandglass rules lantern-keeper", "of one game, and of every game"],
    ],
    views,
  }),
  operationCommand({
    name: "channels",
    summary: "list the message channels of the games, newest messages first",
    acts: { does: "game.channels", args: ["[game]"], flags: ["--limit <number>=20"] },
    json: "the channels with their players",
    examples: [["npx sandglass channels lantern-keeper", "their ids and names"]],
    views,
  }),
  operationCommand({
    name: "message",
    summary: "post a message in a channel, as a player or as the game",
    acts: {
      does: "game.post",
      args: ["<channel>", ["<text>", "what to write"]],
      flags: ["--from <player>", "--game <game>"],
      names: { text: "content", game: "gameId" },
    },
    json: "the message",
    examples: [
      ['npx sandglass message "night shift" "Good game!" --from mira_lantern', "as a player"],
      ["npx sandglass message 68d68ec50f1ba93ecabd32b0 'Back in an hour.'", "as the game"],
    ],
    views,
  }),
];
