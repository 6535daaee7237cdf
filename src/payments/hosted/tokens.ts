import chains from "../../../fixtures/payments/chains.json" with { type: "json" };
import { formatAmount } from "./amount.ts";
import type { TokenView } from "./views.ts";

/** The placeholder address for a chain's native coin. */
const NATIVE = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const USUAL_DECIMALS = 18;

export function findToken(chainId: number, address: string): TokenView | undefined {
  const chain = chains.find(({ id }) => id === chainId);
  const lower = address.toLowerCase();
  if (chain && lower === NATIVE) return { symbol: chain.native_symbol, decimals: USUAL_DECIMALS, address };
  const token = chain?.tokens.find((candidate) => candidate.address.toLowerCase() === lower);
  return token && { symbol: token.symbol, decimals: token.decimals, address };
}

/** The address of the token with this symbol on a chain; undefined if the chain does not have the token. */
export function addressOf(symbol: string, chainId: number): string | undefined {
  const chain = chains.find(({ id }) => id === chainId);
  return chain?.tokens.find((token) => token.symbol === symbol)?.address;
}

/** Like `findToken`, but describes an unknown token by its address, with 18 decimals. */
export function describeToken(chainId: number, address: string): TokenView {
  const listed = findToken(chainId, address);
  if (listed) return listed;
  return { symbol: `${address.slice(0, 6)}…${address.slice(-4)}`, decimals: USUAL_DECIMALS, address };
}

export function chainName(chainId: number): string {
  return chains.find(({ id }) => id === chainId)?.name ?? `Chain ${chainId}`;
}

/** Formats an amount for display: `25.00 USDC`. */
export function describeAmount(amount: string, chainId: number, tokenAddress: string): string {
  const { symbol, decimals } = describeToken(chainId, tokenAddress);
  return `${formatAmount(amount, decimals)} ${symbol}`;
}
