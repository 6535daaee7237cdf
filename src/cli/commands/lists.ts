import type { CommandSpec } from "../command.ts";
import { json, organization, server } from "../command-options.ts";

/** How many rows a list has. */
export const limit = (what: string) => ({
  flags: "--limit <number>",
  summary: `how many ${what}, 1 to 100 (default: 20)`,
});

/** Commands that list payments and what can be paid. */
export const LIST_COMMANDS: CommandSpec[] = [
  {
    name: "links",
    summary: "list payment links, newest first",
    options: [
      { flags: "--search <text>", summary: "only those with this in their name or short code" },
      limit("links"),
      organization,
      server,
      json("print the platform's list as JSON, each row with its organization"),
    ],
    examples: [
      ["npx sandglass links", "what can be paid"],
      ["npx sandglass links --search coffee", ""],
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
      organization,
      server,
      json("print the platform's list as JSON, each row with its organization"),
    ],
    examples: [
      ["npx sandglass sessions --status active", "what can be paid or expired"],
      ["npx sandglass sessions coffee", "of one link"],
    ],
    load: () => import("../sessions.ts"),
  },
  {
    name: "payment",
    summary: "print the story of one payment: its events, and each attempt to deliver them",
    args: [
      [
        "<transaction or session>",
        "its id (txn_… or cs_…), your order's id, or 'last' for the latest payment",
      ],
    ],
    options: [server, json("print session, payments, events, endpoints and attempts as JSON")],
    examples: [
      ["npx sandglass payment last", "from the checkout session to the last attempt"],
      ["npx sandglass payment cs_4fTzK0aQ9xLm2VbE", "every payment of a session"],
    ],
    load: () => import("../payment.ts"),
  },
];
