import type { CommandSpec } from "../command.ts";
import { json, server } from "../command-options.ts";

/** Commands about the world as a whole. */
export const WORLD_COMMANDS: CommandSpec[] = [
  {
    name: "clock",
    summary: "print the virtual clock, pause it, let it run, change its rate",
    actions: ["show", "pause", "resume", "rate <number>"],
    args: [
      ["[action]", "show (default), pause, resume or rate"],
      ["[rate]", "rate: virtual seconds per real second; 1 is real time"],
    ],
    options: [server, json("print the clock as JSON")],
    examples: [
      ["npx sandglass clock", "what time it is in the sandbox"],
      ["npx sandglass clock pause", "it then moves only when you advance it"],
      ["npx sandglass clock rate 60", "a minute each second"],
    ],
    load: () => import("../clock.ts"),
  },
  {
    name: "reset",
    summary: "restore the fixtures and the starting time; clears faults, journal and inboxes",
    options: [
      { flags: "--seed <text>", summary: "begin with another seed; 'empty' creates no fixtures" },
      server,
      json("print the status as JSON"),
    ],
    examples: [
      ["npx sandglass reset", ""],
      ["npx sandglass reset --seed empty", "without fixtures"],
    ],
    load: () => import("../reset.ts"),
  },
  {
    name: "worlds",
    summary: "list the worlds of a sandbox, create and delete them",
    actions: ["list", "create [name]", "delete <name>"],
    args: [
      ["[action]", "list (default), create or delete"],
      ["[name]", "the world's name; create makes one without it"],
    ],
    options: [
      { flags: "--from <name>", summary: "create: fork this world or snapshot" },
      { flags: "--seed <text>", summary: "create: seed for data and chance; 'empty' creates no fixtures" },
      { flags: "--start-at <time>", summary: "create: virtual time at the start, ISO 8601" },
      { flags: "--paused", summary: "create: start with a paused clock" },
      { flags: "--rate <number>", summary: "create: virtual seconds per real second" },
      server,
      json("print the worlds or the new world's status as JSON"),
    ],
    examples: [
      [
        "npx sandglass worlds create checkout --seed empty --paused",
        "then: npx sandglass status --world checkout",
      ],
      ["npx sandglass worlds create branch --from default", "a copy that goes its own way"],
      ["npx sandglass worlds delete checkout", ""],
    ],
    load: () => import("../worlds.ts"),
  },
];
