import { describe, expect, test } from "vitest";
import {
  CHAINS,
  COLLECTOR,
  ONE_TOKEN,
  STRANGER,
  sharedData,
  sourceOf,
  WHALE,
} from "../support/chain-data.ts";
import { expectRefusal } from "../support/control-errors.ts";
import type { Json } from "../support/sandbox.ts";

const sandbox = sharedData();
const { data } = sandbox;
const addresses = async (): Promise<Json[]> => (await sandbox.control("GET", "/data/addresses")).body.data;
const coin = {
  value: "2500000",
  token: { address: STRANGER, symbol: "MINE", name: "My coin", decimals: "6" },
};

test("the list of providers contains an explorer for each chain, and an indexer [fidelity: Chain data: providers and cache › Providers]", async () => {
  const { data: providers } = (await sandbox.control("GET", "/data/providers")).body;
  expect(providers.map(({ name }: Json) => name)).toEqual([
    ...CHAINS.map((chain) => `explorer-${chain}`),
    "indexer",
  ]);
  expect(providers[1]).toEqual({
    name: "explorer-8453",
    kind: "explorer",
    chain_id: 8453,
    base_url: "https://8453.explorer.example/api/v2",
    mode: "replay",
    state: "up",
    status: null,
    latency: null,
    times: null,
    rate: null,
    asked: 0,
    hit: 0,
  });
  expect(providers.at(-1)).toMatchObject({ chain_id: null, base_url: "https://indexer.example" });
});

describe("holdings of an address", () => {
  test("GET /data/addresses lists recorded holdings", async () => {
    const known = await addresses();
    expect(known).toContainEqual({
      address: ONE_TOKEN,
      chain_id: 1,
      source: "recording",
      rows: 1,
      set_at: null,
    });
    expect(known.find(({ address }) => address === WHALE).rows).toBeGreaterThan(500);
  });

  test("holdings set by the user replace the recorded ones until they are cleared", async () => {
    const recorded = await data.holdings(COLLECTOR, "?chain_id=1");
    await sandbox.advance("1m");
    const set = await data.hold(COLLECTOR.toUpperCase().replace("0X", "0x"), [coin], 1);
    expect(set.body).toEqual({
      address: COLLECTOR,
      chain_id: 1,
      source: "set",
      rows: 1,
      set_at: "2026-01-15T09:01:00.000Z",
    });
    const answer = await data.holdings(COLLECTOR, "?chain_id=1");
    expect(sourceOf(answer)).toMatchObject({ cache: "MISS", provider: "explorer-1" });
    expect(answer.body.items).toEqual([
      {
        value: "2500000",
        token_id: null,
        token: {
          name: "My coin",
          decimals: "6",
          symbol: "MINE",
          address: STRANGER,
          type: "ERC-20",
          holders: null,
          exchange_rate: null,
          total_supply: null,
        },
        token_instance: null,
      },
    ]);
    const here = (await addresses()).filter(
      ({ address, chain_id: chain }) => address === COLLECTOR && chain === 1,
    );
    expect(here.map(({ source }) => source)).toEqual(["set"]);

    expect((await sandbox.control("DELETE", `/data/addresses/${COLLECTOR}`)).body).toEqual({
      address: COLLECTOR,
      cleared: true,
    });
    expect((await data.holdings(COLLECTOR, "?chain_id=1")).text).toBe(recorded.text);
    expect((await sandbox.control("DELETE", `/data/addresses/${COLLECTOR}`)).body.cleared).toBe(false);
    expect((await sandbox.journal("holdings.*")).map(({ type, data: it }) => ({ type, ...it }))).toEqual([
      { type: "holdings.set", address: COLLECTOR, chain_id: 1, rows: 1 },
      { type: "holdings.cleared", address: COLLECTOR },
    ]);
  });

  test("holdings set on one chain are returned by its explorer and by the indexer", async () => {
    await data.hold(
      STRANGER,
      [coin, { token_id: "7", token: { address: ONE_TOKEN, type: "ERC-721", name: "Sevens" } }],
      10,
    );
    expect(sourceOf(await data.holdings(STRANGER)).chain).toBe("10");
    await data.provider("explorer-10", { state: "down" });
    await sandbox.control("DELETE", "/data/cache");
    const indexed = await data.holdings(STRANGER);
    expect(sourceOf(indexed)).toMatchObject({ provider: "indexer", chain: "10" });
    expect(indexed.body.items.map(({ value, token }: Json) => [value, token.name])).toEqual([
      ["2500000", "My coin"],
      ["1", "Sevens"],
    ]);
  });

  test("a listing continues with the next chain if a chain's holdings are set to an empty list", async () => {
    await data.hold(COLLECTOR, [], 1);
    expect(sourceOf(await data.holdings(COLLECTOR))).toMatchObject({ chain: "8453" });
  });

  test("fields missing from holdings set by the user get defaults that depend on the kind of token", async () => {
    await data.hold(STRANGER, [
      { token_id: "1", token: { address: ONE_TOKEN, type: "ERC-721" } },
      {
        token_id: "2",
        value: "12",
        token: { address: ONE_TOKEN, type: "ERC-1155" },
        token_instance: { image_url: "ipfs://2" },
      },
      { value: "3", token: { address: ONE_TOKEN, type: "ERC-721" } },
    ]);
    const { items } = (await data.holdings(STRANGER)).body;
    expect(items.map(({ value, token_id: id }: Json) => [value, id])).toEqual([
      ["12", "2"],
      ["3", null],
      ["1", "1"],
    ]);
    expect(items[0].token_instance).toMatchObject({
      is_unique: false,
      id: "2",
      owner: null,
      image_url: "ipfs://2",
    });
    expect(items[1].token_instance).toBeNull();
    expect(items[2].token_instance).toMatchObject({
      is_unique: true,
      owner: { hash: STRANGER },
      holder_address_hash: STRANGER,
    });
  });

  test("the indexer returns all of a token instance's metadata, just as the explorer does [fidelity: Chain data › Shapes]", async () => {
    const metadata = {
      year: 2026,
      tags: ["tea"],
      name: "Pot",
      image_url: "ipfs://own",
      home_url: "https://example.com",
      external_url: "https://example.com/1",
      description: null,
      attributes: [{ trait_type: "colour", value: "green" }],
    };
    const token = { address: ONE_TOKEN, type: "ERC-721" };
    await data.hold(
      STRANGER,
      [
        { token_id: "1", token, token_instance: { image_url: "ipfs://resolved", metadata } },
        { token_id: "2", token, token_instance: { metadata: null } },
      ],
      1,
    );
    for (const provider of ["explorer-1", "indexer"]) {
      if (provider === "indexer") {
        await data.provider("explorer-1", { state: "down" });
        await sandbox.control("DELETE", "/data/cache");
      }
      const answer = await data.holdings(STRANGER);
      expect(sourceOf(answer).provider).toBe(provider);
      const byId = Object.fromEntries(
        answer.body.items.map((row: Json) => [row.token_id, row.token_instance.metadata]),
      );
      expect(byId).toEqual({ 1: metadata, 2: null });
    }
  });

  test("holdings set by the user are paginated for every upstream page size", async () => {
    for (const count of [1, 50, 51, 100, 101, 250]) {
      const items = Array.from({ length: count }, (_, index) => ({
        value: String(index + 1),
        token: { address: `0x${String(index).padStart(40, "0")}` },
      }));
      await data.hold(STRANGER, items);
      for (const state of ["up", "down"]) {
        await data.provider("explorer-1", { state });
        await sandbox.control("DELETE", "/data/cache");
        const pages = await data.walk(STRANGER);
        expect(
          pages.flatMap(({ body }) => body.items),
          `${count} ${state}`,
        ).toHaveLength(count);
      }
    }
  });

  test("invalid holdings are rejected with an error that names the field", async () => {
    const refused: [tokens: unknown, says: string][] = [
      [[{ token: {} }], "tokens[0].token.address"],
      ...["-1", "1.5", "007", "", String(2n ** 256n), "9".repeat(78)].map((value): [unknown, string] => [
        [{ ...coin, value }],
        "tokens[0].value must be a whole number from 0 to 2^256 - 1",
      ]),
      [[{ ...coin, token_id: "01" }], "tokens[0].token_id must be a whole number"],
      [[{ ...coin, token: { ...coin.token, decimals: "06" } }], "tokens[0].token.decimals"],
      [[{ ...coin, token: { ...coin.token, decimals: "256" } }], "from 0 to 255"],
      [[{ ...coin, token: { ...coin.token, total_supply: "1e30" } }], "tokens[0].token.total_supply"],
      [
        [{ ...coin, token: { ...coin.token, symbl: "X" } }],
        "Unknown field: tokens[0].token.symbl. Did you mean symbol?",
      ],
      [
        [{ token_id: "1", token: coin.token, token_instance: { image_ur: "x", metadata: { own: 1 } } }],
        "Unknown field: tokens[0].token_instance.image_ur. Did you mean image_url?",
      ],
      [[{ token: coin.token, token_instance: { image_url: "x" } }], "tokens[0].token_instance."],
      [[coin, { ...coin, token: { ...coin.token, decimals: "many" } }], "tokens[1].token.decimals"],
      [[{ token_id: "1", token: coin.token, token_instance: { owner: { hash: "me" } } }], "owner"],
      [[{ ...coin, tokenId: "1" }], "tokenId"],
      [[{ value: 5, token: coin.token }], "tokens[0].value must be a string, not 5"],
      [[{ token: { ...coin.token, type: "ERC-404" } }], "tokens[0].token.type"],
      ["all", "tokens"],
    ];
    for (const [tokens, says] of refused) {
      const answer = await sandbox.control("PUT", `/data/addresses/${STRANGER}`, { tokens });
      expectRefusal(answer, 400, "bad_request", JSON.stringify(tokens));
      expect(answer.body.error.message).toContain(says);
    }
    for (const address of ["me.eth", " x", STRANGER.slice(2), `${STRANGER}0`]) {
      expectRefusal(await data.hold(address, [coin]), 400, "bad_request", address);
      expectRefusal(
        await sandbox.control("DELETE", `/data/addresses/${address}`),
        400,
        "bad_request",
        address,
      );
    }
    expectRefusal(await data.hold(STRANGER, [coin], -1), 400, "bad_request");
    expect((await addresses()).filter(({ source }) => source === "set")).toEqual([]);
    expect((await data.hold(STRANGER, [{ ...coin, value: String(2n ** 256n - 1n) }])).status).toBe(200);
  });

  test("a reset removes holdings set by the user", async () => {
    await data.hold(STRANGER, [coin]);
    expect((await data.holdings(STRANGER)).body.items).toHaveLength(1);
    await sandbox.control("POST", "/reset", {});
    expect((await data.holdings(STRANGER)).body.items).toEqual([]);
  });
});

test("DELETE /data/cache rejects an invalid address and an unknown parameter", async () => {
  expectRefusal(await sandbox.control("DELETE", "/data/cache?address=me.eth"), 400, "bad_request");
  expectRefusal(await sandbox.control("DELETE", "/data/cache?chain=1"), 400, "bad_request");
});

test("the request log contains chain data calls with their responses", async () => {
  await data.lookup("?symbol=USDC&chain_id=1");
  await data.lookup("?symbol=USDC&chain_id=1");
  const { data: calls } = (await sandbox.control("GET", "/requests")).body;
  expect(calls).toHaveLength(2);
  expect(calls[1]).toMatchObject({ area: "data", method: "GET", status: 200 });
  const { body } = await sandbox.control("GET", `/requests/${calls[1].id}`);
  expect(JSON.parse(body.response_body).data[0].symbol).toBe("USDC");
});

test("the status, the API reference and the OpenAPI document cover chain data", async () => {
  expect((await sandbox.control("GET", "/status")).body.bases.data).toBe(`${sandbox.url}/data`);
  const reference = await sandbox.call("GET", "/data/reference");
  expect(reference.status).toBe(200);
  expect(reference.text).toContain("/insights/v1/tokens/lookup");
  const document = (await sandbox.call("GET", "/data/openapi.json")).body;
  expect(document.servers).toEqual([{ url: `${sandbox.url}/data` }]);
  expect(Object.keys(document.paths)).toEqual([
    "/insights/v1/tokens/lookup",
    "/explorer/addresses/{address_hash}/tokens",
  ]);
});
