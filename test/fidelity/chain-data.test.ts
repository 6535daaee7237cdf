import { expect, test } from "vitest";
import {
  COLLECTOR,
  dataOf,
  HUNDRED,
  ONE_TOKEN,
  rowsOf,
  STRANGER,
  sharedData,
  sourceOf,
} from "../support/chain-data.ts";
import type { Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";

/** Covers the rows of docs/fidelity.md about chain data that no other test file covers completely. */

const sandbox = sharedData();
const { data } = sandbox;

test("chain data neither requires nor checks credentials [fidelity: Chain data › Access]", async () => {
  const document = (await sandbox.call("GET", "/data/openapi.json")).body;
  expect(JSON.stringify(document)).not.toMatch(/"security/);
  for (const headers of [{}, { authorization: "Bearer nonsense", "x-secret-key": "nonsense" }]) {
    expect((await data.lookup("?symbol=USDC", headers)).status).toBe(200);
    expect((await data.holdings(ONE_TOKEN, "", headers)).status).toBe(200);
  }
});

test("an ERC-1155 token has an owner only if it is unique [fidelity: Chain data: requests › ERC-1155]", async () => {
  const rows = [
    ...rowsOf(await data.walk(COLLECTOR, "?chain_id=1&type=ERC-1155")),
    ...rowsOf(await data.walk(HUNDRED, "?chain_id=10&type=ERC-1155")),
  ];
  const ids = rows.map(({ token, token_id: id }: Json) => `${token.address} ${id}`);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { token_id: id, token_instance: instance } of rows) {
    expect(instance.id).toBe(id);
    expect(instance.owner === null).toBe(!instance.is_unique);
  }
  expect(new Set(rows.map(({ token_instance: { is_unique: unique } }: Json) => unique))).toEqual(
    new Set([true, false]),
  );
});

test("an unknown address gets generated coins only on the first chain [fidelity: Chain data: requests › Unknown address]", async () => {
  const own = await startSandbox({ chainData: { unknownAddresses: "generate", chains: [8453, 1] } });
  const listing = await dataOf(own).holdings(STRANGER);
  expect(sourceOf(listing).chain).toBe("8453");
  expect(new Set(listing.body.items.map(({ token }: Json) => token.type))).toEqual(new Set(["ERC-20"]));
  expect((await dataOf(own).holdings(STRANGER, "?chain_id=1")).body.items).toEqual([]);
});

test("a lookup fails if a chain is missing and the others have no rows [fidelity: Chain data: providers and cache › Missing chain]", async () => {
  for (const name of ["indexer", "explorer-10"]) await data.provider(name, { state: "down" });
  const answer = await data.lookup("?symbol=NO-SUCH-TOKEN&chain_id=1&chain_id=10");
  expect({ status: answer.status, keys: Object.keys(answer.body) }).toEqual({ status: 500, keys: ["error"] });
});

test("the chain data cache has room for 5000 responses and removes the oldest first [fidelity: Chain data: providers and cache › Cache size]", async () => {
  const own = await startSandbox();
  const { lookup } = dataOf(own);
  const [oldest, next, newest] = [
    "?symbol=USDC&chain_id=1",
    "?symbol=WETH&chain_id=1",
    "?symbol=DAI&chain_id=1",
  ];
  await lookup(oldest!);
  await lookup(next!);
  own.sandbox.world.store
    .sql(
      `insert into data_cache (key, address, providers, chains, rows, found, stored_at, expires_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 4998)
       select 'filler ' || i, null, 'indexer', '1', 0, '[]', 0, 0 from n`,
    )
    .run();
  await lookup(newest!);
  expect(sourceOf(await lookup(next!)).cache).toBe("HIT");
  expect(sourceOf(await lookup(newest!)).cache).toBe("HIT");
  expect(sourceOf(await lookup(oldest!)).cache).toBe("MISS");
  expect((await own.control("DELETE", "/data/cache")).body.purged).toBe(5_000);
});

test("a request without a recording gets a 404 from the provider [fidelity: Simulated › Providers]", async () => {
  await data.holdings(STRANGER, "?chain_id=1");
  await data.lookup("?symbol=NO-SUCH-TOKEN&chain_id=1");
  const calls = await sandbox.journal("upstream.*");
  expect(calls.length).toBeGreaterThan(2);
  for (const { type, data: call } of calls)
    expect({ type, status: call.status }).toEqual({ type: "upstream.empty", status: 404 });
});

test("a refreshed chain data response is identical to the first one [fidelity: Simulated › Prices]", async () => {
  const ask = [() => data.lookup("?symbol=USDC&symbol=ETH"), () => data.holdings(COLLECTOR)];
  for (const call of ask) {
    const first = await call();
    await sandbox.advance("30d");
    const again = await call();
    expect(sourceOf(again).cache).toBe("EXPIRED");
    expect(again.text).toBe(first.text);
  }
});

test("an explorer returns only exact symbol matches [fidelity: Simulated › Search of an explorer]", async () => {
  await data.provider("indexer", { state: "down" });
  expect((await data.lookup("?symbol=USDC&chain_id=1")).body.data).toHaveLength(1);
  for (const part of ["USD", "SDC", "USDCC"])
    for (const token of (await data.lookup(`?symbol=${part}&chain_id=1`)).body.data)
      expect(token.symbol.toLowerCase()).toBe(part.toLowerCase());
});

test("the indexer returns no holders, supplies, icons or whole collections [fidelity: Simulated › The indexer's listing]", async () => {
  const wholes = (rows: Json[]) =>
    rows.filter(({ token, token_id: id }) => token.type !== "ERC-20" && id === null);
  const explored = rowsOf(await data.walk(COLLECTOR, "?chain_id=1"));
  expect(wholes(explored).length).toBeGreaterThan(0);
  await data.provider("explorer-1", { state: "down" });
  await sandbox.control("DELETE", "/data/cache");
  const pages = await data.walk(COLLECTOR, "?chain_id=1");
  expect(sourceOf(pages[0]!).provider).toBe("indexer");
  const rows = rowsOf(pages);
  expect(wholes(rows)).toEqual([]);
  for (const { token, token_instance: instance } of rows) {
    expect([token.holders, token.total_supply]).toEqual([null, null]);
    if (instance !== null)
      expect([instance.token.holders, instance.token.total_supply, instance.token.icon_url]).toEqual([
        null,
        null,
        null,
      ]);
  }
});

test("a provider that responds with a status other than 200, 400 or 404 counts as failed [fidelity: Chain data: providers and cache › Failure]", async () => {
  for (const status of [402, 403, 418, 502]) {
    await data.provider("explorer-1", { state: "error", status });
    await sandbox.control("DELETE", "/data/cache");
    await data.holdings(ONE_TOKEN, "?chain_id=1");
    const [latest] = (await sandbox.journal("upstream.failed")).slice(-1);
    expect(latest!.data).toMatchObject({ provider: "explorer-1", status, reason: "status" });
  }
});
