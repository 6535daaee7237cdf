import type { PaymentLinkRow, SessionRow, TransactionRow } from "../rows.ts";

export interface TokenView {
  symbol: string;
  decimals: number;
  address: string;
}

/** The checkout session on the hosted pages. */
export type SessionView = Pick<
  SessionRow,
  "id" | "amount" | "customer_email" | "customer_name" | "client_reference_id" | "cancel_url"
> & {
  metadata: Record<string, string>;
  /** An ISO 8601 time on the virtual clock, like all times here. */
  expires_at: string;
};

/** The payment link's name and description; null for a session without a link. */
export type LinkView = Pick<PaymentLinkRow, "name" | "description"> | null;

/** The data that every page of a session shows. */
interface SharedView {
  organization: string;
  session: SessionView;
  link: LinkView;
  token: TokenView;
  chain: { id: number; name: string };
  now: string;
}

/** The data for the checkout page of an active session. */
export interface CheckoutView extends SharedView {
  /** The path on this origin that the form posts to. */
  action: string;
  recipient_address: string;
  /** The `failure_reason` of the previous attempt to pay. */
  lastFailure?: string | undefined;
  error?: { message: string; param?: string | undefined } | undefined;
  /** The payer's previous input, to prefill the form. */
  values?: Record<string, string> | undefined;
}

/** The data for the receipt of a completed session. */
export interface ReceiptView extends SharedView {
  transaction: Pick<
    TransactionRow,
    "id" | "status" | "amount" | "tx_hash" | "discount_code" | "sender_address"
  >;
  returnUrl: string | null;
}

/** The data for the page of a link or session that no longer accepts payments. */
export interface ClosedView {
  title: string;
  message: string;
  hint: string;
}
