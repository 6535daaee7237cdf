import { parseAmount } from "../../../src/payments/hosted/amount.ts";
import { describeAmount, describeToken } from "../../../src/payments/hosted/tokens.ts";

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
    /** Smallest units of what a person typed; undefined when it is no amount. */
    parse: (text: string): string | undefined => parseAmount(text, decimals),
  };
}
