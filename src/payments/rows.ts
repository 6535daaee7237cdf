/** Rows of the payments tables (see tables.ts). They never leave the area: resources are made from them. */

export interface OrganizationRow {
  id: string;
  name: string;
  owner_email: string;
  default_chain_id: number;
  default_token_address: string;
  default_recipient_address: string;
  position: number;
  slug: string;
  description: string | null;
  logo_url: string | null;
  website_url: string | null;
  created_at: number;
  updated_at: number;
}

export interface ApiKeyRow {
  id: string;
  org: string;
  name: string;
  permission: "read" | "write" | "admin";
  prefix: string;
  hash: string;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface PaymentLinkRow {
  id: string;
  org: string;
  name: string;
  name_folded: string;
  short_code: string;
  description: string | null;
  amount: string | null;
  token_address: string;
  chain_id: number;
  recipient_address: string;
  active: number;
  current_uses: number;
  max_uses: number | null;
  expires_at: number | null;
  product_id: string | null;
  return_url: string | null;
  created_at: number;
  updated_at: number;
}

export const SESSION_STATUSES = ["active", "completed", "expired"] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export interface SessionRow {
  id: string;
  org: string;
  payment_link_id: string | null;
  status: SessionStatus;
  amount: string | null;
  token_address: string;
  chain_id: number;
  recipient_address: string;
  client_reference_id: string | null;
  metadata: string;
  customer_email: string | null;
  customer_name: string | null;
  success_url: string | null;
  cancel_url: string | null;
  discount_code: string | null;
  transaction_id: string | null;
  /** The widget whose page opened it. */
  widget_id: string | null;
  expires_at: number;
  completed_at: number | null;
  expired_at: number | null;
  created_at: number;
  updated_at: number;
  /** 1 for what the seeded past has, 0 for what was made since. */
  seeded: number;
}

export const TRANSACTION_STATUSES = ["pending", "confirming", "completed", "failed"] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];
/** A short code that files and snapshots may bring; the API draws and takes six letters and digits. */
export const ANY_SHORT_CODE = "^[0-9A-Za-z_-]{1,32}$";

export const FAILURE_REASONS = ["reverted", "timed_out", "insufficient_funds", "rejected"] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export interface TransactionRow {
  id: string;
  org: string;
  session_id: string | null;
  payment_link_id: string | null;
  status: TransactionStatus;
  amount: string;
  token_address: string;
  chain_id: number;
  sender_address: string;
  recipient_address: string;
  tx_hash: string;
  form_data: string;
  discount_code: string | null;
  failure_reason: FailureReason | null;
  /** Its payer; null once that customer was deleted. */
  customer_id: string | null;
  completed_at: number | null;
  failed_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface CustomerRow {
  id: string;
  org: string;
  wallet_address: string;
  name: string | null;
  email: string | null;
  metadata: string;
  /** Name, e-mail address and wallet in lower case, to search in. */
  folded: string;
  /** Payments, whatever their outcome. */
  transaction_count: number;
  /** What completed payments are worth, in cents of a dollar: to sort by. */
  paid_cents: number;
  first_payment_at: number | null;
  last_payment_at: number | null;
  created_at: number;
  updated_at: number;
}
