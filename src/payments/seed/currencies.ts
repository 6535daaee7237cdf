import catalog from "../../../fixtures/payments/catalog.json" with { type: "json" };
import { addressOf, describeToken } from "../hosted/tokens.ts";
import { priceOf } from "../worth.ts";

export interface Currency {
  chain_id: number;
  token_address: string;
}

/** The currencies that shoppers pay in, with their relative frequency. */
export const SHARES = catalog.token_shares.map(({ chain_id, symbol, weight }) => {
  const currency: Currency = { chain_id, token_address: addressOf(symbol, chain_id)! };
  return [currency, weight] as const;
});

/**
 * Converts a price in cents to a token's smallest units, rounded the way a shop would round it: to whole cents, or to
 * five decimals for a valuable token.
 */
export function units(priceInCents: number, { chain_id, token_address }: Currency): string {
  const { symbol, decimals } = describeToken(chain_id, token_address);
  const worth = priceOf(symbol) ?? 100;
  const exact = (BigInt(priceInCents) * 10n ** BigInt(decimals)) / BigInt(worth);
  const step = 10n ** BigInt(decimals - (worth > 10_000 ? 5 : 2));
  const rounded = exact - (exact % step);
  return String(rounded === 0n ? step : rounded);
}
