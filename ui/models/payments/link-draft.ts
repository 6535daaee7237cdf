import { ApiError } from "../../api.ts";
import type { PaymentLink, PaymentLinkInput } from "../../api-types.ts";
import { TOKENS, tokenOf } from "./money.ts";

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
