import type { AddressToken, TokenLookup } from "../schemas.ts";
import { type Provider, walk } from "./provider.ts";
import {
  decimal,
  digits,
  fieldsOf,
  hexAddress,
  knownFields,
  listOf,
  number,
  object,
  orNull,
  type Reader,
  text,
} from "./shape.ts";
import { tokenItem } from "./token-items.ts";

/** Rows in a page of an explorer. */
export const EXPLORER_PAGE = 50;

/** Where the recordings of a chain's explorer come from. */
export const explorerUrl = (chain: number): string => `https://${chain}.explorer.example/api/v2`;

/** A chain's explorer, in the form of Blockscout's public API. */
export function createExplorer(chain: number, baseUrl: string): Provider {
  return {
    name: `explorer-${chain}`,
    kind: "explorer",
    chain,
    baseUrl,

    async tokens(get, symbol) {
      const found = await get(`/tokens?${new URLSearchParams({ q: symbol, type: "ERC-20" })}`, (body) => ({
        rows: fieldsOf(body, "").need(listOf(foundToken), "items"),
      }));
      return (found?.rows ?? [])
        .filter((token) => token.type === "ERC-20")
        .map((token) => tokenLookup(chain, token));
    },

    holdings: (get, address) =>
      walk<AddressToken>(get, holdingsPath(address), (body) => {
        const page = fieldsOf(body, "");
        const next = page.need(orNull(object), "next_page_params");
        return {
          rows: page.need(listOf(tokenItem), "items"),
          next: next && holdingsPath(address, next),
        };
      }),
  };
}

/** The path of an address's tokens; the keys of `next_page_params` are sent as they came, null as nothing. */
export function holdingsPath(address: string, next?: Record<string, unknown>): string {
  const path = `/addresses/${address}/tokens`;
  if (next === undefined) return path;
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(next)) query.append(key, String(value ?? ""));
  return `${path}?${query}`;
}

type FoundToken = ReturnType<typeof foundToken>;

const foundToken = (value: unknown, path: string) => {
  const token = fieldsOf(value, path);
  return {
    address: token.need(hexAddress, "address", "address_hash"),
    name: token.need(orNull(text), "name"),
    symbol: token.need(orNull(text), "symbol"),
    decimals: token.need(orNull(digits), "decimals"),
    type: token.need(text, "type"),
    price: token.need(numberOrNull, "exchange_rate"),
    supply: token.need(orNull(digits), "total_supply"),
    marketCap: token.maybe(numberOrNull, "circulating_market_cap") ?? null,
    volume: token.maybe(numberOrNull, "volume_24h") ?? null,
  };
};

const numberOrNull: Reader<number | null> = (value, path) =>
  value === null ? null : number(Number(decimal(value, path)), path);

/** What an explorer knows of a price is the price, volume, market value and supply. */
function tokenLookup(chain: number, token: FoundToken): TokenLookup {
  const decimals = token.decimals === null ? null : Number(token.decimals);
  const price = knownFields({
    price_usd: token.price,
    volume_24h_usd: token.volume,
    market_cap_usd: token.marketCap,
    total_supply: token.supply === null ? null : Number(token.supply) / 10 ** (decimals ?? 0),
  });
  return {
    chain_id: chain,
    token_address: token.address.toLowerCase(),
    ...knownFields({
      name: token.name,
      symbol: token.symbol,
      decimals,
      price_data: token.price === null ? null : price,
    }),
  };
}
