import { describe, expect, test } from "vitest";
import { COLLECTOR, ONE_TOKEN, queryOf, sharedData, sourceOf, WHALE } from "../support/chain-data.ts";
import { rawCall } from "../support/raw-http.ts";
import type { Answer } from "../support/sandbox.ts";

const sandbox = sharedData();
const { data } = sandbox;

const LOOKUP = "/data/insights/v1/tokens/lookup";
const LISTING = `/data/explorer/addresses/${ONE_TOKEN}/tokens`;

/** Expects a 400 whose only key says what is wrong, and no request to a provider. */
async function expectRefused(answer: Answer, key: "error" | "message", ...says: string[]): Promise<void> {
  const seen = `${answer.status} ${answer.text.slice(0, 300)}`;
  expect(answer.status, seen).toBe(400);
  expect(answer.headers.get("content-type"), seen).toMatch(/^application\/json/);
  expect(Object.keys(answer.body), seen).toEqual([key]);
  for (const part of says) expect(answer.body[key], seen).toContain(part);
  expect(answer.body[key], seen).toMatch(/^\S.*\.$/s);
  expect(sourceOf(answer)).toMatchObject({ cache: "MISS", status: "sandglass; detail=not-asked", age: "0" });
  expect(await data.upstreamCalls()).toEqual([]);
}

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join("");

describe("token lookups [fidelity: Chain data › Lookup · Chain data: requests › Chain ids]", () => {
  test.each([
    ["a missing symbol", "", ["symbol is missing", "10"]],
    ["an empty symbol", "?symbol=", ["symbol is missing", "10"]],
    ["an empty symbol among others", "?symbol=USDC&symbol=", ["symbol is missing"]],
    ["symbols in brackets", "?symbol[]=USDC", ["symbol is missing"]],
    ["11 symbols", `?${times(11, (i) => `&symbol=S${i}`)}`, ["symbol", "10", "11"]],
    ["56 chains", `?symbol=USDC${times(56, (i) => `&chain_id=${i + 1}`)}`, ["chain_id", "55", "56"]],
    [
      "56 chains in the chain parameter",
      `?symbol=USDC${times(56, (i) => `&chain=${i + 1}`)}`,
      ["chain ", "55"],
    ],
    ...[
      "0",
      "-1",
      "1.5",
      "abc",
      String(2n ** 60n),
      "",
      "1e3",
      "0x1",
      "+1",
      " 1",
      "1,10",
      "NaN",
      "9".repeat(400),
    ].map((chain): [string, string, string[]] => [
      `chain '${chain.slice(0, 20)}'`,
      `?symbol=USDC&chain_id=1&chain_id=${encodeURIComponent(chain)}`,
      ["chain_id must be a whole number from 1 to 9007199254740991"],
    ]),
    ["an invalid chain in the chain parameter", "?symbol=USDC&chain=abc", ["chain must be a whole number"]],
  ])("a token lookup is rejected for %s", async (_name, query, says) => {
    await expectRefused(await data.lookup(query), "error", ...says);
  });

  test("a token lookup is rejected if the host names an invalid chain", async () => {
    for (const host of ["0.localhost", `${2n ** 60n}.localhost:4400`]) {
      const { status, text } = await rawCall(sandbox.url, "GET", `${LOOKUP}?symbol=USDC`, { host });
      expect(status, text).toBe(400);
      expect(JSON.parse(text).error).toContain("host's first label must be a whole number");
    }
  });
});

test("a token lookup accepts up to 10 symbols and 55 chains [fidelity: Chain data › Lookup]", async () => {
  const symbols = times(10, (i) => `&symbol=S${i}`);
  const chains = times(55, (i) => `&chain_id=${i + 10_000}`);
  expect((await data.lookup(`?${symbols}${chains}`)).body).toEqual({ data: [] });
});

describe("token listings [fidelity: Chain data › Listing · Chain data: requests › Address]", () => {
  test.each([
    ["a short address", ONE_TOKEN.slice(0, 41)],
    ["a long address", `${ONE_TOKEN}0`],
    ["an address without 0x", ONE_TOKEN.slice(2)],
    ["an address with a letter that is not hex", `${ONE_TOKEN.slice(0, 41)}g`],
    ["an ENS name", "vitalik.eth"],
    ["a number", "1"],
    ["a very long name", "a".repeat(499)],
    ["a line break after an address", `${ONE_TOKEN}%0A`],
    ["a NUL byte", "%00"],
    ["an emoji", "%F0%9F%98%80"],
  ])("a token listing is rejected for %s", async (_name, address) => {
    await expectRefused(
      await data.holdings(address),
      "message",
      "address_hash must match ^0x([A-Fa-f0-9]{40})$",
    );
  });

  test("a token listing is rejected for a path that cannot be decoded", async () => {
    for (const address of ["%", "%zz", "a".repeat(501)]) {
      const answer = await data.holdings(address);
      expect({ status: answer.status, keys: Object.keys(answer.body) }).toEqual({
        status: 400,
        keys: ["message"],
      });
      expect(answer.body.message).toContain("address_hash must match");
      expect(sourceOf(answer)).toMatchObject({
        cache: "MISS",
        status: "sandglass; detail=not-asked",
        age: "0",
      });
    }
  });

  test.each(["ERC-404", "erc20", "ERC-20;ERC-721", "[ERC-20", "ERC-20]", "[[ERC-20]]", "ERC-20,x", "null"])(
    "a token listing is rejected for the type %s [fidelity: Chain data: requests › Type filter]",
    async (type) => {
      const answer = await data.holdings(ONE_TOKEN, `?type=${encodeURIComponent(type)}`);
      await expectRefused(
        answer,
        "message",
        "type must be a comma-separated list of ERC-20, ERC-721, ERC-1155",
      );
    },
  );

  test.each(["0", "-1", "1.5", "abc", String(2n ** 60n), ""])(
    "a token listing is rejected for the chain '%s'",
    async (chain) => {
      await expectRefused(
        await data.holdings(ONE_TOKEN, `?chain_id=${chain}`),
        "message",
        "chain_id must be a whole number",
      );
      await expectRefused(
        await data.holdings(ONE_TOKEN, `?chain=${chain}`),
        "message",
        "chain must be a whole number",
      );
    },
  );

  test("a token listing is rejected for 56 chains", async () => {
    const chains = times(56, (i) => `&chain_id=${i + 1}`);
    await expectRefused(await data.holdings(ONE_TOKEN, `?${chains}`), "message", "chain_id", "55", "56");
  });

  test.each([
    ["items_count=50", "value is missing"],
    ["value=1", "items_count is missing"],
    ["token_type=ERC-20", "items_count is missing"],
    ["token_name=Coin", "items_count, value and token_type are missing"],
    ["items_count=50&value=1", "token_type is missing"],
    ["items_count=50&token_type=ERC-20", "value is missing"],
    ["items_count=&value=&token_type=", "items_count is missing"],
    ["items_count=-50&value=1&token_type=ERC-20", "items_count must be"],
    ["items_count=0&value=1&token_type=ERC-20", "items_count must be"],
    ["items_count=50.5&value=1&token_type=ERC-20", "items_count must be"],
    ["items_count=5e1&value=1&token_type=ERC-20", "items_count must be"],
    [`items_count=${"9".repeat(30)}&value=1&token_type=ERC-20`, "items_count must be"],
    ["items_count=50&value=-1&token_type=ERC-20", "value must be"],
    ["items_count=50&value=abc&token_type=ERC-20", "value must be"],
    ["items_count=50&value=null&token_type=ERC-20", "value must be"],
    ["items_count=50&value=NaN&token_type=ERC-20", "value must be"],
    ["items_count=50&value=0x10&token_type=ERC-20", "value must be"],
    ["items_count=50&items_count=100&value=1&token_type=ERC-20", "items_count is given more than once"],
    ["items_count=50&value=1&value=1&token_type=ERC-20", "value is given more than once"],
  ])("a token listing is rejected for the cursor %s", async (cursor, says) => {
    await expectRefused(
      await data.holdings(ONE_TOKEN, `?${cursor}`),
      "message",
      "The cursor is not valid",
      says,
    );
  });
});

describe("cursors [fidelity: Chain data: requests › Cursors]", () => {
  const expectLost = async (address: string, query: string) => {
    const answer = await data.holdings(address, query);
    expect(answer.status, `${query} ${answer.text.slice(0, 200)}`).toBe(400);
    expect(Object.keys(answer.body)).toEqual(["message"]);
    expect(answer.body.message).toMatch(
      /items_count \d+.*not a position in this listing.*omit them to start from the first page/,
    );
  };
  const nextOf = async (address: string, query = "") =>
    (await data.holdings(address, query)).body.next_page_params;

  test("a cursor is rejected if it is used with another address or filter", async () => {
    const next = queryOf(await nextOf(WHALE));
    await expectLost(COLLECTOR, `?${next}`);
    await expectLost(ONE_TOKEN, `?${next}`);
    await expectLost(WHALE, `?type=ERC-721&${next}`);
    await expectLost(WHALE, `?chain_id=10&${next}`);
  });

  test("a cursor is rejected if it mixes the values of two page walks or two pages", async () => {
    const next = await nextOf(WHALE);
    const other = await nextOf(COLLECTOR);
    const later = await nextOf(WHALE, `?${queryOf(next)}`);
    await expectLost(WHALE, `?${queryOf({ ...other, items_count: next.items_count })}`);
    await expectLost(WHALE, `?${queryOf({ ...next, items_count: later.items_count })}`);
    await expectLost(WHALE, `?${queryOf({ ...next, token_name: "Another filter's" })}`);
    await expectLost(WHALE, `?${queryOf({ ...next, token_type: "ERC-1155" })}`);
    await expectLost(WHALE, `?${queryOf({ ...next, value: next.value + 1e25 })}`);
  });

  test("a cursor is rejected if it points to the middle of a page, to the end of the list, or beyond it", async () => {
    const next = await nextOf(WHALE);
    for (const count of [1, 49, 51, 100_000, 568])
      await expectLost(WHALE, `?${queryOf({ ...next, items_count: count })}`);
    const { body } = await data.holdings(ONE_TOKEN);
    const [{ value, token }] = body.items;
    await expectLost(
      ONE_TOKEN,
      `?${queryOf({ items_count: 1, value, token_type: token.type, token_name: token.name })}`,
    );
  });
});

describe("unknown paths, methods and worlds [fidelity: Chain data: requests › Errors]", () => {
  test.each([
    "/data",
    "/data/",
    "/data/insights",
    "/data/insights/v2/tokens/lookup",
    "/data/explorer/addresses",
    "/data/x",
  ])("the unknown chain data path %s returns 404", async (path) => {
    const answer = await sandbox.call("GET", path);
    expect({ status: answer.status, keys: Object.keys(answer.body) }).toEqual({
      status: 404,
      keys: ["message"],
    });
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])(
    "the chain data API responds to %s with 405 and an Allow header",
    async (method) => {
      for (const [path, key] of [
        [`${LOOKUP}?symbol=USDC`, "error"],
        [LISTING, "message"],
      ] as const) {
        for (const body of [undefined, "{", { a: 1 }]) {
          const answer = await sandbox.call(method, path, body === undefined ? {} : { body });
          expect({ status: answer.status, keys: Object.keys(answer.body) }).toEqual({
            status: 405,
            keys: [key],
          });
          expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
        }
      }
    },
  );

  test("the chain data API returns 404 for an unknown world", async () => {
    const answer = await sandbox.call("GET", `/w/nowhere${LISTING}`);
    expect({ status: answer.status, keys: Object.keys(answer.body) }).toEqual({
      status: 404,
      keys: ["message"],
    });
    expect((await sandbox.call("GET", `/w/default${LISTING}`)).status).toBe(200);
  });
});

test("the chain data API allows every origin and exposes its headers [fidelity: Chain data: providers and cache › CORS]", async () => {
  const headers = { origin: "https://game.example", "access-control-request-method": "GET" };
  const preflight = await sandbox.call("OPTIONS", LISTING, { headers });
  expect(preflight.status).toBe(204);
  const answer = await data.holdings(ONE_TOKEN, "", { origin: "https://game.example" });
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-expose-headers")).toContain("X-Cache");
});

test("a fault on chain data returns errors in the format of each route", async () => {
  const fault = (spec: Record<string, unknown>) => sandbox.control("PUT", "/faults/data", spec);
  for (const status of [400, 404, 429, 500, 503]) {
    expect((await fault({ status })).status).toBe(200);
    for (const [path, key] of [
      [`${LOOKUP}?symbol=USDC`, "error"],
      [LISTING, "message"],
      ["/data/nowhere", "message"],
    ] as const) {
      const answer = await sandbox.call("GET", path);
      expect({ status: answer.status, keys: Object.keys(answer.body) }, path).toEqual({
        status,
        keys: [key],
      });
      expect(answer.headers.get("x-sandbox-fault")).toBe("api");
      expect(answer.headers.get("retry-after")).toBe(status === 429 ? "60" : null);
    }
  }
  await fault({ status: 503, match: "GET /insights/*" });
  expect((await data.lookup("?symbol=USDC")).status).toBe(503);
  expect((await data.holdings(ONE_TOKEN)).status).toBe(200);
  expect((await sandbox.control("DELETE", "/faults/data")).status).toBe(200);
  expect((await data.lookup("?symbol=USDC")).status).toBe(200);
});
