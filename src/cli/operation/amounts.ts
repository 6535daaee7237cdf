import type { PayResult } from "../../client/http.ts";
import { formatAmount } from "../../payments/hosted/amount.ts";
import { chainName, findToken } from "../../payments/hosted/tokens.ts";
import { paint, short } from "../output.ts";

/** An amount in the token's unit, or in its smallest unit if the decimals are unknown. */
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

/** How a payment ended: `failed: insufficient funds`. */
export const paymentResult = ({ status, failure_reason: reason }: PayResult["transaction"]) => ({
  text: reason === null ? status : `${status}: ${reason.replaceAll("_", " ")}`,
  color: status === "completed" ? paint.green : status === "failed" ? paint.red : paint.yellow,
});
