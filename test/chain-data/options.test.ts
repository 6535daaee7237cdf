import { describe, expect, test } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import {
  COLLECTOR,
  dataOf,
  explorerItem,
  explorerRecording,
  ONE_TOKEN,
  recordingsFile,
  STRANGER,
  sourceOf,
} from "../support/chain-data.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { clientOf, type Json, startSandbox } from "../support/sandbox.ts";

test("the chainData setting configures the chains and their order, case-sensitive symbols and your own recordings [fidelity: Chain data: requests › Symbols]", async () => {
  const mine = recordingsFile([
    explorerRecording(ONE_TOKEN, {
      items: [explorerItem({ value: "5" }), explorerItem()],
      next_page_params: null,
    }),
  ]);
  const sandbox = await startSandbox({
    chainData: { chains: [8453, 1], symbols: "exact", recordings: [mine] },
  });
  const { holdings, lookup } = dataOf(sandbox);
  expect(sourceOf(await holdings(COLLECTOR)).chain).toBe("8453");
  const chainsOf = async (query: string) => (await lookup(query)).body.data.map((it: Json) => it.chain_id);
  expect(await chainsOf("?symbol=USDC")).toEqual([1, 8453]);
  expect(await chainsOf("?symbol=USDC&chain_id=10"), "other chains can still be named").toEqual([10]);
  expect(await chainsOf("?symbol=usdc&chain_id=1")).toEqual([]);
  expect(await chainsOf("?symbol=usdc&symbol=USDC&chain_id=1")).toEqual([1]);
  expect((await holdings(ONE_TOKEN)).body.items).toHaveLength(2);
});

describe("generated holdings", () => {
  test('unknownAddresses: "generate" derives holdings from the seed and address, and leaves known addresses unchanged [fidelity: Chain data: requests › Unknown address]', async () => {
    const one = await startSandbox({ chainData: { unknownAddresses: "generate" } });
    const [same, other] = [
      await one.makeWorld({ name: "same" }),
      await one.makeWorld({ name: "other", seed: "another" }),
    ];
    const listOf = async (sandbox: ReturnType<typeof clientOf>, address: string) =>
      (await dataOf(sandbox).holdings(address)).body.items;
    const items = await listOf(one, STRANGER);
    expect(items.length).toBeGreaterThan(1);
    expect(await listOf(same, STRANGER)).toEqual(items);
    expect(await listOf(other, STRANGER)).not.toEqual(items);
    expect(await listOf(one, STRANGER.replace("11", "22"))).not.toEqual(items);
    expect(await listOf(one, ONE_TOKEN)).toHaveLength(1);
    expect(sourceOf(await dataOf(one).holdings("0x7d31a6feb852a67b85aee376c69d38d9414a3f5f")).chain).toBe(
      "8453",
    );

    await dataOf(one).provider("explorer-1", { state: "down" });
    await one.control("DELETE", "/data/cache");
    const indexed = await dataOf(one).holdings(STRANGER);
    expect(sourceOf(indexed).provider).toBe("indexer");
    expect(indexed.body.items.map((it: Json) => it.value)).toEqual(items.map((it: Json) => it.value));
  });
});

test.each([
  ["invalid JSON", "nope", /Cannot read the recordings in .*recorded\.json: .*JSON/],
  [
    "an object instead of a list",
    "{}",
    /Cannot read the recordings in .*recorded\.json: it is not a JSON array/,
  ],
  ["no scope", [{ path: "/x" }], /definition 0 has no scope and path/],
  [
    "an invalid URL",
    [explorerRecording(ONE_TOKEN, {}), { scope: "x", path: "/x" }],
    /definition 1 has no scope and path/,
  ],
])("the sandbox does not start if its recordings contain %s", async (_name, content, message) => {
  const starting = startSandbox({ chainData: { recordings: [recordingsFile(content)] } });
  await expect(starting).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringMatching(message),
    hint: expect.stringContaining("nock definitions"),
  });
});

test("a separate port serves chain data at its root", async () => {
  const port = await portOfItsOwn();
  const sandbox = await startSandbox({ ports: { data: port } });
  const alone = clientOf(`http://127.0.0.1:${port}`);
  const { status, body } = await alone.call("GET", "/insights/v1/tokens/lookup");
  expect({ status, error: body.error }).toEqual({
    status: 400,
    error: expect.stringMatching(/^symbol is missing/),
  });
  expect((await alone.call("GET", "/openapi.json")).body.servers).toEqual([{ url: `${sandbox.url}/data` }]);
});

test.each<[config: Record<string, unknown>, says: RegExp]>([
  [{ chains: [] }, /chainData\.chains must be a list of 1 to 55 unique chain ids/],
  [{ chains: [1, 1] }, /chainData\.chains/],
  [{ chains: [0] }, /chainData\.chains/],
  [{ chains: "1" }, /chainData\.chains/],
  [{ pageSize: 0 }, /chainData\.pageSize must be a whole number from 1 to 100/],
  [{ pageSize: 101 }, /chainData\.pageSize/],
  [{ symbols: "any" }, /chainData\.symbols must be one of any-case, exact/],
  [{ unknownAddresses: "random" }, /chainData\.unknownAddresses/],
  [{ timeout: "soon" }, /chainData\.timeout must be a duration/],
  [{ timeout: 0 }, /chainData\.timeout must be a duration of at least 1 ms/],
  [{ cache: { ttl: -1 } }, /chainData\.cache\.ttl/],
  [{ cache: { tll: 1 } }, /there is no field chainData\.cache\.tll/],
  [{ recordings: ["no/such/folder"] }, /chainData\.recordings\[0\] must be a file or folder that exists/],
  [{ upstream: { explorer: "example.com" } }, /chainData\.upstream\.explorer must be an http address/],
  [{ upstream: { indexer: "ftp://x" } }, /chainData\.upstream\.indexer must be an http address/],
  [{ upstream: { indexer: "https://x.example", headers: { "a b": "c" } } }, /chainData\.upstream\.headers/],
  [{ upstream: { indexer: "https://x.example", headers: { key: 1 } } }, /chainData\.upstream\.headers/],
  [{ upstream: { index: "https://x.example" } }, /there is no field chainData\.upstream\.index/],
  [{ cach: {} }, /there is no field chainData\.cach/],
])("the chain data configuration %j is rejected", (chainData, says) => {
  expect(() => resolveConfig({ chainData } as never, 0)).toThrow(says);
});
