import type { PaymentLinkRow, SessionRow, TransactionRow } from "../rows.ts";

/** The token of a payment. */
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
  /** ISO 8601 on the virtual clock, as all times here. */
  expires_at: string;
};

/** The payment link's name and description; null for a session that was opened without one. */
export type LinkView = Pick<PaymentLinkRow, "name" | "description"> | null;

/** The content of every page of a session. */
interface SharedView {
  organization: string;
  session: SessionView;
  link: LinkView;
  token: TokenView;
  chain: { id: number; name: string };
  now: string;
}

/** The content of the checkout page, for an active session. */
export interface CheckoutView extends SharedView {
  /** The path to which the form is posted, on this origin. */
  action: string;
  recipient_address: string;
  /** The failure_reason of the previous attempt to pay. */
  lastFailure?: string | undefined;
  error?: { message: string; param?: string | undefined } | undefined;
  /** The payer's previous input, to fill the form again. */
  values?: Record<string, string> | undefined;
}

/** The content of the receipt, for a completed session. */
export interface ReceiptView extends SharedView {
  transaction: Pick<
    TransactionRow,
    "id" | "status" | "amount" | "tx_hash" | "discount_code" | "sender_address"
  >;
  returnUrl: string | null;
}

/** A page for a link or session that takes no payment. */
export interface ClosedView {
  title: string;
  message: string;
  hint: string;
}
