import prices from "../../fixtures/payments/prices.json" with { type: "json" };
import { compare } from "../runtime/compare.ts";
import { describeToken } from "./hosted/tokens.ts";

/** Parses a dollar price such as `"13.50"` into cents. */
export function cents(price: string): number {
  const [whole, fraction = ""] = price.split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

const PRICES = new Map(Object.entries(prices).map(([symbol, price]) => [symbol, cents(price)]));

/** A token's price in US cents; undefined if it is unknown. */
export const priceOf = (symbol: string): number | undefined => PRICES.get(symbol);

/** The value of an amount in smallest units, in US cents, rounded down; 0 if the token's price is unknown. */
export function worth(amount: string, chainId: number, tokenAddress: string): bigint {
  const { symbol, decimals } = describeToken(chainId, tokenAddress);
  return (BigInt(amount) * BigInt(priceOf(symbol) ?? 0)) / 10n ** BigInt(decimals);
}

/** Formats cents as dollars: `"13.50"`. */
export function dollars(value: bigint): string {
  return `${value / 100n}.${String(value % 100n).padStart(2, "0")}`;
}

/** A payment amount to add to a total. */
export interface Paid {
  chain_id: number;
  token_address: string;
  amount: string;
  /** The number of payments with this amount; 1 by default. */
  count?: number;
}

/** The total of the payments in one token. */
interface TokenSum {
  first: Paid;
  amount: bigint;
  cents: bigint;
  count: number;
}

/**
 * Totals of payments. Amounts of different tokens cannot be added, so each token has its own total; only their dollar
 * values can.
 */
export class Takings {
  cents = 0n;
  count = 0;
  readonly #tokens = new Map<string, TokenSum>();

  add(paid: Paid): void {
    const { amount, chain_id: chain, token_address: token, count = 1 } = paid;
    const value = worth(amount, chain, token) * BigInt(count);
    this.cents += value;
    this.count += count;
    const key = `${chain} ${token.toLowerCase()}`;
    const sum = this.#tokens.get(key) ?? { first: paid, amount: 0n, cents: 0n, count: 0 };
    sum.amount += BigInt(amount) * BigInt(count);
    sum.cents += value;
    sum.count += count;
    this.#tokens.set(key, sum);
  }

  /** The total in each token, the most valuable first. */
  byToken() {
    return [...this.#tokens.values()]
      .sort(
        (a, b) =>
          compare(b.cents, a.cents) ||
          b.count - a.count ||
          a.first.chain_id - b.first.chain_id ||
          compare(a.first.token_address.toLowerCase(), b.first.token_address.toLowerCase()),
      )
      .map(({ first, amount, cents: value, count }) => ({
        chain_id: first.chain_id,
        token_address: first.token_address,
        symbol: describeToken(first.chain_id, first.token_address).symbol,
        amount: String(amount),
        amount_usd: dollars(value),
        transactions: count,
      }));
  }

  /** The total in smallest units; null if the payments are in several tokens. */
  single(): string | null {
    if (this.#tokens.size > 1) return null;
    const [only] = this.#tokens.values();
    return String(only?.amount ?? 0n);
  }
}

export function takingsOf(payments: readonly Paid[]): Takings {
  const takings = new Takings();
  for (const payment of payments) takings.add(payment);
  return takings;
}
