import { configure, getV1TokensLookup } from "@thirdweb-dev/insight";
import { expect, test } from "vitest";
import { sharedData } from "../support/chain-data.ts";

const sandbox = sharedData();

/** Creates the published client with the sandbox as its server. */
const pointAt = (url: string) =>
  configure({ clientId: "any", override: { baseUrl: `${url}/data/insights` } });

test("the published Insight client gets typed responses", async () => {
  pointAt(sandbox.url);
  const { data, error, response } = await getV1TokensLookup({
    query: { symbol: ["USDC", "WETH"], chain_id: [8453, 1] },
  });
  expect({ error, status: response?.status }).toEqual({ error: undefined, status: 200 });
  const tokens: { symbol?: string; chain_id: number; decimals?: number }[] = data!.data;
  expect(tokens.map(({ symbol, chain_id, decimals }) => [symbol, chain_id, decimals])).toEqual([
    ["USDC", 1, 6],
    ["USDC", 8453, 6],
    ["WETH", 1, 18],
    ["WETH", 8453, 18],
  ]);
  const price: number | null | undefined = data!.data[0]!.price_data?.price_usd;
  expect(price).toBe(1);
});

test("the published Insight client can send a single symbol and the deprecated chain parameter", async () => {
  pointAt(sandbox.url);
  const { data } = await getV1TokensLookup({ query: { symbol: "USDC", chain: [10] } });
  expect(data!.data.map(({ chain_id: chain }) => chain)).toEqual([10]);
});

test("the published Insight client throws its typed error when a request is rejected", async () => {
  pointAt(sandbox.url);
  const symbol = Array.from({ length: 11 }, (_, index) => `S${index}`);
  const { data, error, response } = await getV1TokensLookup({ query: { symbol } });
  expect({ data, status: response?.status }).toEqual({ data: undefined, status: 400 });
  expect(error).toEqual({ error: expect.stringContaining("10") });
});
