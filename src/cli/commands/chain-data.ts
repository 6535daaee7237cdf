import type { CommandSpec } from "../command.ts";
import { operationCommand } from "../operation/command.ts";
import { findNamed } from "../operation/find-named.ts";
import { view } from "../operation/view.ts";

export const CHAIN_DATA_COMMANDS: CommandSpec[] = [
  operationCommand({
    name: "providers",
    summary: "list the chain-data providers; take one down, slow it down, make it return errors or garbage",
    acts: {
      does: ["data.setProvider", "data.providers"],
      choose: ({ name: _, ...change }) =>
        Object.keys(change).length > 0 ? "data.setProvider" : "data.providers",
      args: [
        ["[provider]", "its name, such as explorer-1 or indexer"],
        ["[state]", "up, down, slow, error or garbage"],
      ],
      flags: ["--status <status>", "--latency <duration>", "--times <number>", "--rate <share>"],
      names: { provider: "name" },
      shows: "name state status latency times rate asked hit chain_id mode base_url",
    },
    json: "the control API's response",
    examples: [
      ["npx sandglass providers", "which providers are queried, and their states"],
      ["npx sandglass providers explorer-1 down", "the indexer takes over chain 1"],
      ["npx sandglass providers indexer error --status 500 --times 2", ""],
      ["npx sandglass providers explorer-1 up", "it works again"],
    ],
    views: async () => ({
      views: view("data.providers", {
        pick: ({ data }, { given: { name } }) =>
          name === undefined ? { data } : findNamed(data, name, "name", "provider", "providers"),
      }),
    }),
  }),
  operationCommand({
    name: "cache",
    summary: "list or clear the cached chain-data responses",
    acts: {
      list: {
        does: "data.cache",
        shows: "key state rows providers expires_at",
        empty: "Nothing is cached. Each response is cached when it is first requested.",
      },
      clear: { does: "data.purge", flags: ["--key <key>", "--address <address>"] },
    },
    json: "the responses, or how many were cleared,",
    examples: [
      ["npx sandglass cache", "what is cached, and how long it stays fresh"],
      ["npx sandglass cache clear", "the next call queries the providers"],
      ["npx sandglass cache clear --address 0x…", "only responses about one address"],
    ],
  }),
  operationCommand({
    name: "holdings",
    summary: "list the addresses that hold tokens, or set an address's holdings",
    acts: {
      does: ["data.setHoldings", "data.clearHoldings", "data.addresses"],
      choose: ({ set, clear }) =>
        set === undefined ? (clear ? "data.clearHoldings" : "data.addresses") : "data.setHoldings",
      args: [["[address]", "an address: 0x followed by 40 hexadecimal characters"]],
      flags: [
        ["--set <file>", "set its tokens: a JSON file with a list"],
        ["--clear", "remove what was set, on every chain; recorded holdings apply again"],
        ["--chain <id>", "set: on this chain (default: the first one); list: only this chain"],
      ],
      names: { chain: "chain_id" },
      shows: "address chain_id rows source set_at cleared",
      empty: "No address has holdings. Set some: npx sandglass holdings <address> --set holdings.json",
    },
    json: "the addresses",
    examples: [
      ["npx sandglass holdings", "recorded holdings, and those you set"],
      ["npx sandglass holdings 0x… --set holdings.json --chain 8453", "instead of the recorded holdings"],
      ["npx sandglass holdings 0x… --clear", ""],
    ],
    views: () => import("../world/holdings.ts"),
  }),
];
