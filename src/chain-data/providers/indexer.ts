import type { AddressToken, InstanceMetadata, PriceData, TokenLookup, TokenSummary } from "../schemas.ts";
import { type Get, type Provider, walk } from "./provider.ts";
import {
  digits,
  fieldsOf,
  hexAddress,
  InvalidShape,
  integer,
  knownFields,
  listOf,
  number,
  object,
  orNull,
  type Reader,
  text,
} from "./shape.ts";
import { instanceMetadata } from "./token-items.ts";

/** Rows in a page of the indexer. */
export const INDEXER_PAGE = 100;

/** Where the recordings of the indexer come from. */
export const INDEXER_URL = "https://indexer.example";

/** The indexer of all chains, in the form of Insight's public API. */
export function createIndexer(baseUrl: string): Provider {
  return {
    name: "indexer",
    kind: "indexer",
    chain: null,
    baseUrl,

    async tokens(get, symbol, chains) {
      const query = new URLSearchParams({ symbol });
      for (const chain of chains) query.append("chain_id", String(chain));
      const found = await get(`/v1/tokens/lookup?${query}`, (body) => ({
        rows: fieldsOf(body, "").need(listOf(tokenLookup), "data"),
      }));
      return (found?.rows ?? []).filter(({ chain_id: chain }) => chains.includes(chain));
    },

    async holdings(get, address, chain) {
      const coins = await pages(get, (page) => coinsPath(address, chain, page), coin);
      const pieces = await pages(get, (page) => piecesPath(address, chain, page), piece(address));
      return [...coins, ...pieces].filter((row) => row.chain === chain).map(({ item }) => item);
    },
  };
}

/** The path of the fungible tokens that an address holds on a chain. */
export const coinsPath = (address: string, chain: number, page: number): string =>
  `/v1/tokens?owner_address=${address}&chain_id=${chain}&limit=${INDEXER_PAGE}&page=${page}&metadata=true`;

/** The path of the non-fungible and semi-fungible ones. */
export const piecesPath = (address: string, chain: number, page: number): string =>
  `/v1/nfts?owner_address=${address}&chain_id=${chain}&limit=${INDEXER_PAGE}&page=${page}`;

/** Pages from 0 until one is not full. */
function pages<Row>(get: Get, path: (page: number) => string, read: Reader<Row>): Promise<Row[]> {
  let page = 0;
  return walk<Row>(get, path(page), (body) => {
    const rows = fieldsOf(body, "").need(listOf(read), "data");
    page += 1;
    return { rows, next: rows.length < INDEXER_PAGE ? null : path(page) };
  });
}

const tokenLookup: Reader<TokenLookup> = (value, path) => {
  const token = fieldsOf(value, path);
  return {
    chain_id: token.need(integer, "chain_id"),
    token_address: token.need(text, "token_address").toLowerCase(),
    ...knownFields({
      name: token.maybe(orNull(text), "name") ?? null,
      symbol: token.maybe(orNull(text), "symbol") ?? null,
      decimals: token.maybe(orNull(integer), "decimals") ?? null,
      price_data: token.maybe(orNull(priceData), "price_data") ?? null,
    }),
  };
};

/** What is known of a price; null where that is nothing. */
const priceData: Reader<PriceData | null> = (value, path) => {
  const price = fieldsOf(value, path);
  const amount = (name: string) => price.maybe(orNull(number), name) ?? null;
  const filled = knownFields({
    price_usd: amount("price_usd"),
    usd_value: amount("usd_value"),
    volume_24h_usd: amount("volume_24h_usd"),
    market_cap_usd: amount("market_cap_usd"),
    circulating_supply: amount("circulating_supply"),
    total_supply: amount("total_supply"),
    percent_change_24h: amount("percent_change_24h"),
    price_timestamp: price.maybe(orNull(text), "price_timestamp") ?? null,
  });
  return Object.keys(filled).length === 0 ? null : filled;
};

interface Held {
  chain: number;
  item: AddressToken;
}

/** What the indexer does not know of a token is null. */
const unknownOf = { holders: null, total_supply: null };

const coin: Reader<Held> = (value, path) => {
  const held = fieldsOf(value, path);
  const decimals = held.maybe(orNull(integer), "decimals") ?? null;
  const price = held.maybe(orNull(priceData), "price_data")?.price_usd ?? null;
  return {
    chain: held.need(integer, "chain_id"),
    item: {
      value: held.need(digits, "balance"),
      token_id: null,
      token: {
        name: held.maybe(orNull(text), "name") ?? null,
        decimals: decimals === null ? null : String(decimals),
        symbol: held.maybe(orNull(text), "symbol") ?? null,
        address: held.need(hexAddress, "token_address"),
        type: "ERC-20",
        exchange_rate: price === null ? null : String(price),
        ...unknownOf,
      },
      token_instance: null,
    },
  };
};

const TYPES = new Map([
  ["erc721", "ERC-721"],
  ["erc1155", "ERC-1155"],
]);

const tokenType: Reader<string> = (value, path) => {
  const type = TYPES.get(text(value, path).toLowerCase());
  if (type === undefined) throw new InvalidShape(path, `one of ${[...TYPES.keys()].join(", ")}`, value);
  return type;
};

/** @param holder the address that was asked for */
const piece =
  (holder: string): Reader<Held> =>
  (value, path) => {
    const held = fieldsOf(value, path);
    const type = held.need(tokenType, "token_type");
    const id = held.need(text, "token_id");
    const contract = held.maybe(orNull(contractNames), "contract") ?? null;
    const maybeText = (name: string) => held.maybe(orNull(text), name) ?? null;
    const token: TokenSummary = {
      name: contract?.name ?? null,
      decimals: null,
      symbol: contract?.symbol ?? null,
      address: held.need(hexAddress, "contract_address"),
      type,
      exchange_rate: null,
      ...unknownOf,
    };
    return {
      chain: held.need(integer, "chain_id"),
      item: {
        value: held.need(digits, "balance"),
        token_id: id,
        token,
        token_instance: {
          is_unique: type === "ERC-721",
          id,
          owner:
            type === "ERC-721"
              ? ownerOf(held.maybe(orNull(listOf(hexAddress)), "owner_addresses")?.[0] ?? holder)
              : null,
          token: { ...token, holders: null, circulating_market_cap: null, icon_url: null },
          holder_address_hash: holder,
          image_url: maybeText("image_url"),
          animation_url: maybeText("animation_url"),
          external_app_url: maybeText("external_url"),
          metadata: metadataOf(object(value, path)),
        },
      },
    };
  };

const contractNames = (value: unknown, path: string) => {
  const contract = fieldsOf(value, path);
  return {
    name: contract.maybe(orNull(text), "name") ?? null,
    symbol: contract.maybe(orNull(text), "symbol") ?? null,
  };
};

/** What a token's author wrote is in `extra_metadata`; the row itself has some of it, too, such as a resolved image. */
function metadataOf(row: Record<string, unknown>): InstanceMetadata | null {
  const written: Record<string, unknown> = { ...Object(row.extra_metadata) };
  for (const name of ["name", "description", "image_url", "external_url"])
    if (row[name] != null) written[name] ??= row[name];
  return Object.keys(written).length === 0 ? null : instanceMetadata(written);
}

function ownerOf(hash: string) {
  return {
    hash,
    implementation_name: null,
    name: null,
    is_contract: null,
    private_tags: [],
    watchlist_names: [],
    public_tags: [],
    is_verified: null,
    ens_domain_name: null,
    metadata: null,
  };
}
