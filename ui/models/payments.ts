import { parseAmount } from "../../src/payments/hosted/amount.ts";
import { describeAmount, describeToken } from "../../src/payments/hosted/tokens.ts";
import type { PaymentLink } from "../api-types.ts";
import { toMs } from "./format.ts";

interface Priced {
  chain_id: number;
  token_address: string;
}

export const money = ({
  amount,
  chain_id: chain,
  token_address: token,
}: Priced & { amount: string }): string => describeAmount(amount, chain, token);

/** The token in which something is priced, and a function that parses an amount in it. */
export function tokenOf({ chain_id: chain, token_address: address }: Priced) {
  const { symbol, decimals } = describeToken(chain, address);
  return {
    symbol,
    /** Converts typed text to the token's smallest unit; undefined if it is not an amount. */
    parse: (text: string): string | undefined => parseAmount(text, decimals),
  };
}

const isUsable = ({ expires_at: end, max_uses: most, current_uses: uses }: PaymentLink, now: number) =>
  (end === null || toMs(end) > now) && (most === null || uses < most);

/** The link that is selected by default: the newest one that can be paid without changes. */
export function firstChoice(links: readonly PaymentLink[], now: number): PaymentLink | undefined {
  const usable = links.filter((link) => isUsable(link, now));
  return usable.find(({ amount }) => amount !== null) ?? usable[0] ?? links[0];
}
