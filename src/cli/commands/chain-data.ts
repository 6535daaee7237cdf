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
        ["[provider]", "one of them, such as explorer-1 or indexer"],
        ["[state]", "up, down, slow, error or garbage"],
      ],
      flags: ["--status <status>", "--latency <duration>", "--times <number>", "--rate <share>"],
      names: { provider: "name" },
      shows: "name state status latency times rate asked hit chain_id mode base_url",
    },
    json: "what the control API returns",
    examples: [
      ["npx sandglass providers", "which ones are queried, and their states"],
      ["npx sandglass providers explorer-1 down", "the indexer answers for chain 1"],
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
    summary: "list the cached chain-data answers, or clear them",
    acts: {
      list: {
        does: "data.cache",
        shows: "key state rows providers expires_at",
        empty: "Nothing is cached. The first call for each answer fills the cache.",
      },
      clear: { does: "data.purge", flags: ["--key <key>", "--address <address>"] },
    },
    json: "the answers, or how many were cleared,",
    examples: [
      ["npx sandglass cache", "what is cached, and until when it is fresh"],
      ["npx sandglass cache clear", "the next call queries the providers"],
      ["npx sandglass cache clear --address 0x…", "only answers about an address"],
    ],
  }),
  operationCommand({
    name: "holdings",
    summary: "list the addresses with holdings on chains, or set what one holds",
    acts: {
      does: ["data.setHoldings", "data.clearHoldings", "data.addresses"],
      choose: ({ set, clear }) =>
        set === undefined ? (clear ? "data.clearHoldings" : "data.addresses") : "data.setHoldings",
      args: [["[address]", "one of them: 0x and 40 hexadecimal characters"]],
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
      ["npx sandglass holdings", "recorded ones, and those that you set"],
      ["npx sandglass holdings 0x… --set holdings.json --chain 8453", "instead of what is recorded"],
      ["npx sandglass holdings 0x… --clear", ""],
    ],
    views: () => import("../world/holdings.ts"),
  }),
];
