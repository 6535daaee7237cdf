import { describe, expect, onTestFinished, test, vi } from "vitest";
import { chainDataArea } from "../../src/chain-data/area.ts";
import { DataError } from "../../src/chain-data/errors.ts";
import { dataOf, ONE_TOKEN, queryOf, STRANGER, sharedData, sourceOf, WHALE } from "../support/chain-data.ts";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

const sandbox = sharedData();
const { data } = sandbox;
const USDC = "?symbol=USDC&chain_id=1";

describe.each([
  ["a lookup", () => data.lookup(USDC)],
  ["a listing", () => data.holdings(ONE_TOKEN)],
])("the cache for %s", (_name, ask) => {
  test("a cached chain data response is a cache hit for 23:59:59 and expires after 24 hours [fidelity: Chain data › Proxy · Chain data: providers and cache › Cache time · Chain data: providers and cache › Cache headers]", async () => {
    const first = await ask();
    const { cache, status, age } = sourceOf(first);
    expect({ cache, status, age }).toEqual({
      cache: "MISS",
      status: "sandglass; fwd=miss; fwd-status=200; stored",
      age: "0",
    });
    for (const name of ["Cache-Status", "Age", "X-Cache", "X-Sandbox-Provider", "X-Sandbox-Chain"])
      expect(first.headers.get(name), name).not.toBeNull();

    await sandbox.advance("999ms");
    expect(sourceOf(await ask()), "Age is in whole seconds that passed").toMatchObject({
      status: "sandglass; hit; ttl=86399",
      age: "0",
    });
    await sandbox.advance("23h59m58s1ms");
    const last = await ask();
    expect(sourceOf(last)).toMatchObject({ cache: "HIT", status: "sandglass; hit; ttl=1", age: "86399" });
    expect(last.text).toBe(first.text);
    expect(await data.upstreamCalls()).toHaveLength(1);

    await sandbox.advance("1s");
    expect(sourceOf(await ask())).toMatchObject({
      cache: "EXPIRED",
      status: "sandglass; fwd=stale; fwd-status=200; stored; detail=refreshed",
      age: "0",
    });
    expect(await data.upstreamCalls()).toHaveLength(2);
    expect(sourceOf(await ask())).toMatchObject({
      cache: "HIT",
      status: "sandglass; hit; ttl=86400",
      age: "0",
    });
  });
});

test("a chain data response without rows is cached for 5 minutes [fidelity: Chain data: providers and cache › Cache time]", async () => {
  for (const ask of [
    () => data.lookup("?symbol=NONE&chain_id=1"),
    () => data.holdings(STRANGER, "?chain_id=1"),
  ]) {
    expect(sourceOf(await ask()).cache).toBe("MISS");
    await sandbox.advance("4m59s");
    expect(sourceOf(await ask())).toMatchObject({ cache: "HIT", age: "299" });
    await sandbox.advance("1s");
    expect(sourceOf(await ask()).cache).toBe("EXPIRED");
  }
});

test("cached chain data also expires while the clock is running", async () => {
  await data.lookup(USDC);
  await sandbox.control("PUT", "/clock", { mode: "scaled", rate: 1_000_000 });
  await expect.poll(async () => sourceOf(await data.lookup(USDC)).cache).toBe("EXPIRED");
});

test("equivalent chain data requests share one cache entry, no matter how they are spelled [fidelity: Chain data: providers and cache › Cache key]", async () => {
  await data.lookup("?symbol=usdc&symbol=WETH&chain_id=1&chain_id=8453");
  await data.lookup("?chain=8453&chain=1&symbol=WETH&symbol=USDC&symbol=weth&x=1");
  await data.holdings(ONE_TOKEN, "?type=ERC-20&chain_id=1&chain_id=8453");
  await data.holdings(ONE_TOKEN.toUpperCase().replace("0X", "0x"), "?chain=8453&chain=1&type=[erc-20]");
  const { data: entries } = (await sandbox.control("GET", "/data/cache")).body;
  expect(entries).toEqual([
    {
      key: "lookup?symbol=usdc,weth&chain_id=1,8453",
      address: null,
      providers: "indexer",
      chains: "1, 8453",
      rows: expect.any(Number),
      state: "fresh",
      stored_at: "2026-01-15T09:00:00.000Z",
      expires_at: "2026-01-16T09:00:00.000Z",
    },
    {
      key: `holdings?address=${ONE_TOKEN}&chain_id=1,8453&type=ERC-20`,
      address: ONE_TOKEN,
      providers: "explorer-1",
      chains: "1",
      rows: 1,
      state: "fresh",
      stored_at: "2026-01-15T09:00:00.000Z",
      expires_at: "2026-01-16T09:00:00.000Z",
    },
  ]);
});

test("purged responses are fetched again", async () => {
  const ask = {
    lookup: () => data.lookup(USDC),
    whale: () => data.holdings(WHALE),
    one: () => data.holdings(ONE_TOKEN),
  };
  const all = async () => {
    const states = [];
    for (const one of Object.values(ask)) states.push(sourceOf(await one()).cache);
    return states;
  };
  const purge = async (query: string) => (await sandbox.control("DELETE", `/data/cache${query}`)).body.purged;
  expect(await all()).toEqual(["MISS", "MISS", "MISS"]);
  expect(await all()).toEqual(["HIT", "HIT", "HIT"]);
  expect(await purge(`?address=${ONE_TOKEN.toUpperCase().replace("0X", "0x")}`)).toBe(1);
  expect(await all()).toEqual(["HIT", "HIT", "MISS"]);
  expect(await purge(`?key=${encodeURIComponent("lookup?symbol=usdc&chain_id=1")}`)).toBe(1);
  expect(await all()).toEqual(["MISS", "HIT", "HIT"]);
  expect(await purge("?key=nothing")).toBe(0);
  expect(await purge("")).toBe(3);
  expect(await all()).toEqual(["MISS", "MISS", "MISS"]);
  expect((await sandbox.journal("cache.purged")).map((entry) => entry.data)).toEqual([
    { key: null, address: ONE_TOKEN, purged: 1 },
    { key: "lookup?symbol=usdc&chain_id=1", address: null, purged: 1 },
    { key: null, address: null, purged: 3 },
  ]);
});

test("a reset clears the cache, and a response in flight reaches its caller without being cached", async () => {
  await data.lookup(USDC);
  await sandbox.control("POST", "/reset", {});
  expect(sourceOf(await data.lookup(USDC)).cache).toBe("MISS");

  await data.provider("explorer-1", { state: "slow", latency: 300 });
  const slow = data.holdings(ONE_TOKEN, "?chain_id=1");
  await expect.poll(async () => (await sandbox.control("GET", "/data/providers")).body.data[0].asked).toBe(1);
  await sandbox.control("POST", "/reset", {});
  const answer = await slow;
  expect({ status: answer.status, cacheStatus: sourceOf(answer).status }).toEqual({
    status: 200,
    cacheStatus: "sandglass; fwd=miss; fwd-status=200",
  });
  expect((await sandbox.control("GET", "/data/cache")).body.data).toEqual([]);
  expect((await sandbox.journal()).map(({ type }) => type)).toEqual(["world.reset"]);
});

test("a purge during a request prevents its response from being cached", async () => {
  await data.provider("explorer-1", { state: "slow", latency: 300 });
  const slow = data.holdings(ONE_TOKEN, "?chain_id=1");
  await expect.poll(async () => (await sandbox.control("GET", "/data/providers")).body.data[0].asked).toBe(1);
  await sandbox.control("DELETE", "/data/cache");
  expect(sourceOf(await slow)).toMatchObject({
    cache: "MISS",
    status: "sandglass; fwd=miss; fwd-status=200",
  });
  expect((await sandbox.control("GET", "/data/cache")).body.data).toEqual([]);
});

test("cache.ttl and cache.emptyTtl set how long responses stay fresh [fidelity: Chain data: providers and cache › Cache time]", async () => {
  const short = await startSandbox({ chainData: { cache: { ttl: "1h", emptyTtl: 0 } } });
  const own = dataOf(short);
  await own.lookup(USDC);
  await own.lookup("?symbol=NONE&chain_id=1");
  expect(sourceOf(await own.lookup("?symbol=NONE&chain_id=1")).cache).toBe("EXPIRED");
  await short.advance("59m59s");
  expect(sourceOf(await own.lookup(USDC)).status).toBe("sandglass; hit; ttl=1");
  await short.advance("1s");
  expect(sourceOf(await own.lookup(USDC)).cache).toBe("EXPIRED");
});

test("a data folder preserves cached responses with their age and pages", async () => {
  const dataDir = folderOf();
  const before = await startSandbox({ dataDir });
  const [first, second] = await dataOf(before).walk(WHALE);
  await before.advance("1h");
  await before.close();

  const after = await startSandbox({ dataDir });
  const again = await dataOf(after).holdings(WHALE);
  expect(sourceOf(again)).toMatchObject({ cache: "HIT", age: "3600" });
  expect(again.text).toBe(first!.text);
  const page = await dataOf(after).holdings(WHALE, `?${queryOf(first!.body.next_page_params)}`);
  expect(page.text).toBe(second!.text);
});

test.each(["lookup", "holdings"] as const)(
  "closing the sandbox aborts a %s request in progress without logging anything",
  async (resource) => {
    const complaints = vi.spyOn(console, "error");
    onTestFinished(() => complaints.mockRestore());
    const closing = await startSandbox();
    const answer = vi.spyOn(closing.sandbox.part(chainDataArea)[resource], "answer");
    const own = dataOf(closing);
    for (const name of ["indexer", "explorer-1"])
      await own.provider(name, { state: "slow", latency: 200, times: 1 });
    const query = "?chain_id=1";
    const caller =
      resource === "lookup" ? own.lookup(`${query}&symbol=USDC`) : own.holdings(ONE_TOKEN, query);
    const cutOff = caller.catch(() => "cut off");
    await expect.poll(() => answer.mock.calls.length).toBe(1);
    await closing.close();
    expect(await cutOff).toBe("cut off");
    await expect(answer.mock.results[0]!.value).rejects.toThrow(DataError);
    expect(complaints).not.toHaveBeenCalled();
  },
);
