import type { CommandSpec } from "../command.ts";
import { operationCommand } from "../operation/command.ts";

const views = () => import("../world/world.ts");

export const WORLD_COMMANDS: CommandSpec[] = [
  operationCommand({
    name: "clock",
    summary: "print the virtual clock, pause it, let it run, change its rate",
    acts: {
      show: { does: "clock.state" },
      pause: { does: "clock.pause" },
      resume: { does: "clock.resume" },
      rate: { does: "clock.set", args: ["<rate>"] },
    },
    json: "the clock",
    examples: [
      ["npx sandglass clock", "what time it is in the sandbox"],
      ["npx sandglass clock pause", "it then moves only when you advance it"],
      ["npx sandglass clock rate 60", "one virtual minute per real second"],
    ],
    views,
  }),
  operationCommand({
    name: "reset",
    summary:
      "restore the fixtures and the starting time; clears faults, journal and inboxes (undo brings them back)",
    acts: { does: "reset", flags: ["--seed <text>"] },
    json: "the status",
    examples: [
      ["npx sandglass reset", ""],
      ["npx sandglass reset --seed empty", "without fixtures"],
    ],
    views,
  }),
  operationCommand({
    name: "undo",
    summary: "bring back the world that the last reset or restore replaced",
    acts: { does: "undo" },
    json: "the status",
    examples: [["npx sandglass undo", "data, clock, timers, faults and journal; a second undo reverts it"]],
    views,
  }),
  operationCommand({
    name: "worlds",
    summary: "list the worlds of a sandbox, create and delete them",
    acts: {
      list: { does: "worlds.list" },
      create: {
        does: "worlds.create",
        args: ["[name]"],
        flags: [
          "--from <name>",
          "--seed <text>",
          "--start-at <time>",
          ["--paused", "start with a paused clock"],
          ["--rate <number>", "virtual seconds per real second"],
        ],
        names: { rate: ["clock"] },
      },
      delete: { does: "worlds.delete", args: ["<name>"] },
    },
    json: "the worlds or the new world's status",
    examples: [
      [
        "npx sandglass worlds create checkout --seed empty --paused",
        "then: npx sandglass status --world checkout",
      ],
      ["npx sandglass worlds create branch --from default", "an independent copy"],
      ["npx sandglass worlds delete checkout", ""],
    ],
    views,
  }),
];
