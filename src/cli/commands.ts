import { run as advance } from "./advance.ts";
import type { CommandSpec } from "./command.ts";
import { json, server, startingWorld, withWorld } from "./command-options.ts";
import { CHAIN_DATA_COMMANDS } from "./commands/chain-data.ts";
import { GAME_COMMANDS } from "./commands/game.ts";
import { LIST_COMMANDS } from "./commands/lists.ts";
import { TOOL_COMMANDS } from "./commands/tools.ts";
import { WEBHOOK_COMMANDS } from "./commands/webhooks.ts";
import { WORLD_COMMANDS } from "./commands/world.ts";
import { run as env } from "./env.ts";
import { views as expire } from "./expire.ts";
import { run as listen } from "./listen.ts";
import { operationCommand } from "./operation-command.ts";
import { views as pay } from "./pay.ts";
import { views as snapshot } from "./snapshot.ts";
import { views as status } from "./status.ts";
import { views as token } from "./token.ts";

/** Every command as data: one table, however long, but for those of a subject, which are in `commands/`. */

/** The command that runs when none is named. */
export const DEFAULT_COMMAND = "start";

const SPECS: CommandSpec[] = [
  {
    name: "start",
    summary: "start a sandbox (the default command)",
    options: [
      { flags: "--port <number>", summary: "port to serve on, 0 for any free one (default: 4400)" },
      { flags: "--host <address>", summary: "address to bind (default: 127.0.0.1; 0.0.0.0 with --share)" },
      {
        flags: "--share",
        summary: "open page and control API to other machines, with a token; prints the link once",
      },
      {
        flags: "--https",
        summary: "serve HTTPS, with a certificate from your own local authority; see `sandglass certificate`",
      },
      {
        flags: "--public-url <url>",
        summary: "base of links in answers: where others reach the sandbox (default: the bound address)",
      },
      ...startingWorld,
      { flags: "--data-dir <folder>", summary: "store the world in this folder (default: in memory)" },
      {
        flags: "--config <file>",
        summary: "configuration (default: sandbox.config.ts, .mts, .js, .mjs, .json)",
      },
      { flags: "--open", summary: "open the page in the browser" },
      json("print one line when ready: the status as JSON"),
      { flags: "--quiet", summary: "print only the address when ready, and no log" },
    ],
    examples: [
      ["sandglass", "serve at http://127.0.0.1:4400"],
      ["npx sandglass --paused --port 0 --json", "a paused clock on a free port, for scripts"],
      ["npx sandglass --share", "for a colleague's browser, too"],
    ],
    load: () => import("./start.ts"),
  },
  {
    name: "run",
    summary: "run scenarios in fresh worlds; exits 1 if one failed",
    args: [["[scenario...]", "names, files or folders (default: all in scenarios/, or the shipped ones)"]],
    options: [
      { flags: "--param <name=value>", summary: "a parameter; may be repeated", repeatable: true },
      {
        flags: "--from <what>",
        summary: "begin each world with a folder of fixtures, a scenario (where it ends), or a snapshot file",
      },
      { flags: "--subscriber <url>", summary: "your own server, instead of the built-in inboxes" },
      {
        flags: "--secret <secret>",
        summary: "the signing secret that it verifies with (default: SANDGLASS_WEBHOOK_SECRET)",
      },
      { flags: "--timeout <duration>", summary: "real time for each scenario (default: 60s)" },
      { flags: "--shard <part/parts>", summary: "run only one part of them, for parallel jobs" },
      { flags: "--junit <file>", summary: "write JUnit XML" },
      { flags: "--html <file>", summary: "write one HTML file with the timelines" },
      {
        flags: "--keep <folder>",
        summary: "folder for the worlds of failures (default: sandglass-failed)",
      },
      { flags: "--config <file>", summary: "configuration (default: as for start)" },
      { flags: "--watch", summary: "run again what changed, until Ctrl-C" },
      { flags: "--verbose", summary: "print every step and what it caused" },
      json("print all reports as one JSON object"),
      { flags: "--list", summary: "list the scenarios" },
    ],
    examples: [
      ["npx sandglass run retry-and-recover --param failures=3", "a shipped scenario"],
      ["npx sandglass run scenarios/checkout.ts --junit results.xml", "your own scenario"],
      [
        "npx sandglass run --subscriber http://127.0.0.1:3000/webhooks --secret whsec_…",
        "with your own server",
      ],
    ],
    load: () => import("./run.ts"),
  },
  {
    name: "exec",
    summary: "run a command with its own sandbox, and exit with its code",
    args: [["<command...>", "the command and its arguments, after --"]],
    mistaken: { option: /^-/, hint: "Put -- before the command, as in: npx sandglass exec -- npm test" },
    options: [
      { flags: "--scenario <name>", summary: "play this scenario in its world first" },
      {
        flags: "--param <name=value>",
        summary: "a parameter of the scenario; may be repeated",
        repeatable: true,
      },
      ...startingWorld,
      { flags: "--config <file>", summary: "configuration (default: as for start)" },
      {
        flags: "--keep <folder>",
        summary: "folder for the world if the command fails (default: sandglass-failed)",
      },
    ],
    examples: [
      ["npx sandglass exec -- npm test", "SANDGLASS_URL and the rest of `sandglass env` are set"],
      ["npx sandglass exec --paused --seed empty -- node check.mjs", ""],
    ],
    load: () => import("./exec.ts"),
  },
  operationCommand({
    name: "pay",
    summary: "trigger the payment of a link or a checkout session",
    acts: {
      does: "payments.pay",
      args: [["[link or session]", "a link's id, short code or URL, or a session's id (cs_…)"]],
      flags: [
        "--fail [reason]",
        "--amount <units>",
        "--discount-code <code>",
        "--client-reference-id <id>",
        ["--metadata <key=value>", "metadata of the checkout; may be repeated"],
        "--customer-email <address>",
        "--sender <address>",
      ],
      names: {
        sender: "sender_address",
        fail: ["failure_reason"],
        "link or session": ["payment_link_id", "session_id"],
      },
    },
    json: "the transaction, session and deliveries",
    examples: [
      ["npx sandglass pay coffee", "pay a link; its webhooks are sent"],
      ["npx sandglass pay cs_4fTzK0aQ9xLm2VbE --fail rejected", "make a session's payment fail"],
      ["npx sandglass pay order-3", "pay a session by its client_reference_id"],
    ],
    views: async () => ({ views: pay }),
  }),
  operationCommand({
    name: "expire",
    summary: "expire a checkout session now",
    acts: {
      does: "payments.expire",
      args: [["<session>", "its id (cs_…) or URL, your order's id, or 'last' for the latest active one"]],
      names: { session: "id" },
    },
    json: "the session",
    examples: [
      ["npx sandglass expire last", "as if its time had run out"],
      ["npx sandglass expire order-3", "by the client_reference_id of its session"],
    ],
    views: async () => ({ views: expire }),
  }),
  {
    name: "advance",
    summary:
      "advance the virtual clock and do everything that falls due; Ctrl-C ends it between two instants",
    args: [["[duration]", "how far: 30s, 10m, 1h30m, 2d, PT1H; 0 does what is due now"]],
    mistaken: {
      option: /^-[\d.]/,
      hint: "The clock only goes forward. To go back: npx sandglass snapshot restore <name>",
    },
    options: [
      { flags: "--to <time>", summary: "advance to this time, ISO 8601" },
      {
        flags: "--until <what>",
        summary:
          "'next': the next thing due; 'idle': until nothing is due; or a journal entry such as webhook.disabled, exit code 1 if it does not come",
        choices: ["next", "idle", "webhook.disabled", "mail.sent", "delivery.succeeded", "checkout.expired"],
      },
      {
        flags: "--all",
        summary: "with --until next: also stop for the seeded endpoints and checkout sessions",
      },
      { flags: "--dry-run", summary: "show what would fall due and change nothing" },
      { flags: "--cancel", summary: "end the advance in progress, which another terminal started" },
      server,
      json("print the result as JSON"),
    ],
    examples: [
      ["npx sandglass advance 1h", "an hour of retries, in a moment"],
      ["npx sandglass advance --until next", "straight to the next retry"],
    ],
    load: async () => ({ run: advance }),
  },
  operationCommand({
    name: "snapshot",
    summary: "save the whole world, and restore it",
    acts: {
      list: { does: "snapshots.list" },
      save: {
        does: "snapshot",
        args: [["[name]", "the snapshot's name"]],
        flags: [
          ["--file <file>", "also write this file"],
          ["--force", "replace an existing snapshot"],
        ],
      },
      restore: {
        does: "restore",
        args: ["[name]"],
        flags: [["--file <file>", "read this file"]],
      },
      delete: { does: "snapshots.delete", args: ["<name>"] },
    },
    json: "the snapshot",
    examples: [
      ["npx sandglass snapshot save before-disable", "data, clock, timers, chance and faults"],
      ["npx sandglass snapshot restore before-disable", "and everything is as it was"],
      ["npx sandglass snapshot restore --file failed.sandglass", "a world from another machine"],
    ],
    views: async () => ({ views: snapshot }),
  }),
  ...WORLD_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...LIST_COMMANDS,
  ...CHAIN_DATA_COMMANDS,
  ...GAME_COMMANDS,
  {
    name: "listen",
    summary: "send webhooks to your own server, or to a built-in inbox, and print each delivery",
    options: [
      {
        flags: "--forward-to <url>",
        summary: "where your server takes webhooks (default: an inbox of the sandbox, which answers 200)",
      },
      { flags: "--events <names>", summary: "only these, comma-separated (default: all)" },
      {
        flags: "--secret <secret>",
        summary: "the signing secret (default: SANDGLASS_WEBHOOK_SECRET, else the last secret of that URL)",
      },
      {
        flags: "--api-key <key>",
        summary: "key of the organization (default: SANDGLASS_API_KEY, else the seeded write key)",
      },
      server,
      json("print one JSON object per line: the journal entry, its payload and the response"),
    ],
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
    name: "check",
    summary:
      "test your webhook handler with forged, repeated, reordered and malformed events; exits 1 if it fails",
    args: [["[subscriber]", "where your server takes webhooks"]],
    options: [
      {
        flags: "--secret <secret>",
        summary: "the secret that your server verifies with (default: SANDGLASS_WEBHOOK_SECRET)",
      },
      { flags: "--only <names>", summary: "check only these hazards, comma-separated, and valid-event" },
      { flags: "--skip <names>", summary: "leave these hazards out" },
      { flags: "--event <type>", summary: "type of the events (default: payment.completed)" },
      {
        flags: "--state <url>",
        summary: "a URL whose response changes when an event is handled: shows what was handled twice",
      },
      { flags: "--state-url <url>", summary: "the earlier name of --state", hidden: true },
      {
        flags: "--timeout <duration>",
        summary: "how long an answer may take (default: 30s, as on the platform)",
      },
      { flags: "--header-prefix <text>", summary: "prefix of the webhook headers (default: X-Platform-)" },
      { flags: "--seed <text>", summary: "repeats the ids of an earlier run (default: fresh ids)" },
      { flags: "--at <time>", summary: "time of the events (default: now)" },
      { flags: "--config <file>", summary: "configuration (default: as for start)" },
      { flags: "--junit <file>", summary: "also write the result as JUnit XML" },
      json("print the whole result as one JSON object"),
      { flags: "--list", summary: "print the hazards and why each matters; needs no server" },
    ],
    examples: [
      ["npx sandglass check http://127.0.0.1:3000/webhooks --secret whsec_…", "a verdict for each hazard"],
      [
        "npx sandglass check localhost:3000/webhooks --only duplicate,late-retry --state localhost:3000/state",
        "",
      ],
    ],
    load: () => import("./check.ts"),
  },
  {
    name: "explore",
    summary:
      "find the delivery schedule that breaks your webhook handler; exits 1 if there is one, 3 if it cannot tell",
    args: [["[subscriber]", "where your server takes webhooks"]],
    options: [
      {
        flags: "--secret <secret>",
        summary: "the secret that your server verifies with (default: SANDGLASS_WEBHOOK_SECRET)",
      },
      {
        flags: "--state <source>",
        summary:
          "your server's state: sqlite:<file>, a URL that returns JSON, or a shell command that prints it",
      },
      { flags: "--tables <names>", summary: "the tables of the database that count (default: all)" },
      {
        flags: "--reset <url or command>",
        summary:
          "a URL to POST to, or a shell command, that makes its state empty; without it, tables are put back",
      },
      {
        flags: "--start <command>",
        summary:
          "start your server by this shell command, with its port in PORT; it is also restarted and killed",
      },
      {
        flags: "--ignore <path>",
        summary: "a path of the state to leave out, such as orders.*.seen_at; may be repeated",
        repeatable: true,
      },
      {
        flags: "--ordered <path>",
        summary: "a path of a list whose order counts, such as orders.*.history; may be repeated",
        repeatable: true,
      },
      {
        flags: "--story <name or file>",
        summary: "the story to play, or a scenario of your own (default: all that are shipped)",
        choices: ["checkout", "late-payment", "expiry-race", "refused-then-paid", "rush"],
      },
      { flags: "--deviations <number>", summary: "the most deviations in a schedule (default: 3)" },
      { flags: "--budget <duration>", summary: "real time to spend (default: 1m)" },
      {
        flags: "--invariant <file>",
        summary: "a module whose function throws if a state is wrong, whatever the schedule",
      },
      {
        flags: "--timeout <duration>",
        summary: "how long an answer may take (default: 30s, as on the platform)",
      },
      { flags: "--header-prefix <text>", summary: "prefix of the webhook headers (default: X-Platform-)" },
      { flags: "--seed <text>", summary: "draws other ids; the same seed repeats a run (default: explore)" },
      { flags: "--config <file>", summary: "configuration (default: as for start)" },
      {
        flags: "--save <folder>",
        summary: "where the found schedule goes as a scenario (default: the folder of your scenarios)",
      },
      json("print the whole result as one JSON object"),
      { flags: "--junit <file>", summary: "also write JUnit XML for CI" },
      { flags: "--html <file>", summary: "also write one HTML file with both timelines" },
      { flags: "--list", summary: "print the stories; needs no server" },
      { flags: "--demo", summary: "explore a shipped handler that has a bug, and its fix; needs no server" },
    ],
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
    load: () => import("./explore.ts"),
  },
  operationCommand({
    name: "status",
    summary: "print the running sandbox's address, clock, keys and counts",
    acts: { does: "status" },
    json: "it as one object",
    examples: [
      ["npx sandglass status", ""],
      ["npx sandglass status --json | jq -r .keys.write", "one value, for a script"],
    ],
    views: async () => ({ views: status }),
  }),
  {
    name: "env",
    summary: "print the sandbox's address and keys as shell exports",
    options: [
      {
        flags: "--shell <name>",
        summary: "sh, fish or powershell (default: sh)",
        choices: ["sh", "fish", "powershell"],
      },
      server,
      json("print them as one JSON object"),
    ],
    examples: [
      ['eval "$(npx sandglass env)"', "in sh, bash and zsh"],
      ["npx sandglass env --shell fish | source", "in fish"],
    ],
    load: async () => ({ run: env }),
  },
  operationCommand({
    name: "token",
    summary: "mint a launcher JWT for a player of a game",
    acts: {
      does: "game.token",
      flags: ["--player <name>", "--game <name>", "--expires-in <duration>"],
      names: { game: "gameId" },
    },
    json: "token, player, game and expiry",
    examples: [
      ["npx sandglass token", "for the seeded player, or else the one who joined first"],
      [
        "npx sandglass token --player 0x… --game lantern-keeper --expires-in 90s",
        "for your own wallet, with a short lifetime",
      ],
    ],
    views: async () => ({ views: token }),
  }),
  ...TOOL_COMMANDS,
];

export const COMMANDS = SPECS.map((spec) => (spec.acts ? spec : withWorld(spec)));
