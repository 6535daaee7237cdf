import chains from "../../../fixtures/payments/chains.json" with { type: "json" };
import { formatAmount } from "./amount.ts";
import type { TokenView } from "./views.ts";

/** The address of a chain's own coin. */
const NATIVE = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const USUAL_DECIMALS = 18;

/** A token by its address; undefined for an unknown one. */
export function findToken(chainId: number, address: string): TokenView | undefined {
  const chain = chains.find(({ id }) => id === chainId);
  const lower = address.toLowerCase();
  if (chain && lower === NATIVE) return { symbol: chain.native_symbol, decimals: USUAL_DECIMALS, address };
  const token = chain?.tokens.find((candidate) => candidate.address.toLowerCase() === lower);
  return token && { symbol: token.symbol, decimals: token.decimals, address };
}

/** A token's address on a chain, by its symbol; undefined if it has none there. */
export function addressOf(symbol: string, chainId: number): string | undefined {
  const chain = chains.find(({ id }) => id === chainId);
  return chain?.tokens.find((token) => token.symbol === symbol)?.address;
}

/** Like `findToken`; an unknown token is shown by its address, with 18 decimals. */
export function describeToken(chainId: number, address: string): TokenView {
  const listed = findToken(chainId, address);
  if (listed) return listed;
  return { symbol: `${address.slice(0, 6)}…${address.slice(-4)}`, decimals: USUAL_DECIMALS, address };
}

export function chainName(chainId: number): string {
  return chains.find(({ id }) => id === chainId)?.name ?? `Chain ${chainId}`;
}

/** An amount for people: `25.00 USDC`. */
export function describeAmount(amount: string, chainId: number, tokenAddress: string): string {
  const { symbol, decimals } = describeToken(chainId, tokenAddress);
  return `${formatAmount(amount, decimals)} ${symbol}`;
}
