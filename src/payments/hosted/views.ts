/** The token a payment is made in. */
export interface TokenView {
  symbol: string;
  decimals: number;
  address: string;
}

/** The chain a payment is made on. */
export interface ChainView {
  id: number;
  name: string;
}

/** The checkout session as the hosted pages show it. */
export interface SessionView {
  id: string;
  status: "active" | "completed" | "expired";
  /** In the token's smallest units; null when the payer chooses. */
  amount: string | null;
  customer_email: string | null;
  customer_name: string | null;
  client_reference_id: string | null;
  metadata: Record<string, string>;
  /** ISO 8601 on the virtual clock, as is every time here. */
  expires_at: string;
  cancel_url: string | null;
}

/** What the payment link says is sold; null for a session that was opened without one. */
export type LinkView = { name: string; description: string | null } | null;

/** All that the checkout page shows. */
export interface CheckoutView {
  /** Where the form is posted to, on this origin. */
  action: string;
  session: SessionView;
  link: LinkView;
  organization: string;
  token: TokenView;
  chain: ChainView;
  recipient_address: string;
  now: string;
  /** The failure_reason of the try before this one. */
  lastFailure?: string | undefined;
  error?: { message: string; param?: string | undefined } | undefined;
  /** What was typed before, to fill the form again. */
  values?: Record<string, string> | undefined;
  needsAmount: boolean;
}

/** All that the receipt shows. */
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
