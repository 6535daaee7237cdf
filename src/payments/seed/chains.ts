import catalog from "../../../fixtures/payments/catalog.json" with { type: "json" };
import chains from "../../../fixtures/payments/chains.json" with { type: "json" };
import { priceOf } from "../worth.ts";

export interface Token {
  symbol: string;
  name: string;
  address: string;
  decimals: number;
}

export interface Chain {
  id: number;
  name: string;
  native_symbol: string;
  explorer_url: string;
  tokens: Token[];
}

/** A token where it lives: what a payment is made in. */
export interface Currency {
  chainId: number;
  token: Token;
}

/** The chains and tokens the sandbox knows by name. */
export const CHAINS: readonly Chain[] = chains;

/** The token with a symbol on a chain. */
export function currency(chainId: number, symbol: string): Currency {
  const token = CHAINS.find(({ id }) => id === chainId)?.tokens.find((one) => one.symbol === symbol);
  if (!token) throw new Error(`No token ${symbol} on chain ${chainId} in the fixtures`);
  return { chainId, token };
}

/** The currencies shoppers pay in, with their shares. */
export const SHARES: readonly { weight: number; value: Currency }[] = catalog.token_shares.map(
  ({ chain_id, symbol, weight }) => ({ weight, value: currency(chain_id, symbol) }),
);

/**
 * What a price in cents comes to in a token's smallest units, the way a shop would round it: to whole cents,
 * or to five decimals where one token is worth a lot.
 */
export function units(priceInCents: number, token: Token): string {
  const worth = priceOf(token.symbol) ?? 100;
  const exact = (BigInt(priceInCents) * 10n ** BigInt(token.decimals)) / BigInt(worth);
  const step = 10n ** BigInt(token.decimals - (worth > 10_000 ? 5 : 2));
  const rounded = exact - (exact % step);
  return String(rounded === 0n ? step : rounded);
}
