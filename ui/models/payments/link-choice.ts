import { type Api, ApiError } from "../../api.ts";
import type { FailureReason, Page, Pay, PaymentLink, PaymentLinkInput } from "../../api-types.ts";
import { toMs } from "../format.ts";
import { TOKENS, tokenOf } from "./money.ts";

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

/** A payment link, and the organization it is of. */
export interface FoundLink {
  link: PaymentLink;
  organization: string;
}

/**
 * Finds a link by its id, whichever organization it is of: an address of the page names the link alone.
 * @param organizations in the order in which they are asked
 * @throws ApiError when none of them has it
 */
export async function findLink(api: Api, organizations: string[], id: string): Promise<FoundLink> {
  let lost: unknown;
  for (const organization of organizations) {
    try {
      return { link: await api.link(id, organization), organization };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      lost ??= error;
    }
  }
  throw lost;
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

/** A payment link as a form holds it. */
export interface LinkDraft {
  name: string;
  description: string;
  /** The key of a token that is known. */
  token: string;
  amount: string;
  uses: string;
  /** An instant, virtual. */
  expires: string;
}

/** The fields that show what is wrong with them, by their names at the platform. */
export const SHOWN_FIELDS = ["name", "description", "amount", "max_uses", "expires_at"];

export const EMPTY_LINK: LinkDraft = {
  name: "",
  description: "",
  token: TOKENS[0]!.key,
  amount: "12.50",
  uses: "",
  expires: "",
};

/** The tokens to choose from: those that are known, and that of a link which has another. */
export function tokensFor(link: PaymentLink | undefined): typeof TOKENS {
  if (!link || TOKENS.some(({ key }) => key === keyOf(link))) return TOKENS;
  const { chain_id, token_address } = link;
  const token = tokenOf(link);
  return [...TOKENS, { key: keyOf(link), title: token.symbol, chain_id, token_address, ...token }];
}

const keyOf = ({ chain_id: chain, token_address: address }: PaymentLink) => `${chain}/${address}`;

/** The draft that shows a link as it is. */
export function draftOfLink(link: PaymentLink): LinkDraft {
  const { name, description, amount, max_uses: uses, expires_at: expires } = link;
  return {
    name,
    description: description ?? "",
    token: keyOf(link),
    amount: amount === null ? "" : tokenOf(link).plain(amount),
    uses: uses === null ? "" : String(uses),
    expires: expires ?? "",
  };
}

/** The link that a draft stands for; what is left empty is null. @throws ApiError with the field at fault */
export function readLink(draft: LinkDraft, tokens: typeof TOKENS): PaymentLinkInput {
  const token = tokens.find(({ key }) => key === draft.token)!;
  const text = draft.amount.trim();
  const amount = text === "" ? null : token.parse(text);
  if (amount === undefined)
    throw new ApiError(400, { message: `This is not an amount in ${token.symbol}.`, param: "amount" });
  return {
    name: draft.name,
    description: draft.description === "" ? null : draft.description,
    amount,
    chain_id: token.chain_id,
    token_address: token.token_address,
    max_uses: draft.uses === "" ? null : Number(draft.uses),
    expires_at: draft.expires.trim() === "" ? null : draft.expires.trim(),
  };
}
