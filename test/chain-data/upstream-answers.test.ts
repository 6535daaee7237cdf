import { describe, expect, test } from "vitest";
import {
  explorerItem,
  explorerRecording,
  recordingsFile,
  sharedData,
  sourceOf,
} from "../support/chain-data.ts";

/** What a recorded explorer returns for one address in each case, and why this counts as a failure. */
const without = (name: string, from: Record<string, unknown>) => {
  const { [name]: _, ...rest } = from;
  return rest;
};
const item = explorerItem();
const unique = (more: Record<string, unknown>) =>
  explorerItem({ token_id: "7", token_instance: { is_unique: true, id: "7", ...more } }, { type: "ERC-721" });
const page = (...items: unknown[]) => ({ items, next_page_params: null });

const BROKEN: [name: string, response: unknown, reason: string][] = [
  ["HTML instead of JSON", "<html>busy</html>", "invalid_json"],
  ["truncated JSON", '{"items": [', "invalid_json"],
  ["an empty body", "", "invalid_json"],
  ["a list instead of an object", [], "invalid_shape"],
  ["null instead of an object", "null", "invalid_shape"],
  ["no items", { next_page_params: null }, "invalid_shape"],
  ["no next_page_params", { items: [] }, "invalid_shape"],
  ["items that are not a list", { items: {}, next_page_params: null }, "invalid_shape"],
  ["next_page_params that are a string", { items: [], next_page_params: "next" }, "invalid_shape"],
  ["a null item", page(null), "invalid_shape"],
  ["an item without a value", page(without("value", item)), "invalid_shape"],
  ["a value that is a number", page({ ...item, value: 1000 }), "invalid_shape"],
  ["a negative value", page({ ...item, value: "-1" }), "invalid_shape"],
  ["a value with a decimal point", page({ ...item, value: "1.5" }), "invalid_shape"],
  ["a value of more than 78 digits", page({ ...item, value: "9".repeat(79) }), "invalid_shape"],
  ["an item without token_id", page(without("token_id", item)), "invalid_shape"],
  ["a token_id that is a number", page({ ...item, token_id: 7 }), "invalid_shape"],
  ["an item without a token", page(without("token", item)), "invalid_shape"],
  ["a null token", page({ ...item, token: null }), "invalid_shape"],
  ...["name", "decimals", "symbol", "address", "type", "holders", "exchange_rate", "total_supply"].map(
    (field): [string, unknown, string] => [
      `a token without the field ${field}`,
      page({ ...item, token: without(field, item.token) }),
      "invalid_shape",
    ],
  ),
  ...Object.entries({
    name: 1,
    decimals: 18,
    symbol: false,
    address: "0x12",
    type: null,
    holders: "many",
    exchange_rate: 1.5,
    total_supply: 10,
  }).map(([field, value]): [string, unknown, string] => [
    `a token whose ${field} is ${JSON.stringify(value)}`,
    page(explorerItem({}, { [field]: value })),
    "invalid_shape",
  ]),
  ["an item without token_instance", page(without("token_instance", item)), "invalid_shape"],
  ["an instance without an id", page(unique({ id: undefined })), "invalid_shape"],
  ["an instance whose is_unique is a string", page(unique({ is_unique: "yes" })), "invalid_shape"],
  ["an owner without a hash", page(unique({ owner: { name: "x" } })), "invalid_shape"],
  [
    "an owner whose is_contract is a number",
    page(unique({ owner: { hash: item.token.address, is_contract: 1 } })),
    "invalid_shape",
  ],
  ["an image_url that is a number", page(unique({ image_url: 1 })), "invalid_shape"],
  ["metadata that is a string", page(unique({ metadata: "x" })), "invalid_shape"],
  ["one invalid item among valid ones", page(item, item, { ...item, value: null }), "invalid_shape"],
];

const addressOf = (index: number) => `0x${(index + 1).toString(16).padStart(40, "a")}`;
const good = addressOf(900);
const loop = addressOf(901);
const gap = addressOf(902);
const renamed = addressOf(903);
const untidy = addressOf(904);
const recordings = recordingsFile([
  ...BROKEN.map(([, response], index) => explorerRecording(addressOf(index), response)),
  explorerRecording(good, page(item)),
  // Each page of this response names itself as the next page.
  explorerRecording(loop, { items: [item], next_page_params: { page: 1 } }),
  {
    ...explorerRecording(loop, { items: [item], next_page_params: { page: 1 } }),
    path: `/api/v2/addresses/${loop}/tokens?page=1`,
  },
  explorerRecording(gap, { items: [item], next_page_params: { page: 1 } }),
  explorerRecording(
    renamed,
    page({
      ...item,
      token: {
        ...without("address", without("holders", item.token)),
        address_hash: item.token.address,
        holders_count: "12",
      },
    }),
  ),
  explorerRecording(
    untidy,
    page(
      unique({
        metadata: {
          name: 7,
          year: "soon",
          tags: ["a", 1, "b"],
          description: { en: "x" },
          attributes: [{ trait_type: "Level", value: 5 }, { trait_type: "Boss", value: true }, "x"],
          unheard_of: 1,
        },
      }),
    ),
  ),
]);

const sandbox = sharedData({ chainData: { recordings: [recordings] } });
const { data } = sandbox;

describe("explorer responses [fidelity: Chain data: providers and cache › Failure]", () => {
  test.each(BROKEN.map(([name, , reason], index) => [name, reason, index] as const))(
    "an explorer's response with %s counts as failed",
    async (_name, reason, index) => {
      const answer = await data.holdings(addressOf(index), "?chain_id=1");
      expect(answer.status).toBe(200);
      expect(answer.body.items).toEqual([]);
      expect((await data.upstreamCalls())[0]).toBe(`explorer-1 failed (${reason})`);
      expect(
        (await sandbox.control("GET", "/data/cache")).body.data,
        "with a failure before the answer",
      ).toEqual([]);
    },
  );

  test("a valid explorer page from a configured recordings file is used", async () => {
    const answer = await data.holdings(good, "?chain_id=1");
    expect(sourceOf(answer).provider).toBe("explorer-1");
    expect(answer.body.items).toEqual([item]);
  });

  test("an explorer whose pages never end counts as failed after 200 pages", async () => {
    await data.holdings(loop, "?chain_id=1");
    const calls = await data.upstreamCalls();
    expect(calls.filter((call) => call.startsWith("explorer-1"))).toHaveLength(200);
    expect(calls[199]).toBe("explorer-1 failed (too_many_pages)");
  });

  test("an explorer's response with a missing middle page counts as failed", async () => {
    await data.holdings(gap, "?chain_id=1");
    expect((await data.upstreamCalls()).slice(0, 2)).toEqual([
      "explorer-1 answered",
      "explorer-1 failed (status)",
    ]);
  });

  test("the field names of newer explorer versions are also accepted", async () => {
    const [{ token }] = (await data.holdings(renamed, "?chain_id=1")).body.items;
    expect(token).toEqual({ ...item.token, holders: 12 });
  });

  test("token metadata written by the token's author is converted to the contract's types", async () => {
    const [{ token_instance: instance }] = (await data.holdings(untidy, "?chain_id=1")).body.items;
    expect(instance.metadata).toEqual({
      name: "7",
      year: null,
      tags: ["a", "b"],
      description: null,
      attributes: [
        { trait_type: "Level", value: "5" },
        { trait_type: "Boss", value: "true" },
        { trait_type: null, value: null },
      ],
    });
  });
});
