import nock from "nock";
import { afterAll, describe, expect, test } from "vitest";
import addresses from "../../fixtures/chain-data/addresses.json" with { type: "json" };
import chains from "../../fixtures/chain-data/chains.json" with { type: "json" };
import type { Definition } from "../../fixtures/chain-data/make/definition.ts";
import tokens from "../../fixtures/chain-data/tokens.json" with { type: "json" };
import { FILES, text } from "./recordings.ts";

const NATIVE = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

type Json = Record<string, unknown>;
interface Recorded extends Omit<Definition, "response"> {
  response: { items?: Item[]; data?: Json[]; next_page_params?: Json | null };
}
interface Item {
  value: string;
  token_id: string | null;
  token: Json & { type: string; address: string };
  token_instance:
    | (Json & { is_unique: boolean; owner: Json | null; token: Json; metadata: Json | null })
    | null;
}
const read = (file: string) => JSON.parse(text(file)) as Recorded[];
const ALL = FILES.flatMap(read);
const indexer = read("indexer.json");
const addressOf = (name: string) => addresses.find((one) => one.name === name)!.address;
const listing = (chain: number, name: string) =>
  read(`explorer-${chain}.json`).filter(({ path }) => path.includes(`/addresses/${addressOf(name)}/`));
const itemsOf = (pages: Recorded[]) => pages.flatMap(({ response }) => response.items!);
const ITEMS = itemsOf(ALL.filter(({ path }) => path.includes("/addresses/")));
const owned = (kind: "tokens" | "nfts", chain: number, name: string) =>
  indexer.filter(({ path }) =>
    path.startsWith(`/v1/${kind}?owner_address=${addressOf(name)}&chain_id=${chain}&limit=100&page=`),
  );
const lookups = indexer.filter(({ path }) => path.startsWith("/v1/tokens/lookup?"));
const ENTRIES = lookups.flatMap(({ response }) => response.data!);
const places = chains.flatMap(({ id }) => addresses.map(({ name }) => ({ id, name })));

afterAll(() => nock.restore());

describe("the shipped recordings", () => {
  test("the shipped recordings consist of one file per chain and one for the indexer, under 3 MB in total", () => {
    expect([...FILES].sort()).toEqual(
      [...chains.map(({ id }) => `explorer-${id}.json`), "indexer.json"].sort(),
    );
    expect(FILES.reduce((sum, file) => sum + Buffer.byteLength(text(file)), 0)).toBeLessThan(3_000_000);
  });

  test("nock can define and replay the shipped recordings, including unusual symbols and empty parameters", async () => {
    const odd = ALL.filter(({ path }) => /[?&=](%|.*fiat_value=&)|USD%2B/.test(path)).slice(0, 25);
    expect(odd.some(({ path }) => path.includes("fiat_value=&"))).toBe(true);
    expect(odd.some(({ path }) => path.includes("%24Reach"))).toBe(true);
    // An earlier test file of this worker may have reverted the patches that nock makes when it is imported.
    if (!nock.isActive()) nock.activate();
    nock.define(ALL as unknown as nock.Definition[]);
    for (const { scope, path, response } of odd) {
      const answer = await fetch(`${scope}${path}`);
      expect(await answer.json()).toEqual(response);
    }
    nock.cleanAll();
  });

  test("the shipped recordings do not mention any real company", () => {
    const urls = JSON.stringify(ALL).match(/(?:https?|ipfs|ar|wss?):\/\/[^/"\s]+/g)!;
    for (const url of new Set(urls))
      expect(url).toMatch(/^(ipfs:\/\/bafybei[a-z2-7]{52}|https:\/\/[^/]*\.example(:443)?)$/);
  });
});

describe("recorded lookups", () => {
  test("the shipped recordings contain one lookup per symbol across all chains, with every token exactly once", () => {
    const over = chains.map(({ id }) => `&chain_id=${id}`).join("");
    for (const { path } of lookups)
      expect(path).toMatch(new RegExp(`^/v1/tokens/lookup\\?symbol=[^&]+${over}$`));
    const asked = lookups.map(({ path }) =>
      new URLSearchParams(path.split("?")[1]).get("symbol")!.toLowerCase(),
    );
    expect(new Set(asked).size).toBe(lookups.length);
    const found = ENTRIES.map(({ chain_id, token_address }) => `${chain_id} ${token_address}`);
    expect(new Set(found).size).toBe(found.length);
    for (const { id } of chains) expect(found).toContain(`${id} ${NATIVE}`);
  });

  test("the recorded lookups include symbols that only the explorers know", () => {
    const empty = lookups.filter(({ response }) => response.data!.length === 0);
    expect(empty.length).toBeGreaterThan(0);
    for (const { path } of empty) {
      const symbol = new URLSearchParams(path.split("?")[1]).get("symbol")!;
      const { chain_id } = tokens.find((token) => token.symbol === symbol)!;
      const found = read(`explorer-${chain_id}.json`).find(
        (one) => one.path === `/api/v2/tokens?q=${symbol}&type=ERC-20`,
      );
      expect(found!.response.items!.length).toBeGreaterThan(0);
    }
  });

  test("the recorded lookups include each optional field and each market number both with and without a value", () => {
    for (const key of ["name", "decimals", "price_data"])
      expect(kinds(ENTRIES, key), key).toEqual([true, true]);
    const prices = ENTRIES.flatMap(({ price_data }) => (price_data ? [price_data as Json] : []));
    for (const key of [
      "price_usd",
      "usd_value",
      "volume_24h_usd",
      "market_cap_usd",
      "circulating_supply",
      "total_supply",
      "percent_change_24h",
      "price_timestamp",
    ]) {
      expect(kinds(prices, key), key).toEqual([true, true]);
    }
  });
});

describe("recorded listings", () => {
  test("each page of a recorded listing points to the next page, as an explorer's pages do", () => {
    for (const { id, name } of places) {
      const pages = listing(id, name);
      let path = `/api/v2/addresses/${addressOf(name)}/tokens`;
      let count = 0;
      for (const [position, page] of pages.entries()) {
        const { items, next_page_params: next } = page.response;
        count += items!.length;
        expect(page.path).toBe(path);
        expect(next === null).toBe(position === pages.length - 1);
        if (!next) continue;
        expect(Object.keys(next)).toEqual(["fiat_value", "id", "items_count", "value"]);
        expect(next).toMatchObject({ items_count: count, value: items!.at(-1)!.value });
        expect(items).toHaveLength(50);
        const query = Object.entries(next).map(([key, value]): [string, string] => [
          key,
          String(value ?? ""),
        ]);
        path = `${path.split("?")[0]}?${new URLSearchParams(query)}`;
      }
    }
  });

  test.each([
    ["whale", 1, 568, 12],
    ["collector", 1, 123, 3],
    ["hundred", 10, 100, 2],
    ["twins", 8453, 120, 3],
    ["one-token", 1, 1, 1],
    ["nobody", 1, 0, 1],
    ["base-only", 1, 0, 0],
    ["late-chain", 34443, 8, 1],
  ])("the recording for %s on chain %i has %i row(s) on %i page(s)", (name, chain, rows, count) => {
    const pages = listing(chain, name);
    expect({ rows: itemsOf(pages).length, count: pages.length }).toEqual({ rows, count });
  });

  test("each unique token in the shipped recordings has one owner", () => {
    const owners = new Map<string, unknown>();
    for (const { response } of indexer.filter(({ path }) => path.startsWith("/v1/nfts?"))) {
      for (const { chain_id, contract_address, token_id, token_type, owner_addresses } of response.data!) {
        const key = `${chain_id} ${contract_address} ${token_id}`;
        if (token_type === "erc721") expect(owners.get(key) ?? owner_addresses, key).toEqual(owner_addresses);
        if (token_type === "erc721") owners.set(key, owner_addresses);
      }
    }
    for (const { token, token_id, token_instance } of ITEMS) {
      const key = `${token.address} ${token_id}`;
      if (!token_instance) continue;
      const owner = token_instance.owner?.hash ?? null;
      expect(owners.has(key) ? owners.get(key) : owner, key).toBe(owner);
      owners.set(key, owner);
    }
  });

  test("the recorded listings include every field with a value and, where allowed, with null", () => {
    const instances = ITEMS.map(({ token_instance }) => token_instance).filter((one) => one !== null);
    const owners = instances.map(({ owner }) => owner).filter((one) => one !== null);
    const metadata = instances.map((one) => one.metadata).filter((one) => one !== null);
    const summary = "name? decimals? symbol? address type holders? exchange_rate? total_supply?";
    check(ITEMS, "value token_id? token token_instance?");
    check(
      ITEMS.map(({ token }) => token),
      summary,
    );
    check(
      instances,
      "is_unique id owner? token holder_address_hash? image_url? animation_url? external_app_url? metadata?",
    );
    check(
      instances.map(({ token }) => token),
      `${summary} circulating_market_cap? icon_url?`,
    );
    check(
      owners,
      "hash implementation_name? name? is_contract private_tags watchlist_names public_tags is_verified? ens_domain_name? metadata?",
    );
    check(
      owners.map((owner) => owner.metadata).filter((one) => one !== null),
      "slug name tagType ordinal meta",
    );
    check(metadata, "year? tags? name? image_url? home_url? external_url? description? attributes?");
    for (const key of ["private_tags", "public_tags", "watchlist_names"]) {
      const lists = owners.map((owner) => owner[key] as Json[]);
      expect(lists.some((list) => list.length > 0) && lists.some((list) => list.length === 0), key).toBe(
        true,
      );
    }
    expect(owners.some((owner) => owner.is_contract) && owners.some((owner) => !owner.is_contract)).toBe(
      true,
    );
  });

  test("the recorded balances exceed 2^53, and some of them collide when parsed as JSON numbers", () => {
    const values = new Set(itemsOf(listing(8453, "twins")).map(({ value }) => value));
    expect(new Set([...values].map(Number)).size).toBeLessThan(values.size);
    expect(ITEMS.some(({ value }) => BigInt(value) > 10n ** 27n)).toBe(true);
  });
});

describe("recorded indexer responses", () => {
  test("the recorded indexer returns the same balances as the explorers", () => {
    for (const { id, name } of places) {
      const balances = new Map<string, unknown>();
      for (const { response } of owned("tokens", id, name)) {
        for (const { token_address, balance } of response.data!)
          balances.set(`${token_address} null`, balance);
      }
      for (const { response } of owned("nfts", id, name)) {
        for (const nft of response.data!)
          balances.set(`${nft.contract_address} ${nft.token_id}`, nft.balance);
      }
      for (const { token, token_id, value } of itemsOf(listing(id, name))) {
        const address = token.address.toLowerCase();
        if (token.type === "ERC-721" && token_id === null) {
          const single = [...balances.keys()].filter((key) => key.startsWith(`${address} `)).length;
          expect(single).toBe(Number(value) > 12 ? 0 : Number(value));
        } else expect(balances.get(`${address} ${token_id}`)).toBe(value);
      }
    }
  });
});

/** Whether some objects have the field, and whether some lack it or contain null. */
function kinds(list: readonly Json[], key: string): boolean[] {
  return [list.some((one) => (one[key] ?? null) !== null), list.some((one) => (one[key] ?? null) === null)];
}

/**
 * Checks objects against a list of their keys. If a key has a question mark, its value must be null in at least one
 * object; the values of all other keys must never be null.
 */
function check(list: readonly unknown[], fields: string): void {
  const keys = fields.split(" ");
  const objects = list as Json[];
  for (const one of objects)
    expect(Object.keys(one).sort()).toEqual(keys.map((key) => key.replace("?", "")).sort());
  for (const key of keys)
    expect(kinds(objects, key.replace("?", "")), key).toEqual([true, key.endsWith("?")]);
}
