import type { CommandSpec } from "../command.ts";
import { json, server } from "../command-options.ts";

const limit = (what: string) => ({
  flags: "--limit <number>",
  summary: `how many ${what}, 1 to 100 (default: 20)`,
});

/** Commands that list what a world has. */
export const LIST_COMMANDS: CommandSpec[] = [
  {
    name: "links",
    summary: "list payment links, newest first",
    options: [
      { flags: "--search <text>", summary: "only those with this in their name or short code" },
      limit("links"),
      server,
      json("print the platform's list as JSON"),
    ],
    examples: [
      ["sandglass links", "what can be paid"],
      ["sandglass links --search coffee", ""],
    ],
    load: () => import("../links.ts"),
  },
  {
    name: "sessions",
    summary: "list checkout sessions, newest first",
    args: [["[link]", "only those of this payment link: its id, short code or URL"]],
    options: [
      {
        flags: "--status <status>",
        summary: "only active, completed or expired ones",
        choices: ["active", "completed", "expired"],
      },
      limit("sessions"),
      server,
      json("print the platform's list as JSON"),
    ],
    examples: [
      ["sandglass sessions --status active", "what can be paid or expired"],
      ["sandglass sessions coffee", "of one link"],
    ],
    load: () => import("../sessions.ts"),
  },
  {
    name: "players",
    summary: "list the players of the games",
    options: [server, json("print the players as JSON")],
    examples: [["sandglass players", "their names, wallets and items"]],
    load: () => import("../players.ts"),
  },
  {
    name: "scores",
    summary: "print the leaderboard of a game",
    args: [["[game]", "a game's id or slug (default: the first game)"]],
    options: [limit("places"), server, json("print the leaderboard as JSON")],
    examples: [["sandglass scores lantern-keeper --limit 3", "the three best"]],
    load: () => import("../scores.ts"),
  },
];
