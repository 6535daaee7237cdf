import { describe, expect, test } from "vitest";
import { CHAINS, sharedData, sourceOf } from "../support/chain-data.ts";
import { rawCall } from "../support/raw-http.ts";
import type { Answer, Json } from "../support/sandbox.ts";

const sandbox = sharedData({ allowedHosts: ["sandbox.example"] });
const { data } = sandbox;

const found = ({ body }: Answer): string[] => body.data.map((it: Json) => `${it.symbol} ${it.chain_id}`);

test("a lookup orders tokens by requested symbol, then by chain [fidelity: Chain data: requests › Order of a lookup · Chain data: requests › Token address]", async () => {
  const answer = await data.lookup(
    "?symbol=weth&symbol=USDC&symbol=dai&chain_id=8453&chain_id=1&chain_id=10",
  );
  expect(answer.status).toBe(200);
  expect(found(answer)).toEqual([
    "WETH 1",
    "WETH 10",
    "WETH 8453",
    "USDC 1",
    "USDC 10",
    "USDC 8453",
    "DAI 1",
    "DAI 10",
    "DAI 8453",
  ]);
  for (const { token_address: address } of answer.body.data) expect(address).toMatch(/^0x[0-9a-f]{40}$/);
});

test("a lookup with reordered symbols and chains is a cache hit and returns rows in the new order [fidelity: Chain data: requests › Symbols]", async () => {
  const first = await data.lookup("?symbol=USDC&symbol=WETH&chain_id=1&chain_id=10");
  const again = await data.lookup("?symbol=WETH&symbol=usdc&symbol=weth&chain_id=10&chain_id=1&chain_id=10");
  expect(sourceOf(again).cache).toBe("HIT");
  expect(found(again)).toEqual(["WETH 1", "WETH 10", "USDC 1", "USDC 10"]);
  expect([...again.body.data].sort(byAddress)).toEqual([...first.body.data].sort(byAddress));
});

const byAddress = (a: Json, b: Json) => (a.token_address < b.token_address ? -1 : 1);

test("a lookup finds one symbol on many chains, with prices as numbers", async () => {
  const { body } = await data.lookup("?symbol=USDC");
  const chains = body.data.map((it: Json) => it.chain_id);
  expect(chains.length).toBeGreaterThanOrEqual(8);
  expect(chains).toEqual([...chains].sort((a, b) => a - b));
  for (const { price_data: price } of body.data) {
    expect(price.price_usd).toBeTypeOf("number");
    expect(price.price_timestamp).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  }
});

test("the native coin has the address 0xeeee…eeee [fidelity: Chain data: requests › Token address]", async () => {
  const { body } = await data.lookup("?symbol=ETH&chain_id=1");
  expect(body.data).toContainEqual(
    expect.objectContaining({ chain_id: 1, token_address: `0x${"e".repeat(40)}`, decimals: 18 }),
  );
});

test.each(["USDC.e", "$Reach", "❤️", "USD₮0", "T", "USD+"])(
  "a lookup of the unusual symbol %s finds exactly that symbol",
  async (symbol) => {
    const { body } = await data.lookup(`?symbol=${encodeURIComponent(symbol)}`);
    expect(body.data.length).toBeGreaterThan(0);
    for (const token of body.data) expect(token.symbol.toLowerCase()).toBe(symbol.toLowerCase());
  },
);

test("an unknown symbol adds no tokens to a lookup [fidelity: Chain data: requests › Symbols]", async () => {
  expect((await data.lookup("?symbol=NO-SUCH-TOKEN")).body).toEqual({ data: [] });
  expect(found(await data.lookup("?symbol=NO-SUCH-TOKEN&symbol=USDC&chain_id=1"))).toEqual(["USDC 1"]);
  expect(found(await data.lookup("?symbol=USDC&chain_id=987654321"))).toEqual([]);
});

describe("chains of a lookup", () => {
  const chainsOf = (answer: Answer) => [...new Set(answer.body.data.map((it: Json) => it.chain_id))];

  test("a lookup takes its chains from chain_id, then chain, then the host, then the configuration [fidelity: Chain data › Lookup · Chain data: requests › Chains]", async () => {
    const host = { host: "8453.localhost:4400" };
    const url = (query: string) => `/data/insights/v1/tokens/lookup?symbol=USDC${query}`;
    const raw = async (query: string, headers: Record<string, string>) => {
      const { status, text } = await rawCall(sandbox.url, "GET", url(query), headers);
      expect(status, text).toBe(200);
      return [...new Set(JSON.parse(text).data.map((it: Json) => it.chain_id))];
    };
    expect(await raw("&chain_id=1&chain=10", host)).toEqual([1]);
    expect(await raw("&chain=10&chain=1", host)).toEqual([1, 10]);
    expect(await raw("", host)).toEqual([8453]);
    expect(await raw("", { host: "8453.sandbox.example" })).toEqual([8453]);
    for (const plain of [
      "localhost:4400",
      "127.0.0.1:4400",
      "10.0.0.1",
      "1x.localhost",
      "[::1]:4400",
      "8453",
    ])
      expect((await raw("", { host: plain })).length, plain).toBeGreaterThanOrEqual(8);
  });

  test("X-Sandbox-Chain lists the chains of a lookup, even if the request does not", async () => {
    const usual = await data.lookup("?symbol=USDC");
    expect(sourceOf(usual).chain).toBe([...CHAINS].sort((a, b) => a - b).join(", "));
    const named = await data.lookup(`?symbol=USDC&chain=${CHAINS.join("&chain=")}`);
    expect(sourceOf(named).cache).toBe("HIT");
    expect(named.text).toBe(usual.text);
  });

  test("a lookup accepts up to 55 chain ids, and any number of duplicates [fidelity: Chain data: requests › Chain ids]", async () => {
    const many = Array.from({ length: 55 }, (_, index) => `&chain_id=${index + 1}`).join("");
    expect(chainsOf(await data.lookup(`?symbol=USDC${many}`))).toEqual([1, 10]);
    const same = "&chain_id=1".repeat(56);
    expect(chainsOf(await data.lookup(`?symbol=USDC${same}`))).toEqual([1]);
  });
});

test("X-Sandbox-Hint reports unknown parameters, and symbols that contain commas, on every response [fidelity: Chain data: requests › Unknown parameters]", async () => {
  const hint = ({ headers }: Answer) => headers.get("x-sandbox-hint");
  expect(hint(await data.lookup("?symbol=USDC&chain_id=1"))).toBeNull();
  const known = "Valid names: symbol, chain_id, chain.";
  const brackets = await data.lookup("?symbol[]=USDC");
  expect({ status: brackets.status, hint: hint(brackets) }).toEqual({
    status: 400,
    hint: `Ignored unknown query parameters: symbol[]. ${known} Did you mean symbol instead of symbol[]?`,
  });
  // The second response comes from the cache.
  for (const _ of [1, 2])
    expect(hint(await data.lookup("?symbol=USDC&chain_id=1&chainId=10"))).toBe(
      `Ignored unknown query parameters: chainId. ${known} Did you mean chain_id instead of chainId?`,
    );
  const commas = await data.lookup("?symbol=USDC,WETH");
  expect({ body: commas.body, hint: hint(commas) }).toEqual({
    body: { data: [] },
    hint: "A symbol cannot contain a comma. To pass several, repeat the parameter: symbol=USDC&symbol=WETH.",
  });
});

test("a lookup ignores unknown parameters, and HEAD returns only headers [fidelity: Chain data: requests › Unknown parameters]", async () => {
  expect((await data.lookup("?symbol=USDC&chain_id=1&colour=red&limit=x")).status).toBe(200);
  const head = await sandbox.call("HEAD", "/data/insights/v1/tokens/lookup?symbol=USDC&chain_id=1");
  expect({ status: head.status, text: head.text, cache: sourceOf(head).cache }).toEqual({
    status: 200,
    text: "",
    cache: "HIT",
  });
});
