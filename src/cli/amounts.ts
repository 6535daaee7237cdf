import { formatAmount } from "../payments/hosted/amount.ts";
import { chainName, findToken } from "../payments/hosted/tokens.ts";
import { short } from "./output.ts";

/** An amount as people write it; in the token's smallest unit where its decimals are unknown. */
export function amountText({
  amount,
  token_address: address,
  chain_id: chain,
}: {
  amount: string;
  token_address: string;
  chain_id: number;
}): string {
  const token = findToken(chain, address);
  const units = token
    ? `${formatAmount(amount, token.decimals)} ${token.symbol}`
    : `${amount} units of token ${short(address)}`;
  return `${units} on ${chainName(chain)}`;
}
