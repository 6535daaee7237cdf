import { MAKE_CERTIFICATES } from "../config/https.ts";
import type { CommandSpec } from "./command.ts";
import { json, known, options, optionsFor, server, startingWorld } from "./command-options.ts";
import { CHAIN_DATA_COMMANDS } from "./commands/chain-data.ts";
import { GAME_COMMANDS } from "./commands/game.ts";
import { HANDLER_COMMANDS } from "./commands/handler.ts";
import { LIST_COMMANDS } from "./commands/lists.ts";
import { TOOL_COMMANDS } from "./commands/tools.ts";
import { WEBHOOK_COMMANDS } from "./commands/webhooks.ts";
import { WORLD_COMMANDS } from "./commands/world.ts";
import { operationCommand } from "./operation/command.ts";
import { view } from "./operation/view.ts";
import { views as expire } from "./payments/expire.ts";
import { views as pay } from "./payments/pay.ts";
import type { StartOptions } from "./start/flags.ts";
import { run as env } from "./world/env.ts";

/** The command table. Commands that belong to a single topic are in `commands/` instead. */

export const DEFAULT_COMMAND = "start";

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "start",
    summary: "start a sandbox (the default command)",
    options: optionsFor<StartOptions>()({
      "--port <number>": "port to serve on, 0 for any free one (default: 4400)",
      "--host <address>": "address to bind (default: 127.0.0.1; 0.0.0.0 with --share)",
      "--share": "open the page and control API to other machines, with a token; prints the link once",
      "--public-url <url>":
        "base URL of links in responses: where others reach the sandbox (default: the bound address)",
      "--api-port <number>": "serve the sender's API on a separate port, at its root",
      ...startingWorld,
      "--data-dir <folder>": "store the world in this folder (default: in memory)",
      "--config <file>": "configuration file (default: sandbox.config.ts, .mts, .js, .mjs, .json)",
      "--open": "open the page, in its own window if the browser supports that",
      ...json("print one line when ready: the status as JSON"),
      "--quiet": "print only the address when ready, without a log",
    }),
    removed: {
      "--https": `Set https: { key, cert } in the configuration to your files. ${MAKE_CERTIFICATES}`,
    },
    examples: [
      ["sandglass", "serve at http://127.0.0.1:4400"],
      ["npx sandglass --paused --port 0 --json", "a paused clock on a free port, for scripts"],
      ["npx sandglass --share", "also reachable from a colleague's browser"],
      ["npx sandglass --sender stripe --api-port 4455", "Stripe's API at http://127.0.0.1:4455"],
    ],
    load: () => import("./start/start.ts"),
  },
  {
    name: "run",
    summary: "run scenarios in fresh worlds and replay saved findings; exits 1 if any fails",
    args: [
      [
        "[scenario...]",
        "names, files or folders (default: all in scenarios/ and sandglass/findings/, or the shipped ones)",
      ],
    ],
    options: options({
      "--param <name=value>": { summary: "a scenario parameter; may be repeated", repeatable: true },
      "--from <what>":
        "start each world from a fixtures folder, a scenario (its end state), or a snapshot file",
      ...known,
      "--subscriber <url>": "your own server, instead of the built-in inboxes",
      "--secret <secret>":
        "the signing secret that your server verifies with (default: SANDGLASS_WEBHOOK_SECRET)",
      "--state <source>": "for findings: your server's state, as for explore",
      "--reset <url or command>": "for findings: what clears your server's state, as for explore",
      "--start <command>": "for findings: start your server with this shell command",
      "--in-place": "for findings: without --start, let your server work on its own database",
      "--instances <number>": "for findings: the number of server processes behind one address",
      "--yes": "for findings: use a large or remote database",
      "--timeout <duration>": "real time for each scenario (default: 60s)",
      "--shard <part/parts>": "run only one part of the scenarios and findings, for parallel jobs",
      "--junit <file>": "write JUnit XML",
      "--html <file>": "write one HTML file with the timelines",
      "--keep <folder>": "folder for the worlds of failures (default: sandglass-failed)",
      "--config <file>": "configuration file (default: as for start)",
      "--watch": "rerun changed files, until Ctrl-C",
      "--verbose": "print every step and what it caused",
      ...json("print all reports as one JSON object"),
      "--list": "list the scenarios and the findings",
    }),
    examples: [
      ["npx sandglass run retry-and-recover --param failures=3", "a shipped scenario"],
      ["npx sandglass run scenarios/checkout.ts --junit results.xml", "your own scenario"],
      [
        "npx sandglass run --subscriber http://127.0.0.1:3000/webhooks --secret whsec_…",
        "with your own server",
      ],
    ],
    load: () => import("./run/run.ts"),
  },
  {
    name: "exec",
    summary: "run a command with its own sandbox, and exit with its code",
    args: [["<command...>", "the command and its arguments, after --"]],
    mistaken: { option: /^-/, hint: "Put -- before the command, as in: npx sandglass exec -- npm test" },
    options: options({
      "--scenario <name>": "run this scenario in its world first",
      "--param <name=value>": { summary: "a parameter of the scenario; may be repeated", repeatable: true },
      ...startingWorld,
      ...known,
      "--route <senders|services|none>":
        "which of the command's calls the sandbox handles: only those to its senders' APIs, or also those to other services and mail servers (default: senders)",
      "--config <file>": "configuration file (default: as for start)",
      "--keep <folder>": "folder for the world if the command fails (default: sandglass-failed)",
    }),
    examples: [
      ["npx sandglass exec -- npm test", "with the variables that `sandglass env` prints"],
      ["npx sandglass exec --paused --seed empty -- node check.mjs", ""],
      ["npx sandglass exec --sender stripe -- npm test", "calls to api.stripe.com reach the sandbox"],
    ],
    load: () => import("./tools/exec.ts"),
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
      args: [["<session>", "its id (cs_…) or URL, your order's id, or 'last' for the latest active session"]],
      names: { session: "id" },
    },
    json: "the session",
    examples: [
      ["npx sandglass expire last", "as if its time had run out"],
      ["npx sandglass expire order-3", "by its session's client_reference_id"],
    ],
    views: async () => ({ views: expire }),
  }),
  {
    name: "advance",
    summary:
      "advance the virtual clock and run everything that falls due; Ctrl-C stops it between two instants",
    args: [["[duration]", "how far: 30s, 10m, 1h30m, 2d, PT1H; 0 runs what is due now"]],
    mistaken: {
      option: /^-[\d.]/,
      hint: "The clock only goes forward. To go back: npx sandglass snapshot restore <name>",
    },
    options: options({
      "--to <time>": "advance to this time, ISO 8601",
      "--until <what>":
        "'next': the next thing due; 'idle': until nothing is due; or a journal entry such as webhook.disabled (exits 1 if it does not happen)",
      "--all": "with --until next: also stop for the seeded endpoints and checkout sessions",
      "--dry-run": "show what would fall due and change nothing",
      "--cancel": "cancel the advance in progress, started in another terminal",
      ...server,
      ...json("print the result as JSON"),
    }),
    examples: [
      ["npx sandglass advance 1h", "an hour of retries in a moment"],
      ["npx sandglass advance --until next", "straight to the next retry"],
    ],
    load: () => import("./advance/advance.ts"),
  },
  operationCommand({
    name: "snapshot",
    summary: "save and restore the whole world",
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
        flags: [
          ["--file <file>", "read this file"],
          ["--force", "replace another snapshot of that name"],
        ],
      },
      delete: { does: "snapshots.delete", args: ["<name>"] },
    },
    json: "the snapshot",
    examples: [
      ["npx sandglass snapshot save before-disable", "data, clock, timers, randomness and faults"],
      ["npx sandglass snapshot restore before-disable", "and everything is as it was"],
      ["npx sandglass snapshot restore --file failed.sandglass", "a world from another machine"],
    ],
    views: () => import("./world/snapshot.ts"),
  }),
  ...WORLD_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...LIST_COMMANDS,
  ...CHAIN_DATA_COMMANDS,
  ...GAME_COMMANDS,
  ...HANDLER_COMMANDS,
  {
    name: "status",
    summary:
      "print the running sandbox's address, clock, keys and counts; if none is running, check whether this machine is ready for one",
    options: options({ ...server, ...json("print it as one JSON object") }),
    examples: [
      ["npx sandglass status", ""],
      ["npx sandglass status --json | jq -r .keys.write", "one value, for a script"],
    ],
    load: () => import("./world/status.ts"),
  },
  {
    name: "env",
    summary: "print the sandbox's address and keys as shell exports",
    options: options({
      "--shell <name>": "sh, fish or powershell (default: sh)",
      ...server,
      ...json("print them as one JSON object"),
    }),
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
      ["npx sandglass token", "for the seeded player, else the player who joined first"],
      [
        "npx sandglass token --player 0x… --game lantern-keeper --expires-in 90s",
        "for your own wallet, with a short lifetime",
      ],
    ],
    // Print the token on its own line, so a shell can capture it.
    views: async () => ({ views: view("game.token", { lines: ({ token }) => [token] }) }),
  }),
  ...TOOL_COMMANDS,
];
