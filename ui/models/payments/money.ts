import chains from "../../../fixtures/payments/chains.json" with { type: "json" };
import { formatAmount, parseAmount } from "../../../src/payments/hosted/amount.ts";
import { chainName, describeAmount, describeToken } from "../../../src/payments/hosted/tokens.ts";

export { chainName };

interface Priced {
  chain_id: number;
  token_address: string;
}

/** An amount with its token: `25.00 USDC`. */
export const money = ({
  amount,
  chain_id: chain,
  token_address: token,
}: Priced & { amount: string }): string => describeAmount(amount, chain, token);

/** The token that something is priced in, and how an amount of it is typed. */
export function tokenOf({ chain_id: chain, token_address: address }: Priced) {
  const { symbol, decimals } = describeToken(chain, address);
  return {
    symbol,
    decimals,
    /** Smallest units as a person types them. */
    plain: (amount: string): string => formatAmount(amount, decimals),
    /** Smallest units of what a person typed; undefined when it is no amount. */
    parse: (text: string): string | undefined => parseAmount(text, decimals),
  };
}

/** Every token that is known, to choose from: USDC on each chain first. */
export const TOKENS = chains
  .flatMap(({ id, name, tokens }) =>
    tokens.map(({ symbol, address }) => ({
      key: `${id}/${address}`,
      title: `${symbol} on ${name}`,
      chain_id: id,
      token_address: address,
      ...tokenOf({ chain_id: id, token_address: address }),
    })),
  )
  .sort((a, b) => Number(b.symbol === "USDC") - Number(a.symbol === "USDC"));
