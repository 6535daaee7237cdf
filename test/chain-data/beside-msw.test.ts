import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ONE_TOKEN, sharedData, sourceOf } from "../support/chain-data.ts";

/** Simulates a user's own msw, in the same process as the sandbox. */
const sandbox = sharedData();
const { data } = sandbox;
const seen: string[] = [];
const server = setupServer(
  http.get("https://api.example/hello", () => HttpResponse.json({ from: "msw" })),
  // This handler would respond instead of the recordings if msw intercepted the sandbox's calls.
  http.get("https://1.explorer.example/*", () => HttpResponse.json({ items: [], next_page_params: null })),
  http.get("https://indexer.example/*", () => HttpResponse.json({ data: [] })),
);
server.events.on("request:start", ({ request }) => void seen.push(request.url));

beforeAll(() => server.listen({ onUnhandledFrame: "bypass" }));
afterEach(() => void seen.splice(0));
afterAll(() => server.close());

test("the sandbox does not disable msw in a test, and msw sees none of the sandbox's own requests", async () => {
  const { fetch: patched } = globalThis;
  const [answer, lookup] = await Promise.all([
    data.holdings(ONE_TOKEN),
    data.lookup("?symbol=USDC&chain_id=1"),
  ]);
  expect(sourceOf(answer).provider).toBe("explorer-1");
  expect(answer.body.items).toHaveLength(1);
  expect(lookup.body.data).toHaveLength(1);

  expect(globalThis.fetch).toBe(patched);
  expect(await (await fetch("https://api.example/hello")).json()).toEqual({ from: "msw" });
  expect(server.listHandlers()).toHaveLength(3);
  expect(seen.filter((url) => !url.startsWith(sandbox.url))).toEqual(["https://api.example/hello"]);
});

test("msw can intercept a test's own calls to the sandbox", async () => {
  server.use(http.get(`${sandbox.url}/data/explorer/*`, () => HttpResponse.json({ from: "msw" })));
  // msw intercepts this call to fetch.
  const answer = await fetch(`${sandbox.url}/data/explorer/addresses/${ONE_TOKEN}/tokens`);
  expect(await answer.json()).toEqual({ from: "msw" });
  server.resetHandlers();
  expect((await data.holdings(ONE_TOKEN)).body.items).toHaveLength(1);
});
