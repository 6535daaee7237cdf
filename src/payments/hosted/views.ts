/** The token of a payment. */
export interface TokenView {
  symbol: string;
  decimals: number;
  address: string;
}

/** The chain of a payment. */
export interface ChainView {
  id: number;
  name: string;
}

/** The checkout session on the hosted pages. */
export interface SessionView {
  id: string;
  status: "active" | "completed" | "expired";
  /** In the token's smallest units; null when the payer chooses. */
  amount: string | null;
  customer_email: string | null;
  customer_name: string | null;
  client_reference_id: string | null;
  metadata: Record<string, string>;
  /** ISO 8601 on the virtual clock, as all times here. */
  expires_at: string;
  cancel_url: string | null;
}

/** The payment link's name and description; null for a session that was opened without one. */
export type LinkView = { name: string; description: string | null } | null;

/** The content of the checkout page. */
export interface CheckoutView {
  /** The path to which the form is posted, on this origin. */
  action: string;
  session: SessionView;
  link: LinkView;
  organization: string;
  token: TokenView;
  chain: ChainView;
  recipient_address: string;
  now: string;
  /** The failure_reason of the previous attempt to pay. */
  lastFailure?: string | undefined;
  error?: { message: string; param?: string | undefined } | undefined;
  /** The payer's previous input, to fill the form again. */
  values?: Record<string, string> | undefined;
  needsAmount: boolean;
}

/** The content of the receipt. */
export interface ReceiptView {
  organization: string;
  session: SessionView;
  link: LinkView;
  token: TokenView;
  chain: ChainView;
  transaction: {
    id: string;
    status: string;
    amount: string;
    tx_hash: string | null;
    failure_reason: string | null;
    discount_code: string | null;
    sender_address: string | null;
  };
  returnUrl: string | null;
  now: string;
}

/** A page for a link or session that takes no payment. */
export interface ClosedView {
  title: string;
  message: string;
  hint: string;
}
