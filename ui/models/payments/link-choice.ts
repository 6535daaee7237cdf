import { type Api, ApiError } from "../../api.ts";
import type { FailureReason, Page, Pay, PaymentLink } from "../../api-types.ts";
import { toMs } from "../format.ts";

/** How many links are offered at once; a search reaches the others. */
const OFFERED = 100;

/** What is looked for: of an address, its last part, which is the short code or the id. */
const wordsOf = (text: string): string => {
  const words = text.trim();
  if (!/^https?:/i.test(words) || !URL.canParse(words)) return words;
  return new URL(words).pathname.split("/").filter(Boolean).at(-1) ?? "";
};

/** The active links that a text names by name, short code, id or address, the newest first. @throws ApiError */
export async function findLinks(
  api: Pick<Api, "links" | "link">,
  text: string,
  organization?: string,
): Promise<Page<PaymentLink>> {
  const search = wordsOf(text);
  const query = { active: true, limit: OFFERED, sort: "created_at", order: "desc" } as const;
  const page = await api.links(search ? { ...query, search } : query, organization);
  if (page.total > 0 || search === "") return page;
  try {
    const link = await api.link(search, organization);
    return link.active ? { data: [link], total: 1 } : page;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return page;
    throw error;
  }
}

const isUsable = ({ expires_at: end, max_uses: most, current_uses: uses }: PaymentLink, now: number) =>
  (end === null || toMs(end) > now) && (most === null || uses < most);

/** The link that is chosen until a person chooses another: the newest that can be paid as it is. */
export function firstChoice(links: readonly PaymentLink[], now: number): PaymentLink | undefined {
  const usable = links.filter((link) => isUsable(link, now));
  return usable.find(({ amount }) => amount !== null) ?? usable[0] ?? links[0];
}

export type Outcome = "completed" | FailureReason;

/** Every way in which a payment can end. */
export const OUTCOMES: Record<Outcome, string> = {
  completed: "It completes",
  insufficient_funds: "Insufficient funds",
  reverted: "Reverted on the chain",
  timed_out: "Timed out",
  rejected: "Rejected by the payer",
};
export const OUTCOME_LIST = Object.entries(OUTCOMES) as [Outcome, string][];

/** The call that ends a payment so. */
export function payWith(target: Pick<Pay, "payment_link_id" | "session_id">, outcome: Outcome): Pay {
  if (outcome === "completed") return { ...target, outcome };
  return { ...target, outcome: "failed", failure_reason: outcome };
}
