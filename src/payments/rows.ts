import type { DeliveryError } from "../webhooks/failures.ts";
import type { EventType } from "./webhooks/event-types.ts";

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

export type SessionStatus = "active" | "completed" | "expired";

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

export type TransactionStatus = "pending" | "confirming" | "completed" | "failed";
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

export interface WebhookRow {
  id: string;
  org: string;
  url: string;
  events: string;
  description: string | null;
  secret: string;
  status: "enabled" | "disabled";
  consecutive_failures: number;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  last_delivery_at: number | null;
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
  /** 1 for what the seeded past has, 0 for what was made since. */
  seeded: number;
  /** The only address that its requests reach besides the sandbox itself; null where the settings alone decide. */
  confined_to: string | null;
}

export type DisabledReason = "consecutive_failures" | "dashboard" | "api";
export type SkipReason = "endpoint_disabled" | "endpoint_deleted";

/** active: more attempts may follow. The others are final: no automatic attempt is made any more. */
export type PlanState = "active" | "delivered" | "exhausted" | "skipped";

/** What becomes of one event at one endpoint. */
export interface PlanRow {
  event_id: string;
  webhook_id: string;
  state: PlanState;
  /** Why its retries were skipped; it stays if a retry by hand succeeds later. */
  reason: SkipReason | null;
  /** Automatic attempts whose result is recorded, 0 to 4. */
  attempts: number;
  /** When its timer was set for; in the past while that attempt is in flight. */
  next_attempt_at: number | null;
  created_at: number;
  /** When its state last changed; once its retries were skipped, when that was. */
  updated_at: number;
}

export type DeliveryStatus = "pending" | "success" | "failed";
export type DeliveryTrigger = "automatic" | "manual" | "test" | "resend";

/** One attempt. */
export interface DeliveryRow {
  id: string;
  org: string;
  webhook_id: string;
  event_id: string;
  event: EventType;
  status: DeliveryStatus;
  attempt: number;
  trigger: DeliveryTrigger;
  /** The delivery that a manual retry or a resend repeats. */
  retry_of: string | null;
  url: string;
  error: DeliveryError | null;
  error_detail: string | null;
  response_code: number | null;
  response_headers: string | null;
  response_body: Buffer | null;
  response_size: number | null;
  request_headers: string;
  duration_ms: number | null;
  fault: string | null;
  /** The endpoint's failures in a row after it; null while it is pending, and for a test. */
  consecutive_failures: number | null;
  next_attempt_at: number | null;
  started_at: number;
  ended_at: number | null;
  created_at: number;
}
