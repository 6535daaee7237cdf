import { describe, expect, test } from "vitest";
import {
  COLLECTOR,
  dataOf,
  explorerItem,
  HUNDRED,
  NOBODY,
  ONE_TOKEN,
  queryOf,
  rowsOf,
  STRANGER,
  sharedData,
  sourceOf,
  TWINS,
  WHALE,
} from "../support/chain-data.ts";
import { rawCall } from "../support/raw-http.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";

const sandbox = sharedData();
const { data } = sandbox;

const named = ({ token, token_id: id }: Json) => `${token.address} ${id}`;
const typesOf = (rows: Json[]) => [...new Set(rows.map(({ token }) => token.type))].sort();

test("a listing of more than 500 rows is split into pages of 50, with each row listed once and the largest value first [fidelity: Chain data › Listing · Chain data: requests › Page size · Chain data: requests › Next page]", async () => {
  const pages = await data.walk(WHALE);
  const rows = rowsOf(pages);
  expect(rows.length).toBeGreaterThan(500);
  expect(pages.slice(0, -1).every(({ body }) => body.items.length === 50)).toBe(true);
  expect(new Set(rows.map(named)).size).toBe(rows.length);
  for (const [index, row] of rows.entries())
    if (index > 0) expect(BigInt(row.value) <= BigInt(rows[index - 1].value), `row ${index}`).toBe(true);
  for (const [index, { body }] of pages.slice(0, -1).entries()) {
    const last = body.items.at(-1);
    expect(body.next_page_params).toEqual({
      items_count: 50 * (index + 1),
      token_name: last.token.name,
      token_type: last.token.type,
      value: Number(last.value),
    });
  }
});

test("rows with the same value, type and name are each listed once", async () => {
  const rows = rowsOf(await data.walk(TWINS, "?chain_id=8453"));
  expect(rows).toHaveLength(120);
  expect(new Set(rows.map(named)).size).toBe(120);
});

test("a full last page has no next page [fidelity: Chain data: requests › Next page]", async () => {
  const pages = await data.walk(HUNDRED, "?chain_id=10");
  expect(pages.map(({ body }) => body.items.length)).toEqual([50, 50]);
});

test("an address without holdings or without a recording has no items [fidelity: Chain data: requests › Unknown address]", async () => {
  for (const address of [NOBODY, STRANGER]) {
    const answer = await data.holdings(address);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { items: [], next_page_params: null },
    });
  }
});

test("an address is accepted in upper or lower case [fidelity: Chain data: requests › Address]", async () => {
  const lower = await data.holdings(ONE_TOKEN);
  const upper = await data.holdings(`0x${ONE_TOKEN.slice(2).toUpperCase()}`);
  expect(sourceOf(upper).cache).toBe("HIT");
  expect(upper.text).toBe(lower.text);
  expect((await data.holdings(`0X${ONE_TOKEN.slice(2)}`)).status).toBe(400);
});

test("tokens of every kind have the fields that the contract specifies [fidelity: Chain data: requests › ERC-721]", async () => {
  const rows = rowsOf(await data.walk(COLLECTOR, "?chain_id=1"));
  const kinds = new Set(
    rows.map(({ token, token_id: id }) => `${token.type} ${id === null ? "all" : "one"}`),
  );
  expect([...kinds].sort()).toEqual(["ERC-1155 one", "ERC-20 all", "ERC-721 all", "ERC-721 one"]);
  for (const { value, token_id: id, token, token_instance: instance } of rows) {
    expect(value).toMatch(/^\d+$/);
    expect(instance === null, "an instance for each single token").toBe(id === null);
    if (instance === null) continue;
    expect(instance.id).toBe(id);
    expect(instance.is_unique).toBe(token.type === "ERC-721");
    expect(instance.owner === null).toBe(token.type !== "ERC-721");
    if (instance.token.holders !== null) expect(instance.token.holders).toBeTypeOf("string");
    if (token.holders !== null) expect(token.holders).toBeTypeOf("number");
  }
});

describe("type filter [fidelity: Chain data › Listing · Chain data: requests › Type filter]", () => {
  const KEPT: [type: string, kept: string[]][] = [
    ["ERC-20", ["ERC-20"]],
    ["erc-721", ["ERC-721"]],
    ["ERC-20,ERC-1155", ["ERC-1155", "ERC-20"]],
    ["[ERC-20,ERC-721]", ["ERC-20", "ERC-721"]],
    ["[erc-1155]", ["ERC-1155"]],
    [" ERC-20 , ERC-721 ", ["ERC-20", "ERC-721"]],
    ["ERC-20&type=ERC-721", ["ERC-20", "ERC-721"]],
    ["", ["ERC-1155", "ERC-20", "ERC-721"]],
    ["[]", ["ERC-1155", "ERC-20", "ERC-721"]],
  ];
  test("the type filter returns only rows of the given types, no matter how the types are spelled", async () => {
    const all = rowsOf(await data.walk(COLLECTOR, "?chain_id=1"));
    for (const [type, kept] of KEPT) {
      const rows = rowsOf(await data.walk(COLLECTOR, `?chain_id=1&type=${type}`));
      expect(typesOf(rows), type).toEqual(kept);
      expect(rows, type).toEqual(all.filter(({ token }) => kept.includes(token.type)));
    }
  });

  test("the type filter ignores the order and case of its types", async () => {
    await data.holdings(COLLECTOR, "?type=ERC-721,ERC-20");
    expect(sourceOf(await data.holdings(COLLECTOR, "?type=[erc-20,erc-721,ERC-20]")).cache).toBe("HIT");
  });
});

describe("page cursors", () => {
  test("a cursor treats an absent, empty and null name as equal, and accepts any spelling of a number [fidelity: Chain data: requests › Next page]", async () => {
    const value = "1000000000000000000000000000";
    const items = Array.from({ length: 60 }, (_, index) =>
      explorerItem({ value }, { name: null, address: `0x${String(index).padStart(40, "0")}` }),
    );
    await data.hold(STRANGER, items);
    const { next_page_params: next } = (await data.holdings(STRANGER)).body;
    expect(next).toEqual({ items_count: 50, token_name: null, token_type: "ERC-20", value: 1e27 });
    const pages = new Set<string>();
    for (const name of ["", "&token_name=", "&token_name=null"])
      for (const number of ["1e%2B27", "1e+27", "1E27", value]) {
        const query = `?items_count=50&token_type=ERC-20&value=${number}${name}`;
        const page = await data.holdings(STRANGER, query);
        expect(page.status, query).toBe(200);
        pages.add(page.text);
      }
    expect(pages.size).toBe(1);
  });

  test("a cursor works with a name that needs percent-encoding", async () => {
    const items = Array.from({ length: 51 }, (_, index) =>
      explorerItem({}, { name: "A & B + 100% ❤️", address: `0x${String(index).padStart(40, "0")}` }),
    );
    await data.hold(STRANGER, items);
    const pages = await data.walk(STRANGER);
    expect(pages.map(({ body }) => body.items.length)).toEqual([50, 1]);
  });

  test("a cursor returns the same page with an equivalent filter [fidelity: Chain data: requests › Cursors]", async () => {
    const [first, second] = await data.walk(WHALE);
    const next = queryOf(first!.body.next_page_params);
    for (const same of ["chain_id=1", "type=ERC-20,ERC-721,ERC-1155"])
      expect((await data.holdings(WHALE, `?${same}&${next}`)).text).toBe(second!.text);
  });

  test("a cursor returns the same page regardless of the order of its keys", async () => {
    const [first, second] = await data.walk(WHALE);
    const keys = Object.entries(first!.body.next_page_params).reverse();
    const answer = await data.holdings(WHALE, `?${queryOf(Object.fromEntries(keys))}`);
    expect(answer.text).toBe(second!.text);
  });
});

test("a host name that starts with a chain id, like 8453.localhost, selects the chain", async () => {
  const path = `/data/explorer/addresses/${COLLECTOR}/tokens`;
  const { headers } = await rawCall(sandbox.url, "GET", path, { host: "8453.localhost:4400" });
  expect(headers["x-sandbox-chain"]).toBe("8453");
});

test("chainData.pageSize sets the page size [fidelity: Chain data: requests › Page size]", async () => {
  const small = await startSandbox({ chainData: { pageSize: 7 } });
  const pages = await dataOf(small).walk(TWINS, "?chain_id=8453");
  expect(pages.map(({ body }) => body.items.length)).toEqual([...Array(17).fill(7), 1]);
});
