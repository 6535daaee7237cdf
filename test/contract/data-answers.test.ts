import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { dataOf, ONE_TOKEN, queryOf, sharedData, WHALE } from "../support/chain-data.ts";
import { contractOf, fieldNames, operationsOf } from "../support/openapi.ts";
import type { Answer, Json } from "../support/sandbox.ts";

/** Checks that responses match the OpenAPI document: every status and every property must be documented. */

const LOOKUP = "/insights/v1/tokens/lookup";
const LISTING = "/explorer/addresses/{address_hash}/tokens";

const sandbox = sharedData();
const { data } = sandbox;
let contract: ReturnType<typeof contractOf>;
let document: Json;
beforeAll(async () => {
  document = (await sandbox.call("GET", "/data/openapi.json")).body;
  contract = contractOf(document);
});
const lookup = async (query: string): Promise<Json> =>
  contract.check("GET", LOOKUP, await data.lookup(query));
const listing = (answer: Answer): Json => contract.check("GET", LISTING, answer);

test("listings of every recorded address match the OpenAPI document, from explorers and the indexer [fidelity: Chain data › Shapes]", async () => {
  const { data: known } = (await sandbox.control("GET", "/data/addresses")).body;
  const met: Json[] = [];
  for (const state of ["up", "down"]) {
    // When the explorer is down, the responses do not depend on the address, so a few are enough.
    for (const { address, chain_id: chain } of state === "up" ? known : known.slice(0, 4)) {
      await data.provider(`explorer-${chain}`, { state });
      await sandbox.control("DELETE", "/data/cache");
      for (const page of await data.walk(address, `?chain_id=${chain}`)) met.push(listing(page));
    }
  }
  const fields = Object.values<Json>(document.components.schemas).flatMap((schema) =>
    Object.keys(schema.properties),
  );
  const named = fieldNames(met);
  const unmet = fields.filter((field) => !named.has(field));
  expect(unmet.filter((field) => !["data", "error", "message", ...LOOKUP_FIELDS].includes(field))).toEqual(
    [],
  );
});

const LOOKUP_FIELDS = [
  ...[
    "chain_id",
    "token_address",
    "price_data",
    "price_usd",
    "usd_value",
    "volume_24h_usd",
    "market_cap_usd",
  ],
  ...["circulating_supply", "percent_change_24h", "price_timestamp"],
];

test("lookups of every recorded symbol match the OpenAPI document, from the indexer and explorers [fidelity: Chain data › Shapes]", async () => {
  const file = new URL("../../fixtures/chain-data/tokens.json", import.meta.url);
  const tokens = JSON.parse(readFileSync(file, "utf8")) as { symbol: string }[];
  const symbols = [...new Set(tokens.map(({ symbol }) => symbol))];
  const met: Json[] = [];
  for (const state of ["up", "down"]) {
    await data.provider("indexer", { state });
    await sandbox.control("DELETE", "/data/cache");
    for (let from = 0; from < (state === "up" ? symbols.length : 10); from += 10) {
      const names = symbols.slice(from, from + 10).map((symbol) => `symbol=${encodeURIComponent(symbol)}`);
      const body = await lookup(`?${names.join("&")}`);
      expect(body.data.length).toBeGreaterThan(0);
      met.push(body);
    }
  }
  const named = fieldNames(met);
  expect(LOOKUP_FIELDS.filter((field) => !named.has(field))).toEqual([]);
  expect(symbols.length).toBeGreaterThanOrEqual(60);
});

test("all error responses from the chain data API match its OpenAPI document", async () => {
  contract.check("GET", LOOKUP, await sandbox.call("POST", `/data${LOOKUP}`, { body: {} }));
  listing(await sandbox.call("DELETE", `/data${LISTING.replace("{address_hash}", ONE_TOKEN)}`));
  await lookup("");
  await lookup("?symbol=USDC&chain_id=0");
  listing(await data.holdings("me.eth"));
  listing(await data.holdings(ONE_TOKEN, "?items_count=1"));
  await data.provider("indexer", { state: "down" });
  await data.provider("explorer-1", { state: "garbage" });
  expect((await lookup("?symbol=USDC&chain_id=1")).error).toBeTypeOf("string");
  expect(listing(await data.holdings(ONE_TOKEN, "?chain_id=1")).message).toBeTypeOf("string");
  expect([...contract.seen].sort()).toEqual(
    operationsOf(document)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  );
});

test("the OpenAPI document declares each cursor key as a parameter of the right type", async () => {
  const { next_page_params: next } = (await dataOf(sandbox).holdings(WHALE)).body;
  const { parameters } = document.paths[LISTING].get;
  for (const [key, value] of Object.entries(next)) {
    const { schema } = parameters.find((one: Json) => one.name === key && one.in === "query");
    expect(schema.type, key).toBe(
      Number.isInteger(value) && key === "items_count" ? "integer" : typeof value,
    );
  }
  listing(await data.holdings(WHALE, `?${queryOf(next)}`));
});
