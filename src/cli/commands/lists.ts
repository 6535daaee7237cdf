import type { CommandSpec } from "../command.ts";
import { operationCommand } from "../operation/command.ts";

export const LIST_COMMANDS: CommandSpec[] = [
  operationCommand({
    name: "links",
    summary: "list payment links, newest first",
    acts: { does: "payments.links", flags: ["--search <text>", "--limit <number>", "--organization <name>"] },
    json: "the list, each row with its organization,",
    examples: [
      ["npx sandglass links", "links that can be paid"],
      ["npx sandglass links --search coffee", ""],
    ],
    views: () => import("../world/lists.ts"),
  }),
  operationCommand({
    name: "sessions",
    summary: "list checkout sessions, newest first",
    acts: {
      does: "payments.sessions",
      args: ["[link]"],
      flags: ["--status <status>", "--limit <number>", "--organization <name>"],
    },
    json: "the list, each row with its organization,",
    examples: [
      ["npx sandglass sessions --status active", "sessions that can be paid or expired"],
      ["npx sandglass sessions coffee", "of one link"],
    ],
    views: () => import("../world/lists.ts"),
  }),
  operationCommand({
    name: "payment",
    summary: "print one payment with its events, and each attempt to deliver them",
    acts: {
      does: "payments.follow",
      args: [
        [
          "<transaction or session>",
          "its id (txn_… or cs_…), your order's id, or 'last' for the latest payment",
        ],
      ],
      names: { "transaction or session": "id" },
    },
    json: "session, payments, events, endpoints and attempts",
    examples: [
      ["npx sandglass payment last", "from the checkout session to the last attempt"],
      ["npx sandglass payment cs_4fTzK0aQ9xLm2VbE", "every payment of a session"],
    ],
    views: () => import("../payments/payment.ts"),
  }),
];
