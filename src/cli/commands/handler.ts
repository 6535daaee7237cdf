import type { CommandSpec } from "../command.ts";
import { json, options, server } from "../command-options.ts";
import { run as listen } from "../listen.ts";

/** Commands for the person who writes a webhook handler: they send it what the platform would, and judge what it does. */
export const HANDLER_COMMANDS: CommandSpec[] = [
  {
    name: "listen",
    summary: "send webhooks to your own server, or to a built-in inbox, and print each delivery",
    options: options({
      "--forward-to <url>":
        "where your server takes webhooks (default: an inbox of the sandbox, which answers 200)",
      "--events <names>": "only these, comma-separated (default: all)",
      "--secret <secret>":
        "the signing secret (default: SANDGLASS_WEBHOOK_SECRET, else the last secret of that URL)",
      "--api-key <key>": "key of the organization (default: SANDGLASS_API_KEY, else the seeded write key)",
      ...server,
      ...json("print one JSON object per line: the journal entry, its payload and the response"),
    }),
    examples: [
      ["npx sandglass listen --forward-to http://127.0.0.1:3000/webhooks", "until Ctrl-C"],
      ["npx sandglass listen", "without a server of your own"],
      [
        "npx sandglass listen --forward-to localhost:3000/hooks --events payment.completed,payment.failed",
        "",
      ],
      [
        "npx sandglass listen --forward-to localhost:3000/hooks --secret whsec_test",
        "signed as your server expects",
      ],
    ],
    load: async () => ({ run: listen }),
  },
  {
    name: "capture",
    summary: "store what a real sender sends to your server: stand between the two, byte for byte",
    args: [["<port>", "where the sender, or a tunnel to it, reaches this machine; 0 for any free one"]],
    options: options({
      "--forward-to <url>": "where your server takes webhooks; without a path, each request keeps its own",
      "--out <file>": "the file to add to, a line for each request (default: capture.ndjson)",
      "--redact <place>": {
        summary:
          "replace the value there, such as body.customer.email or query.email, in the file alone; may be repeated",
        repeatable: true,
      },
      ...json("print the lines of the file"),
    }),
    examples: [
      [
        "npx sandglass capture 4000 --forward-to localhost:3000/webhooks --out checkout.ndjson",
        "until Ctrl-C",
      ],
      [
        "npx sandglass capture 4000 --forward-to localhost:3000/webhooks --redact body.data.object.customer_email",
        "",
      ],
    ],
    load: () => import("../capture.ts"),
  },
  {
    name: "check",
    summary:
      "test your webhook handler with forged, repeated, reordered and malformed events; exits 1 if it fails",
    args: [["[subscriber]", "where your server takes webhooks"]],
    options: options({
      "--secret <secret>": "the secret that your server verifies with (default: SANDGLASS_WEBHOOK_SECRET)",
      "--sender <name or file>":
        "check with the webhooks of another sender, such as stripe (default: the platform's)",
      "--events <types or file>":
        "which events of the sender to send: types, or a capture (default: all in its file)",
      "--old-secret <secret>": "a secret that was replaced: nothing signed with it alone may be accepted",
      "--only <names>": "check only these hazards, comma-separated, and valid-event",
      "--skip <names>": "leave these hazards out",
      "--event <type>": "type of most events (default: payment.completed; the first of a sender)",
      "--state <url>": "a URL whose response changes when an event is handled: shows what was handled twice",
      "--state-url <url>": { summary: "the earlier name of --state", hidden: true },
      "--timeout <duration>": "how long an answer may take (default: 30s, as on the platform)",
      "--header-prefix <text>": "prefix of the webhook headers (default: X-Platform-)",
      "--seed <text>": "repeats the ids of an earlier run (default: fresh ids)",
      "--at <time>": "time of the events (default: now)",
      "--config <file>": "configuration (default: as for start)",
      "--junit <file>": "also write the result as JUnit XML",
      ...json("print the whole result as one JSON object"),
      "--list": "print the hazards and why each matters; needs no server",
    }),
    examples: [
      ["npx sandglass check http://127.0.0.1:3000/webhooks --secret whsec_…", "a verdict for each hazard"],
      [
        "npx sandglass check localhost:3000/webhooks --only duplicate,late-retry --state localhost:3000/state",
        "",
      ],
      ["npx sandglass check localhost:3000/webhooks --sender stripe --secret whsec_…", "as Stripe sends"],
    ],
    load: () => import("../check.ts"),
  },
  {
    name: "explore",
    summary:
      "find the delivery schedule that breaks your webhook handler; exits 1 if there is one, 3 if it cannot tell",
    args: [["[subscriber]", "where your server takes webhooks"]],
    options: options({
      "--secret <secret>": "the secret that your server verifies with (default: SANDGLASS_WEBHOOK_SECRET)",
      "--state <source>":
        "your server's state: sqlite:<file>, postgres://…, a URL that returns JSON, or a command that prints it",
      "--tables <names>": "the tables of the database that count (default: all)",
      "--reset <url or command>":
        "a URL to POST to, or a shell command, that makes its state empty; without it, tables are put back",
      "--start <command>":
        "start your server by this shell command, with its port in PORT; it is also restarted and killed",
      "--database-env <name>": {
        summary:
          "with --start: a variable that your server reads its database's address from, beside DATABASE_URL; may be repeated",
        repeatable: true,
      },
      "--yes":
        "explore with a database that is large or on another machine; without a terminal, nothing is asked",
      "--workers <number>":
        "with --start: try schedules with as many servers at once; {worker} in --start and --state is the number of each",
      "--ignore <path>": {
        summary: "a path of the state to leave out, such as orders.*.seen_at; may be repeated",
        repeatable: true,
      },
      "--ordered <path>": {
        summary: "a path of a list whose order counts, such as orders.*.history; may be repeated",
        repeatable: true,
      },
      "--sender <name or file>":
        "explore with the webhooks of another sender, such as stripe (default: the platform's)",
      "--events <types or file>":
        "the sender's events: order.created,order.paid@20s, a file of them or a capture (default: the story of its file, or all)",
      "--story <name or file>":
        "the story to play, or a scenario of your own (default: all that are shipped)",
      "--deviations <number>": "the most deviations in a schedule (default: 3)",
      "--budget <duration>": "real time to spend (default: 1m)",
      "--idle <url>": "answers 2xx once your server has nothing more to do, so that nothing waits longer",
      "--api-port <port>":
        "serve the story's platform API there, for a server that reads it; --start passes it on",
      "--at <time>": "virtual time at which stories begin, or now (default: startAt of the configuration)",
      "--all": "go on after a finding, and print each way to go wrong once",
      "--replay <schedule or file>":
        "play one schedule again, such as 'checkout: lost@1', or that of a file from --json",
      "--shard <part/parts>": "try only one part of the schedules, for parallel jobs",
      "--merge <folder>": "join the results of all parts, from --shard with --json; needs no server",
      "--invariant <file>": "a module whose function throws if a state is wrong, whatever the schedule",
      "--timeout <duration>": "how long an answer may take (default: 30s, as on the platform)",
      "--header-prefix <text>": "prefix of the webhook headers (default: X-Platform-)",
      "--seed <text>": "draws other ids; the same seed repeats a run (default: explore)",
      "--config <file>": "configuration (default: as for start)",
      "--save <folder>":
        "where the found schedule goes as a scenario (default: the folder of your scenarios)",
      ...json("print the whole result as one JSON object"),
      "--junit <file>": "also write JUnit XML for CI",
      "--html <file>": "also write one HTML file with both timelines",
      "--restore": "put the rows of --state back that an earlier trial could not put back; needs no server",
      "--list": "print the stories; needs no server",
      "--demo": "explore a shipped handler that has a bug, and its fix; needs no server",
    }),
    examples: [
      ["npx sandglass explore --demo", "a finding and its fix, in seconds"],
      ["npx sandglass explore localhost:3000/webhooks --state sqlite:shop.db", "with the server's database"],
      [
        "npx sandglass explore localhost:3000/webhooks --state localhost:3000/state --reset http://localhost:3000/reset",
        "",
      ],
      [
        "npx sandglass explore localhost:3000/webhooks --state localhost:3000/state --reset 'npm run db:reset'",
        "with a command",
      ],
    ],
    load: () => import("../explore.ts"),
  },
];
