import type { PaymentLink } from "../../api-types.ts";
import { toMs } from "../format.ts";

const isUsable = ({ expires_at: end, max_uses: most, current_uses: uses }: PaymentLink, now: number) =>
  (end === null || toMs(end) > now) && (most === null || uses < most);

/** The link that is chosen until a person chooses another: the newest that can be paid as it is. */
export function firstChoice(links: readonly PaymentLink[], now: number): PaymentLink | undefined {
  const usable = links.filter((link) => isUsable(link, now));
  return usable.find(({ amount }) => amount !== null) ?? usable[0] ?? links[0];
}
