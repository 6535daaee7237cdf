import type { CommandSpec } from "../command.ts";
import { json, known, type OptionWords, options, server } from "../command-options.ts";

const URL: [string, string] = [
  "[subscriber]",
  "your server's webhook URL (default: subject.url in the configuration)",
];

/** Options that describe your server. Each is also a field of `subject` in the configuration. */
const subject: OptionWords = {
  "--secret <secret>": "the secret that your server verifies with (default: SANDGLASS_WEBHOOK_SECRET)",
  "--sender <name or file>": "the sender of the webhooks, such as stripe (default: the platform)",
  "--events <types or file>":
    "the sender's events: order.created,order.paid@20s, an events file or a capture (default: all in its file)",
  ...known,
  "--state <source>":
    "your server's state: sqlite:<file>, postgres://…, mysql://…, a URL that returns JSON, or a command that prints it",
  "--start <command>":
    "start your server with this shell command, with its port in PORT; explore also restarts and kills it",
  "--instances <number>": "how many server processes share its address and database (default: 1)",
  "--in-place":
    "without --start: let your server work on its own database, whose tables are restored after each schedule",
  "--yes": "use a large or remote database without being asked; required without a terminal",
  "--config <file>": "configuration file (default: as for start)",
};

const exploration: OptionWords = {
  "--reset <url or command>":
    "a URL to POST to, or a shell command, that clears its state; without it, tables are restored",
  "--story <name or file>": "the story to run, or your own scenario (default: all shipped stories)",
  "--deviations <number>": "the maximum number of deviations in a schedule (default: 3)",
  "--budget <duration>": "the maximum real time (default: 1m after the schedules with one deviation)",
  "--all": "continue after a finding and report each kind of failure once",
};

const reports: OptionWords = {
  ...json("print the whole result as one JSON object"),
  "--junit <file>": "also write JUnit XML for CI",
  "--html <file>": "also write one HTML file, to share",
};

const setting = (name: string, value: unknown): string =>
  `It is now a project setting: { "subject": ${JSON.stringify({ [name]: value })} } in sandbox.config.json.`;

export const HANDLER_COMMANDS: CommandSpec[] = [
  {
    name: "listen",
    summary: "send webhooks to your own server, or to a built-in inbox, and print each delivery",
    options: options({
      "--forward-to <url>": "your server's webhook URL (default: an inbox of the sandbox, which returns 200)",
      "--events <names>": "only these event types, comma-separated (default: all)",
      "--secret <secret>":
        "the signing secret (default: SANDGLASS_WEBHOOK_SECRET, else the secret last used for that URL)",
      "--api-key <key>": "the organization's API key (default: SANDGLASS_API_KEY, else the seeded write key)",
      ...server,
      ...json("print one JSON object per line: the journal entry, its payload and the response"),
    }),
    examples: [
      ["npx sandglass listen --forward-to http://127.0.0.1:3000/webhooks", "until Ctrl-C"],
      ["npx sandglass listen", "without your own server"],
      [
        "npx sandglass listen --forward-to localhost:3000/hooks --events payment.completed,payment.failed",
        "",
      ],
      [
        "npx sandglass listen --forward-to localhost:3000/hooks --secret whsec_test",
        "signed as your server expects",
      ],
    ],
    load: () => import("../webhooks/listen.ts"),
  },
  {
    name: "capture",
    summary: "run a proxy that records, byte for byte, what a real sender sends to your server",
    args: [
      ["<port>", "the port where the sender, or a tunnel to it, reaches this machine; 0 for any free one"],
    ],
    options: options({
      "--forward-to <url>": "your server's webhook URL; without a path, each request keeps its own",
      "--out <file>": "the file to append to, one line per request (default: capture.ndjson)",
      "--redact <place>": {
        summary:
          "replace the value at this path, such as body.customer.email or query.email, only in the file; may be repeated",
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
    load: () => import("../tools/capture.ts"),
  },
  {
    name: "check",
    summary:
      "test your webhook handler with forged, repeated, reordered and malformed events; exits 1 if it fails",
    args: [URL],
    options: options({
      ...subject,
      "--old-secret <secret>": "a retired secret: your server must reject events signed only with it",
      "--only <names>": "check only valid-event and these hazards, comma-separated",
      "--skip <names>": "skip these hazards",
      "--event <type>": "type of most events (default: payment.completed, or a sender's first type)",
      "--seed <text>": "seed of an earlier run, to repeat its ids (default: fresh ids)",
      "--at <time>": "time of the events (default: now)",
      ...reports,
      "--list": "print the hazards and why each matters; needs no server",
    }),
    removed: {
      "--state-url": "Use --state.",
      "--timeout": setting("timeout", "5s"),
      "--header-prefix": 'Set { "webhooks": { "headerPrefix": "X-Platform-" } } in sandbox.config.json.',
    },
    examples: [
      ["npx sandglass check http://127.0.0.1:3000/webhooks --secret whsec_…", "a verdict for each hazard"],
      [
        "npx sandglass check localhost:3000/webhooks --only duplicate,late-retry --state localhost:3000/state",
        "",
      ],
      [
        "npx sandglass check localhost:3000/webhooks --sender stripe --secret whsec_…",
        "as Stripe sends them",
      ],
    ],
    load: () => import("../check/check.ts"),
  },
  {
    name: "test",
    summary:
      "run every test of your webhook handler: saved findings, check and explore; exits 1 if it fails, 3 if it cannot tell",
    args: [URL],
    options: options({
      ...subject,
      ...exploration,
      "--shard <part/parts>":
        "explore only one part of the schedules; the first part also runs everything else",
      "--merge <folder>": "merge the results of all parts, from --shard with --json; needs no server",
      ...reports,
    }),
    examples: [
      ["npx sandglass test", "with subject set in the configuration"],
      [
        "npx sandglass test localhost:3000/webhooks --start 'node server.mjs' --state sqlite:shop.db --secret whsec_…",
        "",
      ],
    ],
    load: () => import("../trial/test.ts"),
  },
  {
    name: "explore",
    summary:
      "find the delivery schedule that breaks your webhook handler; exits 1 if there is one, 3 if it cannot tell",
    args: [URL],
    options: options({
      ...subject,
      ...exploration,
      "--shard <part/parts>": "try only one part of the schedules, for parallel jobs",
      "--merge <folder>": "merge the results of all parts, from --shard with --json; needs no server",
      ...reports,
      "--restore":
        "restore all tables of --state to their rows at the start of an earlier trial; needs no server",
      "--keep": "leave the tables of --state as they are, and remove that trial's backup; needs no server",
      "--demo": "explore a shipped handler that has a bug, and its fix; needs no server",
    }),
    removed: {
      "--tables": setting("tables", ["orders"]),
      "--database-env": setting("databaseEnv", ["SHOP_DATABASE"]),
      "--workers": setting("workers", 4),
      "--ignore": setting("ignore", ["orders.*.seen_at"]),
      "--ordered": setting("ordered", ["orders.*.history"]),
      "--idle": setting("idle", "http://127.0.0.1:3000/idle"),
      "--api-port": setting("apiPort", 4455),
      "--at": setting("at", "now"),
      "--invariant": setting("invariant", "./invariant.mjs"),
      "--timeout": setting("timeout", "5s"),
      "--seed": "Ids are the same in every exploration; the library's explore() takes a seed.",
      "--header-prefix": 'Set { "webhooks": { "headerPrefix": "X-Platform-" } } in sandbox.config.json.',
      "--list": "docs/explore.md lists the stories, and so does --story with an unknown name.",
      "--replay": "Each finding is a file: npx sandglass run <name> replays it.",
      "--save": "Findings are saved in the folder sandglass/findings.",
    },
    examples: [
      ["npx sandglass explore --demo", "a finding and its fix, in seconds"],
      ["npx sandglass explore localhost:3000/webhooks --state sqlite:shop.db", "with the server's database"],
      [
        "npx sandglass explore localhost:3000/webhooks --start 'node server.mjs' --state sqlite:shop.db",
        "start it on a copy of its database",
      ],
      [
        "npx sandglass explore localhost:3000/webhooks --state localhost:3000/state --reset localhost:3000/reset",
        "",
      ],
    ],
    load: () => import("../explore/explore.ts"),
  },
];
