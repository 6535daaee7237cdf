import type { AddressToken, InstanceMetadata, PriceData, TokenLookup, TokenSummary } from "../schemas.ts";
import { type Get, type Provider, walk } from "./provider.ts";
import {
  digits,
  hexAddress,
  InvalidShape,
  integer,
  knownFields,
  listOf,
  maybe,
  number,
  object,
  type Reader,
  record,
  text,
} from "./shape.ts";
import { addressObject, instanceMetadata } from "./token-items.ts";

export const INDEXER_PAGE = 100;

/** The URL under which the indexer was recorded. */
export const INDEXER_URL = "https://indexer.example";

/** A client for the indexer of all chains, following Insight's public API. */
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
        rows: record({ data: listOf(tokenLookup) })(body, "").data,
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

/** The path to an address's fungible tokens on a chain. */
export const coinsPath = (address: string, chain: number, page: number): string =>
  `/v1/tokens?owner_address=${address}&chain_id=${chain}&limit=${INDEXER_PAGE}&page=${page}&metadata=true`;

export const piecesPath = (address: string, chain: number, page: number): string =>
  `/v1/nfts?owner_address=${address}&chain_id=${chain}&limit=${INDEXER_PAGE}&page=${page}`;

/** Reads pages, starting at 0, until one is not full. */
function pages<Row>(get: Get, path: (page: number) => string, read: Reader<Row>): Promise<Row[]> {
  let page = 0;
  return walk<Row>(get, path(page), (body) => {
    const rows = record({ data: listOf(read) })(body, "").data;
    page += 1;
    return { rows, next: rows.length < INDEXER_PAGE ? null : path(page) };
  });
}

const amount = maybe(number);
const price = record({
  price_usd: amount,
  usd_value: amount,
  volume_24h_usd: amount,
  market_cap_usd: amount,
  circulating_supply: amount,
  total_supply: amount,
  percent_change_24h: amount,
  price_timestamp: maybe(text),
});

/** The price data; null if all of it is unknown. */
const priceData: Reader<PriceData | null> = (value, path) => {
  const filled = knownFields(price(value, path));
  return Object.keys(filled).length === 0 ? null : filled;
};

const lookedUp = record({
  chain_id: integer,
  token_address: text,
  name: maybe(text),
  symbol: maybe(text),
  decimals: maybe(integer),
  price_data: maybe(priceData),
});

const tokenLookup: Reader<TokenLookup> = (value, path) => {
  const { chain_id, token_address: address, ...known } = lookedUp(value, path);
  return { chain_id, token_address: address.toLowerCase(), ...knownFields(known) };
};

interface Held {
  chain: number;
  item: AddressToken;
}

/** Token fields that the indexer does not provide. */
const unknownOf = { holders: null, total_supply: null };

const heldCoin = record({
  decimals: maybe(integer),
  price_data: maybe(priceData),
  chain_id: integer,
  balance: digits,
  name: maybe(text),
  symbol: maybe(text),
  token_address: hexAddress,
});

const coin: Reader<Held> = (value, path) => {
  const { decimals, price_data: data, ...held } = heldCoin(value, path);
  const worth = data?.price_usd ?? null;
  return {
    chain: held.chain_id,
    item: {
      value: held.balance,
      token_id: null,
      token: {
        name: held.name,
        decimals: decimals === null ? null : String(decimals),
        symbol: held.symbol,
        address: held.token_address,
        type: "ERC-20",
        exchange_rate: worth === null ? null : String(worth),
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

const heldPiece = record({
  token_type: tokenType,
  token_id: text,
  contract: maybe(record({ name: maybe(text), symbol: maybe(text) })),
  contract_address: hexAddress,
  chain_id: integer,
  balance: digits,
  owner_addresses: maybe(listOf(hexAddress)),
  image_url: maybe(text),
  animation_url: maybe(text),
  external_url: maybe(text),
});

/** @param holder the requested address */
const piece =
  (holder: string): Reader<Held> =>
  (value, path) => {
    const held = heldPiece(value, path);
    const { token_type: type, token_id: id, contract } = held;
    const token: TokenSummary = {
      name: contract?.name ?? null,
      decimals: null,
      symbol: contract?.symbol ?? null,
      address: held.contract_address,
      type,
      exchange_rate: null,
      ...unknownOf,
    };
    return {
      chain: held.chain_id,
      item: {
        value: held.balance,
        token_id: id,
        token,
        token_instance: {
          is_unique: type === "ERC-721",
          id,
          owner:
            type === "ERC-721" ? addressObject({ hash: held.owner_addresses?.[0] ?? holder }, "owner") : null,
          token: { ...token, holders: null, circulating_market_cap: null, icon_url: null },
          holder_address_hash: holder,
          image_url: held.image_url,
          animation_url: held.animation_url,
          external_app_url: held.external_url,
          metadata: metadataOf(object(value, path)),
        },
      },
    };
  };

/** The author's metadata is in `extra_metadata`. The row itself also contains some of it, such as a resolved image. */
function metadataOf(row: Record<string, unknown>): InstanceMetadata | null {
  const written: Record<string, unknown> = { ...Object(row.extra_metadata) };
  for (const name of ["name", "description", "image_url", "external_url"])
    if (row[name] != null) written[name] ??= row[name];
  return Object.keys(written).length === 0 ? null : instanceMetadata(written);
}
