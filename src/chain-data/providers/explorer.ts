import type { AddressToken, TokenLookup } from "../schemas.ts";
import { type Provider, walk } from "./provider.ts";
import {
  decimal,
  digits,
  hexAddress,
  knownFields,
  listOf,
  maybe,
  number,
  object,
  orNull,
  type Reader,
  record,
  text,
} from "./shape.ts";
import { tokenItem } from "./token-items.ts";

export const EXPLORER_PAGE = 50;

/** The URL under which a chain's explorer was recorded. */
export const explorerUrl = (chain: number): string => `https://${chain}.explorer.example/api/v2`;

/** A client for a chain's explorer, following Blockscout's public API. */
export function createExplorer(chain: number, baseUrl: string): Provider {
  return {
    name: `explorer-${chain}`,
    kind: "explorer",
    chain,
    baseUrl,

    async tokens(get, symbol) {
      const found = await get(`/tokens?${new URLSearchParams({ q: symbol, type: "ERC-20" })}`, (body) => ({
        rows: readFound(body, "").items,
      }));
      return (found?.rows ?? [])
        .filter((token) => token.type === "ERC-20")
        .map((token) => tokenLookup(chain, token));
    },

    holdings: (get, address) =>
      walk<AddressToken>(get, holdingsPath(address), (body) => {
        const { items: rows, next_page_params: next } = readPage(body, "");
        return { rows, next: next && holdingsPath(address, next) };
      }),
  };
}

/** The path to an address's tokens. The `next_page_params` keys are sent unchanged, with null as an empty string. */
export function holdingsPath(address: string, next?: Record<string, unknown>): string {
  const path = `/addresses/${address}/tokens`;
  if (next === undefined) return path;
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(next)) query.append(key, String(value ?? ""));
  return `${path}?${query}`;
}

const readPage = record({ items: listOf(tokenItem), next_page_params: orNull(object) });

const asNumber: Reader<number> = (value, path) => number(Number(decimal(value, path)), path);

const foundToken = record(
  {
    address: hexAddress,
    name: orNull(text),
    symbol: orNull(text),
    decimals: orNull(digits),
    type: text,
    exchange_rate: orNull(asNumber),
    total_supply: orNull(digits),
    circulating_market_cap: maybe(asNumber),
    volume_24h: maybe(asNumber),
  },
  { address: "address_hash" },
);

const readFound = record({ items: listOf(foundToken) });

/** An explorer provides the price, volume, market value and supply. */
function tokenLookup(chain: number, token: ReturnType<typeof foundToken>): TokenLookup {
  const decimals = token.decimals === null ? null : Number(token.decimals);
  const price = knownFields({
    price_usd: token.exchange_rate,
    volume_24h_usd: token.volume_24h,
    market_cap_usd: token.circulating_market_cap,
    total_supply: token.total_supply === null ? null : Number(token.total_supply) / 10 ** (decimals ?? 0),
  });
  return {
    chain_id: chain,
    token_address: token.address.toLowerCase(),
    ...knownFields({
      name: token.name,
      symbol: token.symbol,
      decimals,
      price_data: token.exchange_rate === null ? null : price,
    }),
  };
}
