import { expect, test } from "vitest";
import { dataOf, ONE_TOKEN, sharedData, sourceOf } from "../support/chain-data.ts";
import { expectRefusal } from "../support/control-errors.ts";
import { startSandbox } from "../support/sandbox.ts";

const sandbox = sharedData();
const { data } = sandbox;
const ask = () => data.holdings(ONE_TOKEN, "?chain_id=1");
const failures = async () =>
  (await sandbox.journal("upstream.failed")).map(({ data: { provider, status, reason } }) => ({
    provider,
    status,
    reason,
  }));

test.each([
  [{ state: "down" }, { status: null, reason: "connection_refused" }],
  [{ state: "error" }, { status: 503, reason: "status" }],
  [
    { state: "error", status: 500 },
    { status: 500, reason: "status" },
  ],
  [
    { state: "error", status: 429 },
    { status: 429, reason: "status" },
  ],
  [
    { state: "error", status: 401 },
    { status: 401, reason: "status" },
  ],
  [{ state: "garbage" }, { status: 200, reason: "invalid_json" }],
  [{ state: "slow" }, { status: null, reason: "timeout" }],
  [
    { state: "slow", latency: "10s" },
    { status: null, reason: "timeout" },
  ],
])(
  "a provider with the fault %j fails with the matching reason, without waiting in real time [fidelity: Chain data: providers and cache › Failure · Simulated › A slow provider]",
  async (change, expected) => {
    expect((await data.provider("explorer-1", change)).body).toMatchObject({
      name: "explorer-1",
      ...change,
      latency: expect.toBeOneOf([null, 30_000, 10_000]),
    });
    const begun = performance.now();
    expect(sourceOf(await ask()).provider).toBe("indexer");
    expect(performance.now() - begun).toBeLessThan(9_000);
    expect(await failures()).toEqual([{ provider: "explorer-1", ...expected }]);
  },
);

test("a 404 from a provider counts as an empty response, not as a failure [fidelity: Chain data: providers and cache › Empty answer]", async () => {
  await data.provider("explorer-1", { state: "error", status: 404 });
  expect(sourceOf(await ask()).provider).toBe("indexer");
  expect(await data.upstreamCalls()).toEqual(["explorer-1 empty", "indexer answered", "indexer empty"]);
});

test("a response delayed by less than the timeout is used", async () => {
  await data.provider("explorer-1", { state: "slow", latency: "250ms" });
  const begun = performance.now();
  expect(sourceOf(await ask()).provider).toBe("explorer-1");
  expect(performance.now() - begun).toBeGreaterThanOrEqual(240);
  const [call] = await sandbox.journal("upstream.answered");
  expect(call!.data.duration_ms).toBeGreaterThanOrEqual(240);
});

test("chainData.timeout sets the timeout of provider calls", async () => {
  const hasty = await startSandbox({ chainData: { timeout: "100ms" } });
  await dataOf(hasty).provider("explorer-1", { state: "slow", latency: 100 });
  const answer = await dataOf(hasty).holdings(ONE_TOKEN, "?chain_id=1");
  expect(sourceOf(answer).provider).toBe("indexer");
});

test("a provider's state can apply until it is changed, to a fixed number of calls, or to random calls", async () => {
  const provider = async () => {
    await sandbox.control("DELETE", "/data/cache");
    return sourceOf(await ask()).provider;
  };
  const round = async (count: number) => {
    const told = [];
    for (let index = 0; index < count; index += 1) told.push(await provider());
    return told;
  };
  await data.provider("explorer-1", { state: "down" });
  expect(await round(3)).toEqual(["indexer", "indexer", "indexer"]);
  expect((await data.provider("explorer-1", { state: "up" })).body).toMatchObject({ state: "up", asked: 0 });
  expect(await round(1)).toEqual(["explorer-1"]);
  await data.provider("explorer-1", { state: "error", times: 2 });
  expect(await round(4)).toEqual(["indexer", "indexer", "explorer-1", "explorer-1"]);
  await data.provider("explorer-1", { state: "error", rate: 0.5 });
  const drawn = await round(30);
  expect(drawn.filter((name) => name === "indexer").length).toBeGreaterThan(5);
  expect(drawn.filter((name) => name === "explorer-1").length).toBeGreaterThan(5);
});

test("a provider's state survives an advance and is cleared by a reset", async () => {
  await data.provider("indexer", { state: "garbage" });
  await sandbox.advance("40h");
  const stateOf = async (name: string) =>
    (await sandbox.control("GET", "/data/providers")).body.data.find(
      (it: { name: string }) => it.name === name,
    ).state;
  expect(await stateOf("indexer")).toBe("garbage");
  await sandbox.control("POST", "/reset", {});
  expect(await stateOf("indexer")).toBe("up");
});

test("the journal records each change of a provider's state", async () => {
  await data.provider("indexer", { state: "error", status: 500, times: 3 });
  await data.provider("indexer", { state: "up" });
  const changes = await sandbox.journal("provider.changed");
  expect(changes.map((entry) => entry.data)).toEqual([
    { provider: "indexer", state: "error", status: 500, times: 3 },
    { provider: "indexer", state: "up" },
  ]);
});

test("an invalid provider state is rejected", async () => {
  for (const change of [
    {},
    { state: "gone" },
    { state: "error", status: 200 },
    { state: "error", status: 600 },
    { state: "slow", times: 0 },
    { state: "slow", rate: 2 },
    { state: "down", colour: "red" },
  ])
    expectRefusal(await data.provider("indexer", change), 400, "bad_request", JSON.stringify(change));
  expectRefusal(await data.provider("indexer", { state: "slow", latency: "soon" }), 400, "invalid_duration");
  const missing = await data.provider("explorer-2", { state: "down" });
  expectRefusal(missing, 404, "not_found");
  expect(missing.body.error.hint).toContain("explorer-1, explorer-8453");
});
