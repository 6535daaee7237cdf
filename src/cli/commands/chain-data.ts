import type { CommandSpec } from "../command.ts";
import { json, server } from "../command-options.ts";

const STATES = ["up", "down", "slow", "error", "garbage"];

/** Commands about chain data: its providers, its cache, and what addresses hold. */
export const CHAIN_DATA_COMMANDS: CommandSpec[] = [
  {
    name: "providers",
    summary:
      "list the providers of chain data; take one down, slow it, make it answer with errors or garbage",
    args: [
      ["[provider]", "one of them, such as explorer-1 or indexer"],
      ["[state]", "up, down, slow, error or garbage", STATES],
    ],
    options: [
      { flags: "--status <status>", summary: "error: the status of its answers, 400 to 599 (default: 503)" },
      { flags: "--latency <duration>", summary: "slow: how long it takes, in real time (default: 30s)" },
      { flags: "--times <number>", summary: "only the next calls, this many" },
      { flags: "--rate <share>", summary: "this share of the calls, 0 to 1, drawn from the seed" },
      server,
      json("print what the control API returns as JSON"),
    ],
    examples: [
      ["npx sandglass providers", "who is asked, and in which state they are"],
      ["npx sandglass providers explorer-1 down", "the indexer answers for chain 1"],
      ["npx sandglass providers indexer error --status 500 --times 2", ""],
      ["npx sandglass providers explorer-1 up", "it works again"],
    ],
    load: () => import("../providers.ts"),
  },
  {
    name: "cache",
    summary: "list the cached answers of chain data, or clear them",
    actions: ["list", "clear"],
    args: [["[action]", "list (default) or clear"]],
    options: [
      { flags: "--key <key>", summary: "clear: only this answer" },
      { flags: "--address <address>", summary: "clear: only answers about this address" },
      server,
      json("print the answers, or how many were cleared, as JSON"),
    ],
    examples: [
      ["npx sandglass cache", "what is cached, and until when it is fresh"],
      ["npx sandglass cache clear", "the next call asks the providers"],
    ],
    load: () => import("../cache.ts"),
  },
  {
    name: "holdings",
    summary: "list the addresses with holdings on chains, or set what one holds",
    args: [["[address]", "one of them: 0x and 40 hexadecimal characters"]],
    options: [
      { flags: "--set <file>", summary: "set its tokens: a JSON file with a list" },
      { flags: "--clear", summary: "drop what was set, on every chain; what is recorded counts again" },
      {
        flags: "--chain <id>",
        summary: "set: on this chain (default: the first one); list: only this chain",
      },
      server,
      json("print the addresses as JSON"),
    ],
    examples: [
      ["npx sandglass holdings", "recorded ones, and those that you set"],
      ["npx sandglass holdings 0x… --set holdings.json --chain 8453", "instead of what is recorded"],
      ["npx sandglass holdings 0x… --clear", ""],
    ],
    load: () => import("../holdings.ts"),
  },
];
