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

/** The token that something is priced in, and how an amount of it is typed. */
export function tokenOf({ chain_id: chain, token_address: address }: Priced) {
  const { symbol, decimals } = describeToken(chain, address);
  return {
    symbol,
    /** Smallest units of what a person typed; undefined when it is no amount. */
    parse: (text: string): string | undefined => parseAmount(text, decimals),
  };
}

const isUsable = ({ expires_at: end, max_uses: most, current_uses: uses }: PaymentLink, now: number) =>
  (end === null || toMs(end) > now) && (most === null || uses < most);

/** The link that is chosen until a person chooses another: the newest that can be paid as it is. */
export function firstChoice(links: readonly PaymentLink[], now: number): PaymentLink | undefined {
  const usable = links.filter((link) => isUsable(link, now));
  return usable.find(({ amount }) => amount !== null) ?? usable[0] ?? links[0];
}
