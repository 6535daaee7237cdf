import { describe, expect, test } from "vitest";
import { recordingsFile, sharedData, sourceOf } from "../support/chain-data.ts";

const ADDRESS = "0x00000000000000000000000000000000000000aa";
const price = { price_usd: 2, price_timestamp: "2026-01-15T08:00:00.000Z" };
const token = (symbol: string, more: Record<string, unknown> = {}) => ({
  chain_id: 1,
  token_address: `0x${"AB".repeat(20)}`,
  name: "Coin",
  symbol,
  decimals: 6,
  ...more,
});

/**
 * For each case, the recording for a symbol of its own, and the expected result: tokens, or the reason for a failure.
 */
const LOOKUPS: [
  name: string,
  recorded: (symbol: string) => unknown,
  expected: (symbol: string) => unknown,
][] = [
  [
    "a plain token",
    (symbol) => ({ data: [token(symbol)] }),
    (symbol) => [token(symbol, { token_address: `0x${"ab".repeat(20)}` })],
  ],
  [
    "only the required fields",
    (symbol) => ({
      data: [{ chain_id: 1, token_address: "coin.eth", symbol, name: null, price_data: null }],
    }),
    (symbol) => [{ chain_id: 1, token_address: "coin.eth", symbol }],
  ],
  [
    "a price with few fields",
    (symbol) => ({ data: [token(symbol, { price_data: price })] }),
    (symbol) => [
      token(symbol, {
        token_address: `0x${"ab".repeat(20)}`,
        price_data: price,
      }),
    ],
  ],
  [
    "a price with null numbers and a zero",
    (symbol) => ({
      data: [token(symbol, { price_data: { ...price, usd_value: null, percent_change_24h: 0 } })],
    }),
    (symbol) => [
      token(symbol, {
        token_address: `0x${"ab".repeat(20)}`,
        price_data: { ...price, percent_change_24h: 0 },
      }),
    ],
  ],
  [
    "a price without values",
    (symbol) => ({ data: [token(symbol, { price_data: { price_usd: null, price_timestamp: null } })] }),
    (symbol) => [token(symbol, { token_address: `0x${"ab".repeat(20)}` })],
  ],
  ["a token on another chain", (symbol) => ({ data: [token(symbol, { chain_id: 5 })] }), () => []],
  ["a token with another symbol", (symbol) => ({ data: [token(`${symbol}x`)] }), () => []],
  ["no chain_id", (symbol) => ({ data: [token(symbol, { chain_id: undefined })] }), () => "invalid_shape"],
  [
    "a chain_id that is a string",
    (symbol) => ({ data: [token(symbol, { chain_id: "1" })] }),
    () => "invalid_shape",
  ],
  [
    "no token_address",
    (symbol) => ({ data: [token(symbol, { token_address: undefined })] }),
    () => "invalid_shape",
  ],
  [
    "decimals that are a string",
    (symbol) => ({ data: [token(symbol, { decimals: "6" })] }),
    () => "invalid_shape",
  ],
  [
    "a price that is a string",
    (symbol) => ({ data: [token(symbol, { price_data: { price_usd: "2" } })] }),
    () => "invalid_shape",
  ],
  ["no data", () => ({}), () => "invalid_shape"],
  ["invalid JSON", () => "nope", () => "invalid_json"],
];
const symbolOf = (index: number) => `LOOK${index}`;

const piece = { chain_id: 1, contract_address: ADDRESS, token_id: "9", token_type: "erc721", balance: "1" };
const indexerRecording = (path: string, response: unknown) => ({
  scope: "https://indexer.example:443",
  method: "GET",
  path,
  status: 200,
  response,
});
const query = (address: string, page = 0) => `owner_address=${address}&chain_id=1&limit=100&page=${page}`;
const holder = (index: number) => `0x${(index + 1).toString(16).padStart(40, "b")}`;
const pieces: [name: string, response: unknown][] = [
  ["an unknown type", { data: [{ ...piece, token_type: "erc404" }] }],
  ["no token_id", { data: [{ ...piece, token_id: undefined }] }],
  ["no balance", { data: [{ ...piece, balance: undefined }] }],
  ["a balance that is a number", { data: [{ ...piece, balance: 1 }] }],
  ["an owner that is not an address", { data: [{ ...piece, owner_addresses: ["x"] }] }],
];
const full = holder(800);
const recordings = recordingsFile([
  ...LOOKUPS.map(([, recorded], index) =>
    indexerRecording(`/v1/tokens/lookup?symbol=${symbolOf(index)}&chain_id=1`, recorded(symbolOf(index))),
  ),
  ...pieces.map(([, response], index) => indexerRecording(`/v1/nfts?${query(holder(index))}`, response)),
  indexerRecording(`/v1/tokens?${query(full)}&metadata=true`, {
    data: [
      { chain_id: 1, token_address: ADDRESS, balance: "5", decimals: 6, price_data: price },
      { chain_id: 10, token_address: ADDRESS, balance: "6" },
    ],
  }),
  indexerRecording(`/v1/nfts?${query(full)}`, {
    data: Array.from({ length: 100 }, (_, index) => ({
      ...piece,
      token_id: String(index),
      token_type: "erc1155",
      balance: "3",
    })),
  }),
  indexerRecording(`/v1/nfts?${query(full, 1)}`, {
    data: [
      {
        ...piece,
        name: "Nine",
        image_url: "ipfs://9",
        external_url: null,
        extra_metadata: { attributes: [{ trait_type: "a", value: "b" }] },
        contract: { chain_id: 1, address: ADDRESS, name: "Nines", symbol: "NIN" },
      },
    ],
  }),
]);

const sandbox = sharedData({ chainData: { recordings: [recordings] } });
const { data } = sandbox;

describe("indexer responses to lookups [fidelity: Chain data: requests › Unknown fields of a token]", () => {
  test.each(LOOKUPS.map(([name, , expected], index) => [name, symbolOf(index), expected] as const))(
    "an indexer's response to a lookup is used, filtered or counted as a failure: %s",
    async (_name, symbol, expected) => {
      const answer = await data.lookup(`?symbol=${symbol}&chain_id=1`);
      const result = expected(symbol);
      const failed = typeof result === "string";
      expect({ status: answer.status, data: answer.body.data }).toEqual({
        status: 200,
        data: failed ? [] : result,
      });
      if (failed) expect((await data.upstreamCalls())[0]).toBe(`indexer failed (${result})`);
    },
  );
});

describe("indexer token lists", () => {
  test.each(pieces.map(([name], index) => [name, index] as const))(
    "an indexer's token list with %s counts as failed",
    async (_name, index) => {
      const answer = await data.holdings(holder(index), "?chain_id=1");
      expect(answer.body.items).toEqual([]);
      expect((await data.upstreamCalls()).at(-1)).toBe("indexer failed (invalid_shape)");
    },
  );

  test("an indexer's coins and NFTs are converted to the contract's format over several pages [fidelity: Simulated › The indexer's listing]", async () => {
    const answer = await data.holdings(full, "?chain_id=1");
    expect(sourceOf(answer).provider).toBe("indexer");
    const pages = await data.walk(full, "?chain_id=1");
    const rows = pages.flatMap(({ body }) => body.items);
    expect(rows).toHaveLength(102);
    expect(rows[0]).toEqual({
      value: "5",
      token_id: null,
      token: {
        name: null,
        decimals: "6",
        symbol: null,
        address: ADDRESS,
        type: "ERC-20",
        holders: null,
        exchange_rate: "2",
        total_supply: null,
      },
      token_instance: null,
    });
    const nine = rows.at(-1);
    expect(nine).toMatchObject({
      token: { name: "Nines", symbol: "NIN", type: "ERC-721" },
      token_instance: {
        is_unique: true,
        id: "9",
        owner: { hash: full, private_tags: [], ens_domain_name: null },
        image_url: "ipfs://9",
        metadata: { name: "Nine", attributes: [{ trait_type: "a", value: "b" }] },
      },
    });
    expect(rows[1].token_instance).toMatchObject({ is_unique: false, owner: null, metadata: null });
    expect((await data.upstreamCalls()).slice(0, 4)).toEqual([
      "explorer-1 empty",
      "indexer answered",
      "indexer answered",
      "indexer answered",
    ]);
  });
});
