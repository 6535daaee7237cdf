import http from "node:http";
import nock from "nock";
import { afterEach, expect, test } from "vitest";
import { ONE_TOKEN, STRANGER, sharedData, sourceOf } from "../support/chain-data.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startShop } from "../support/webhooks.ts";

/** Simulates a user's own nock, in the same process as the sandbox. */
const sandbox = sharedData({ settleTimeout: "20s" });
const { data } = sandbox;
const seen: string[] = [];
nock.emitter.on("no match", (...values: unknown[]) => {
  const [first] = values as [{ host?: string; hostname?: string; path?: string }];
  seen.push(`${first.hostname ?? first.host}${first.path ?? ""}`);
});

afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
  seen.length = 0;
});

const throughHttp = (url: string) =>
  new Promise<string>((resolve, reject) => {
    http
      .request(url, (response) => {
        response.setEncoding("utf8");
        let text = "";
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve(text));
      })
      .on("error", reject)
      .end();
  });

test("the sandbox does not disable nock in a test, and nock sees none of the sandbox's own requests", async () => {
  const { fetch: userFetch } = globalThis;
  const mine = nock("http://api.example").get("/a").reply(200, "mine").get("/b").reply(200, "mine, too");
  // This interceptor would respond instead of the recordings if nock intercepted the sandbox's calls.
  const trap = nock("https://1.explorer.example")
    .persist()
    .get(/.*/)
    .reply(200, { items: [], next_page_params: null });
  nock("https://indexer.example").persist().get(/.*/).reply(200, { data: [] });
  nock.disableNetConnect();
  nock.enableNetConnect("127.0.0.1");

  const [answer, lookup] = await Promise.all([
    data.holdings(ONE_TOKEN),
    data.lookup("?symbol=USDC&chain_id=1"),
  ]);
  expect(answer.body.items).toHaveLength(1);
  expect(sourceOf(answer).provider).toBe("explorer-1");
  expect(lookup.body.data).toHaveLength(1);
  await data.hold(STRANGER, [{ token: { address: STRANGER } }]);
  expect((await data.holdings(STRANGER)).body.items).toHaveLength(1);

  expect(nock.isActive()).toBe(true);
  expect(globalThis.fetch).toBe(userFetch);
  expect(trap.isDone(), "the trap was not asked").toBe(false);
  expect(mine.pendingMocks()).toHaveLength(2);
  expect(await throughHttp("http://api.example/a")).toBe("mine");
  expect(await (await fetch("http://api.example/b")).text()).toBe("mine, too");
  expect(mine.isDone()).toBe(true);
  await expect(fetch("http://elsewhere.example/")).rejects.toThrow();
  expect(seen.filter((url) => /(?:explorer|indexer)\.example/.test(url))).toEqual([]);
});

test("the sandbox does not activate nock if a test has deactivated it", async () => {
  nock.restore();
  try {
    expect((await data.holdings(ONE_TOKEN)).body.items).toHaveLength(1);
    expect(nock.isActive()).toBe(false);
  } finally {
    nock.activate();
  }
});

test("nock records none of the sandbox's own requests in a test", async () => {
  nock.restore();
  nock.recorder.rec({ dont_print: true, output_objects: true });
  try {
    expect((await data.holdings(ONE_TOKEN)).status).toBe(200);
    const recorded = nock.recorder.play() as { scope: string }[];
    expect(recorded.map(({ scope }) => scope).filter((scope) => /example/.test(scope))).toEqual([]);
  } finally {
    nock.recorder.clear();
    nock.restore();
    nock.activate();
  }
});

test("a delivery sent during a provider call bypasses both the test's nock and the sandbox's own nock", async () => {
  const subscriber = await startSubscriber();
  nock("http://127.0.0.1").persist().post(/.*/).reply(500);
  const shop = await startShop(sandbox as never, subscriber.url);
  const [answer] = await Promise.all([data.holdings(ONE_TOKEN, "?chain_id=1"), shop.pay()]);
  await subscriber.arrived(1);
  expect(answer.body.items).toHaveLength(1);
  expect(subscriber.received).toHaveLength(1);
  expect((await sandbox.deliveries(shop.webhook.id)).map(({ status }) => status)).toEqual(["success"]);
});
