import { describe, expect, test } from "vitest";
import {
  BASE_ONLY,
  CHAINS,
  COLLECTOR,
  LATE_CHAIN,
  ONE_TOKEN,
  queryOf,
  rowsOf,
  SPLIT,
  STRANGER,
  sharedData,
  sourceOf,
  WHALE,
} from "../support/chain-data.ts";

const sandbox = sharedData();
const { data } = sandbox;

const down = { state: "down" };
const explorers = CHAINS.map((chain) => `explorer-${chain}`);
const takeDown = async (...names: string[]) => {
  for (const name of names) expect((await data.provider(name, down)).status).toBe(200);
};

describe("token listings", () => {
  test("a listing falls back to the indexer when the explorer fails, and the journal and headers show it [fidelity: Chain data: providers and cache › Listing]", async () => {
    await takeDown("explorer-1");
    const answer = await data.holdings(COLLECTOR, "?chain_id=1");
    expect(answer.status).toBe(200);
    expect(answer.body.items.length).toBe(50);
    expect(sourceOf(answer)).toMatchObject({ cache: "MISS", provider: "indexer", chain: "1" });
    expect(await data.upstreamCalls()).toEqual([
      "explorer-1 failed (connection_refused)",
      "indexer answered",
      "indexer answered",
    ]);
    const [failed, answered] = (await sandbox.journal("upstream.*")).map((entry) => entry.data);
    const request = `holdings?address=${COLLECTOR}&chain_id=1`;
    expect(failed).toEqual({
      request,
      provider: "explorer-1",
      chain_id: 1,
      path: `/addresses/${COLLECTOR}/tokens`,
      status: null,
      reason: "connection_refused",
      rows: 0,
      duration_ms: expect.any(Number),
    });
    expect(answered).toMatchObject({ provider: "indexer", status: 200, reason: null });
    const stored = (await sandbox.journal("cache.stored"))[0]!.data;
    expect(stored).toMatchObject({ key: request, provider: "indexer", chain_id: 1 });
  });

  test("a listing tries the next chain if a chain has no rows for the address [fidelity: Chain data › Proxy · Chain data: providers and cache › Listing]", async () => {
    const base = await data.holdings(BASE_ONLY);
    expect(sourceOf(base)).toMatchObject({ provider: "explorer-8453", chain: "8453" });
    expect(base.body.items.length).toBeGreaterThan(0);
    expect((await data.upstreamCalls()).slice(0, 4)).toEqual([
      "explorer-1 empty",
      "indexer empty",
      "indexer empty",
      "explorer-8453 answered",
    ]);
    const late = await data.holdings(LATE_CHAIN);
    expect(sourceOf(late)).toMatchObject({ provider: "explorer-34443", chain: "34443" });
  });

  test("a listing tries the next chain if the type filter leaves no rows [fidelity: Chain data: providers and cache › Listing]", async () => {
    expect(sourceOf(await data.holdings(SPLIT))).toMatchObject({ chain: "1" });
    const coins = await data.holdings(SPLIT, "?type=ERC-20");
    expect(sourceOf(coins)).toMatchObject({ chain: "10" });
    expect(coins.body.items.length).toBeGreaterThan(0);
  });

  test("a listing tries chains in the configured order, no matter in which order the request names them [fidelity: Chain data: providers and cache › Listing]", async () => {
    const answer = await data.holdings(COLLECTOR, "?chain_id=8453&chain_id=1");
    expect(sourceOf(answer).chain).toBe("1");
  });

  test("a page walk stays on its chain even if its provider goes down [fidelity: Chain data: providers and cache › Page walk]", async () => {
    const whole = rowsOf(await data.walk(WHALE));
    await sandbox.control("DELETE", "/data/cache");
    const first = await data.holdings(WHALE);
    await takeDown("explorer-1", "indexer");
    const rows = [...first.body.items];
    let next = first.body.next_page_params;
    while (next !== null) {
      const page = await data.holdings(WHALE, `?${queryOf(next)}`);
      expect(sourceOf(page)).toMatchObject({ cache: "HIT", provider: "explorer-1", chain: "1" });
      rows.push(...page.body.items);
      next = page.body.next_page_params;
    }
    expect(rows).toEqual(whole);
  });

  test("a page walk whose cached response has expired queries its original provider again [fidelity: Chain data: providers and cache › Page walk]", async () => {
    await takeDown("explorer-8453");
    const first = await data.holdings(COLLECTOR, "?chain_id=8453&chain_id=1&type=ERC-721,ERC-1155");
    const { next_page_params: next } = first.body;
    expect(sourceOf(first)).toMatchObject({ provider: "explorer-1", chain: "1" });
    await sandbox.advance("24h");
    const query = `?chain_id=8453&chain_id=1&type=ERC-721,ERC-1155&${queryOf(next)}`;
    const second = await data.holdings(COLLECTOR, query);
    expect(sourceOf(second)).toMatchObject({ cache: "EXPIRED", provider: "explorer-1", chain: "1" });

    await sandbox.advance("24h");
    await takeDown("explorer-1");
    const before = (await data.upstreamCalls()).length;
    const stale = await data.holdings(COLLECTOR, query);
    expect(sourceOf(stale)).toMatchObject({ cache: "STALE", provider: "explorer-1", chain: "1" });
    expect(stale.text).toBe(second.text);
    expect((await data.upstreamCalls()).slice(before), "no other provider is asked").toEqual([
      "explorer-1 failed (connection_refused)",
    ]);
  });

  test("a page walk whose cached response was purged uses any provider that responds [fidelity: Chain data: providers and cache › Page walk]", async () => {
    const first = await data.holdings(WHALE, "?chain_id=1");
    await sandbox.control("DELETE", "/data/cache");
    const again = await data.holdings(WHALE, `?chain_id=1&${queryOf(first.body.next_page_params)}`);
    expect(sourceOf(again)).toMatchObject({ cache: "MISS", provider: "explorer-1" });
    expect(again.status).toBe(200);
  });

  test("a listing returns 500 if all providers fail, and the failure is not cached [fidelity: Chain data: providers and cache › All providers fail · Chain data: providers and cache › Cache time]", async () => {
    await takeDown("explorer-1", "indexer");
    const answer = await data.holdings(ONE_TOKEN, "?chain_id=1");
    expect(answer.status).toBe(500);
    expect(Object.keys(answer.body)).toEqual(["message"]);
    expect(answer.body.message).toContain("explorer-1 (connection_refused), indexer (connection_refused)");
    expect(sourceOf(answer)).toMatchObject({
      cache: "MISS",
      status: "sandglass; fwd=miss; detail=upstream-failed",
      provider: "explorer-1, indexer",
      chain: "1",
    });
    await data.provider("explorer-1", { state: "up" });
    expect((await data.holdings(ONE_TOKEN, "?chain_id=1")).status).toBe(200);
  });

  test("a listing is empty only if every chain confirms it, and is cached only if no provider failed [fidelity: Chain data: providers and cache › Empty answer · Chain data: providers and cache › Cache time]", async () => {
    await takeDown("explorer-10");
    expect((await data.holdings(STRANGER)).body.items).toEqual([]);
    expect((await sandbox.control("GET", "/data/cache")).body.data).toEqual([]);
    await data.provider("indexer", { state: "error" });
    expect((await data.holdings(STRANGER)).status, "no provider has OP Mainnet").toBe(500);
    for (const name of ["explorer-10", "indexer"]) await data.provider(name, { state: "up" });
    const empty = await data.holdings(STRANGER);
    expect(sourceOf(empty)).toMatchObject({ status: "sandglass; fwd=miss; fwd-status=200; stored" });
    expect(sourceOf(empty).chain).toBe(CHAINS.join(", "));
  });
});

describe("token lookups", () => {
  test("a lookup queries the explorers for everything that the indexer does not return [fidelity: Chain data: providers and cache › Lookup · Simulated › Search of an explorer]", async () => {
    await data.provider("indexer", { state: "error", status: 429 });
    const answer = await data.lookup("?symbol=USDC&chain_id=1&chain_id=10");
    expect(answer.body.data.map((it: { chain_id: number }) => it.chain_id)).toEqual([1, 10]);
    expect(sourceOf(answer)).toMatchObject({
      cache: "MISS",
      status: "sandglass; fwd=miss; fwd-status=200; stored",
      provider: "explorer-1, explorer-10",
    });
    const [first] = answer.body.data;
    expect(first.price_data).toEqual({
      price_usd: 1,
      volume_24h_usd: expect.any(Number),
      market_cap_usd: expect.any(Number),
      total_supply: expect.any(Number),
    });
    expect(await data.upstreamCalls()).toEqual([
      "indexer failed (status)",
      "explorer-1 answered",
      "explorer-10 answered",
    ]);
  });

  test("the journal lists a lookup's upstream calls in the planned order [fidelity: Chain data: providers and cache › Lookup]", async () => {
    await data.provider("explorer-1", { state: "slow", latency: 200 });
    await data.lookup("?symbol=ZZZ&symbol=USDC&symbol=AAA&chain_id=10&chain_id=1");
    expect(await data.upstreamCalls()).toEqual([
      "indexer empty",
      "indexer answered",
      "indexer empty",
      "explorer-1 empty",
      "explorer-10 empty",
      "explorer-1 empty",
      "explorer-10 empty",
    ]);
  });

  test("a lookup that fails for one of its chains returns the rows of the others and is not cached [fidelity: Chain data: providers and cache › Missing chain · Chain data: providers and cache › Cache time]", async () => {
    await takeDown("indexer", "explorer-10");
    const partial = await data.lookup("?symbol=USDC&chain_id=1&chain_id=10");
    expect(partial.body.data.map((it: { chain_id: number }) => it.chain_id)).toEqual([1]);
    expect(sourceOf(partial)).toMatchObject({ status: "sandglass; fwd=miss; fwd-status=200" });
    await data.provider("explorer-10", { state: "up" });
    const whole = await data.lookup("?symbol=USDC&chain_id=1&chain_id=10");
    expect(whole.body.data).toHaveLength(2);
    expect(sourceOf(whole)).toMatchObject({ cache: "MISS" });
  });

  test("a lookup returns 500 if all providers fail [fidelity: Chain data › Lookup · Chain data: providers and cache › All providers fail]", async () => {
    await takeDown("indexer", ...explorers);
    const answer = await data.lookup("?symbol=USDC");
    expect(answer.status).toBe(500);
    expect(Object.keys(answer.body)).toEqual(["error"]);
    expect(answer.body.error).toContain("indexer (connection_refused)");
  });
});

test("a fallback provider's response stays cached after the first provider recovers", async () => {
  await takeDown("explorer-1", "indexer");
  await data.provider("indexer", { state: "up" });
  const indexed = await data.holdings(ONE_TOKEN, "?chain_id=1");
  await data.provider("explorer-1", { state: "up" });
  const kept = await data.holdings(ONE_TOKEN, "?chain_id=1");
  expect(sourceOf(kept)).toMatchObject({ cache: "HIT", provider: "indexer" });
  expect(kept.text).toBe(indexed.text);
  await sandbox.advance("24h");
  const anew = await data.holdings(ONE_TOKEN, "?chain_id=1");
  expect(sourceOf(anew)).toMatchObject({ cache: "EXPIRED", provider: "explorer-1" });
});

test("an expired response is served if all providers fail, and the journal records it [fidelity: Chain data: providers and cache › All providers fail · Chain data: providers and cache › Cache headers]", async () => {
  const ask = { key: "lookup?symbol=usdc&chain_id=1", call: () => data.lookup("?symbol=USDC&chain_id=1") };
  const first = await ask.call();
  await sandbox.advance("30h");
  await takeDown("indexer", "explorer-1");
  for (let round = 0; round < 2; round += 1) {
    const stale = await ask.call();
    expect(stale.text).toBe(first.text);
    expect(sourceOf(stale)).toEqual({
      cache: "STALE",
      status: "sandglass; fwd=stale; detail=upstream-failed",
      age: String(30 * 3600),
      provider: "indexer",
      chain: "1",
    });
  }
  const entries = await sandbox.journal("cache.served_stale");
  expect(entries.map((entry) => entry.data)).toEqual(
    Array(2).fill({ key: ask.key, provider: "indexer", chain_id: 1 }),
  );
  await data.provider("indexer", { state: "up" });
  expect(sourceOf(await ask.call()).cache).toBe("EXPIRED");
});

test("a request that one provider rejects fails without being sent to another [fidelity: Chain data: providers and cache › Refused request]", async () => {
  await data.provider("explorer-1", { state: "error", status: 400 });
  const listing = await data.holdings(ONE_TOKEN);
  expect(listing.status).toBe(400);
  expect(listing.body.message).toMatch(/^explorer-1 refused the request: /);
  expect(sourceOf(listing)).toMatchObject({
    status: "sandglass; fwd=miss; fwd-status=400",
    provider: "explorer-1",
  });
  await data.provider("indexer", { state: "error", status: 400 });
  const lookup = await data.lookup("?symbol=USDC");
  expect({ status: lookup.status, keys: Object.keys(lookup.body) }).toEqual({ status: 400, keys: ["error"] });
  expect(await data.upstreamCalls()).toEqual(["explorer-1 failed (status)", "indexer failed (status)"]);
  expect((await sandbox.control("GET", "/data/cache")).body.data).toEqual([]);
});

test("two identical runs with provider failures produce identical journals", async () => {
  const run = async () => {
    await sandbox.control("POST", "/reset", {});
    await data.provider("explorer-1", { state: "error", rate: 0.5 });
    await data.provider("indexer", { state: "down", times: 2 });
    await Promise.all([
      data.lookup("?symbol=USDC&symbol=QQQ&symbol=DAI"),
      data.lookup("?symbol=USDC&symbol=DAI&symbol=QQQ"),
    ]);
    for (const address of [COLLECTOR, BASE_ONLY, STRANGER]) await data.holdings(address);
    return (await sandbox.journal()).map(({ seq, type, at, data: { duration_ms: _, ...rest } }) => ({
      seq,
      type,
      at,
      rest,
    }));
  };
  expect(await run()).toEqual(await run());
});
