import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { chainDataArea } from "../../src/chain-data/area.ts";
import { dataOf, explorerItem, ONE_TOKEN, queryOf, sourceOf } from "../support/chain-data.ts";
import { listenForTest } from "../support/listen.ts";
import { startSandbox } from "../support/sandbox.ts";

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a real upstream on its own port, and a sandbox that calls it. */
async function startLive(answer: Answering, chainData: Record<string, unknown> = {}) {
  const asked: { url: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url!, headers: request.headers });
    answer(request, response);
  });
  const url = `http://127.0.0.1:${await listenForTest(server)}`;
  const upstream = {
    explorer: `${url}/{chain}/api/v2/`,
    indexer: `${url}/index`,
    headers: { "X-Key": "secret" },
  };
  const sandbox = await startSandbox({
    chainData: { timeout: "20s", chains: [1, 8453], upstream, ...chainData },
  });
  return { asked, url, sandbox, data: dataOf(sandbox) };
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const page = (...items: unknown[]) => ({ items, next_page_params: null });

test("configured upstreams are queried instead of recordings, with the configured headers [fidelity: Chain data: providers and cache › Providers]", async () => {
  const { asked, data, sandbox, url } = await startLive((request, response) => {
    if (request.url === `/1/api/v2/addresses/${ONE_TOKEN}/tokens`) return json(response, 404, {});
    if (request.url?.startsWith("/index/")) return json(response, 200, { data: [] });
    return json(response, 200, page(explorerItem()));
  });
  const answer = await data.holdings(ONE_TOKEN);
  expect(answer.body.items).toEqual([explorerItem()]);
  expect(sourceOf(answer)).toMatchObject({ provider: "explorer-8453", chain: "8453" });
  expect(asked.map((call) => call.url)).toEqual([
    `/1/api/v2/addresses/${ONE_TOKEN}/tokens`,
    `/index/v1/tokens?owner_address=${ONE_TOKEN}&chain_id=1&limit=100&page=0&metadata=true`,
    `/index/v1/nfts?owner_address=${ONE_TOKEN}&chain_id=1&limit=100&page=0`,
    `/8453/api/v2/addresses/${ONE_TOKEN}/tokens`,
  ]);
  expect(asked.every(({ headers }) => headers["x-key"] === "secret")).toBe(true);
  expect(sourceOf(await data.holdings(ONE_TOKEN)).cache).toBe("HIT");
  expect(asked).toHaveLength(4);
  const { data: providers } = (await sandbox.control("GET", "/data/providers")).body;
  expect(providers[1]).toMatchObject({ mode: "live", base_url: `${url}/8453/api/v2` });
  expect((await sandbox.control("GET", "/data/addresses")).body.data).toEqual([]);
});

test("a later upstream page is requested with the previous page's next_page_params", async () => {
  const { asked, data } = await startLive((request, response) => {
    const second = request.url!.includes("?");
    const next = second ? null : { fiat_value: null, id: 12, items_count: 50, name: "a b&c" };
    json(response, 200, { items: [explorerItem({ value: second ? "1" : "2" })], next_page_params: next });
  });
  expect((await data.holdings(ONE_TOKEN)).body.items).toHaveLength(2);
  expect(asked[1]!.url).toBe(
    `/1/api/v2/addresses/${ONE_TOKEN}/tokens?fiat_value=&id=12&items_count=50&name=a+b%26c`,
  );
});

test("a later page is served stale rather than empty if its provider no longer has rows [fidelity: Chain data: providers and cache › Page walk]", async () => {
  let items = [explorerItem({ value: "2" }), explorerItem({ value: "1" })];
  const { asked, data, sandbox } = await startLive(
    (_request, response) => json(response, 200, page(...items)),
    { pageSize: 1 },
  );
  const first = await data.holdings(ONE_TOKEN);
  const next = `?${queryOf(first.body.next_page_params)}`;
  const second = await data.holdings(ONE_TOKEN, next);
  await sandbox.advance("24h");
  items = [];
  const before = asked.length;
  const later = await data.holdings(ONE_TOKEN, next);
  expect(sourceOf(later)).toMatchObject({ cache: "STALE", provider: "explorer-1", chain: "1" });
  expect({ status: later.status, text: later.text }).toEqual({ status: 200, text: second.text });
  expect(asked.slice(before).map(({ url }) => url)).toEqual([`/1/api/v2/addresses/${ONE_TOKEN}/tokens`]);
});

test.each(["lookup", "holdings"] as const)(
  "twenty concurrent %s calls cause only one upstream call [fidelity: Chain data: providers and cache › Parallel requests]",
  async (resource) => {
    const held: ServerResponse[] = [];
    const { asked, data, sandbox } = await startLive((_request, response) => void held.push(response));
    const received = vi.spyOn(sandbox.sandbox.part(chainDataArea)[resource], "answer");
    const ask = () =>
      resource === "lookup"
        ? data.lookup("?symbol=USDC&chain_id=1")
        : data.holdings(ONE_TOKEN, "?chain_id=1");
    const asking = Array.from({ length: 20 }, ask);
    await expect.poll(() => [held.length, received.mock.calls.length]).toEqual([1, 20]);
    const token = { chain_id: 1, token_address: `0x${"a".repeat(40)}`, symbol: "USDC" };
    json(held[0]!, 200, resource === "lookup" ? { data: [token] } : page(explorerItem()));
    const answers = await Promise.all(asking);
    expect(asked).toHaveLength(1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map((answer) => sourceOf(answer).status).sort()).toEqual([
      "sandglass; fwd=miss; fwd-status=200; stored",
      ...Array(19).fill("sandglass; fwd=miss; fwd-status=200; stored; collapsed"),
    ]);
  },
);

test.each<[string, Answering, reason: string, timeout: string]>([
  ["does not respond in time", () => {}, "timeout", "300ms"],
  [
    "sends only half of its response",
    (_request, response) => void response.write('{"items": ['),
    "timeout",
    "300ms",
  ],
  ["closes the connection", (request) => void request.socket.destroy(), "unreachable", "20s"],
  [
    "redirects",
    (_request, response) => void response.writeHead(302, { location: "/" }).end(),
    "status",
    "20s",
  ],
  ["sends an endless body", (_request, response) => endless(response), "invalid_shape", "20s"],
])(
  "an upstream that %s counts as failed [fidelity: Chain data: providers and cache › Failure]",
  async (_name, answer, reason, timeout) => {
    const { data } = await startLive(answer, { timeout });
    const { status, body } = await data.holdings(ONE_TOKEN, "?chain_id=1");
    expect(status).toBe(500);
    expect(body.message).toContain("explorer-1");
    const [first] = await data.upstreamCalls();
    expect(first).toBe(`explorer-1 failed (${reason})`);
  },
);

function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024, " ");
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
}

test("a call to an upstream port without a listener fails with connection_refused", async () => {
  const sandbox = await startSandbox({
    chainData: { upstream: { explorer: "http://127.0.0.1:9/{chain}", indexer: "http://127.0.0.1:9" } },
  });
  expect((await dataOf(sandbox).lookup("?symbol=USDC&chain_id=1")).status).toBe(500);
  expect(await dataOf(sandbox).upstreamCalls()).toEqual([
    "indexer failed (connection_refused)",
    "explorer-1 failed (connection_refused)",
  ]);
});

test("a provider kind that is not configured is never queried", async () => {
  const { url, asked } = await startLive((_request, response) => json(response, 200, page(explorerItem())));
  const alone = await startSandbox({
    chainData: { chains: [8453, 1], upstream: { explorer: `${url}/only` } },
  });
  const { data: providers } = (await alone.control("GET", "/data/providers")).body;
  expect(
    providers.map(({ name }: { name: string }) => name),
    "of the first chain, without {chain}",
  ).toEqual(["explorer-8453"]);
  expect((await dataOf(alone).holdings(ONE_TOKEN)).body.items).toHaveLength(1);
  expect(asked.map((call) => call.url)).toEqual([`/only/addresses/${ONE_TOKEN}/tokens`]);
});

test("holdings set by the user and provider faults also apply to configured upstreams", async () => {
  const { asked, data } = await startLive((_request, response) => json(response, 200, page(explorerItem())));
  await data.hold(ONE_TOKEN, [{ value: "77", token: { address: ONE_TOKEN } }]);
  expect((await data.holdings(ONE_TOKEN)).body.items[0].value).toBe("77");
  expect(asked).toEqual([]);
  await data.provider("explorer-8453", { state: "down" });
  await data.holdings(`0x${"7".repeat(40)}`, "?chain_id=8453");
  expect(asked.map((call) => call.url.split("/")[1])).toEqual(["index"]);
});
