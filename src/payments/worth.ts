import prices from "../../fixtures/payments/prices.json" with { type: "json" };
import { describeToken } from "./hosted/tokens.ts";

/** A price in cents of a dollar, from `"13.50"`. */
export function cents(price: string): number {
  const [whole, fraction = ""] = price.split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

const PRICES = new Map(Object.entries(prices).map(([symbol, price]) => [symbol, cents(price)]));

/** The worth of one token in cents of a dollar; undefined without a known price. */
export const priceOf = (symbol: string): number | undefined => PRICES.get(symbol);

/** The worth of an amount in smallest units, in whole cents of a dollar, rounded down; 0 without a known price. */
export function worth(amount: string, chainId: number, tokenAddress: string): bigint {
  const { symbol, decimals } = describeToken(chainId, tokenAddress);
  return (BigInt(amount) * BigInt(priceOf(symbol) ?? 0)) / 10n ** BigInt(decimals);
}

/** Cents of a dollar as `"13.50"`. */
export function dollars(value: bigint): string {
  return `${value / 100n}.${String(value % 100n).padStart(2, "0")}`;
}

/** The parts of a sum. */
export interface Paid {
  chain_id: number;
  token_address: string;
  amount: string;
  /** The number of payments with this amount; 1 by default. */
  count?: number;
}

/** The payments in one token. */
interface TokenSum {
  first: Paid;
  amount: bigint;
  cents: bigint;
  count: number;
}

/** Sums of payments. Amounts of different tokens cannot be added, so each token has its own sum; dollar worths can. */
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

  /** A sum for each token, the most valuable first. */
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

  /** The sum in smallest units, unless it has more than one token. */
  single(): string | null {
    if (this.#tokens.size > 1) return null;
    const [only] = this.#tokens.values();
    return String(only?.amount ?? 0n);
  }
}

/** The sums of all these payments. */
export function takingsOf(payments: readonly Paid[]): Takings {
  const takings = new Takings();
  for (const payment of payments) takings.add(payment);
  return takings;
}

export function compare<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
