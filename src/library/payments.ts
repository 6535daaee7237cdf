import type { Delivery } from "./webhooks.ts";
import type { CheckoutSessionStatus, FailureReason, PaymentStatus } from "./words.ts";

/**
 * Up to 50 values of your own, handed back in every event.
 * @example
 * const metadata: Metadata = { order_id: "1042", gift: true };
 */
export type Metadata = Record<string, string | number | boolean | null>;

/**
 * Payment links, checkout sessions and payments.
 * @example
 * const payments: Payments = sandbox.payments;
 * const { transaction } = await payments.pay("coffee");
 */
export interface Payments {
  /**
   * Pays a link (its id, short code or URL) or a checkout session (its id). Resolves once the first deliveries were
   * attempted.
   */
  pay(target: string, options?: PayOptions): Promise<PayResult>;
  /** Creates a payment link. The money goes to the organization's default address unless the link names another. */
  createLink(options: PaymentLinkOptions): Promise<PaymentLink>;
  /** Reads a payment link by its id, short code or URL. */
  link(link: string): Promise<PaymentLink>;
  /**
   * Opens a checkout session of a link (its id, short code or URL). For a session without a link, use
   * `platform.call("POST", "/checkout-sessions", …)`.
   */
  openSession(link: string, options?: CheckoutSessionOptions): Promise<CheckoutSession>;
  /** Reads a checkout session by its id. */
  session(id: string): Promise<CheckoutSession>;
  /** Expires a checkout session now. */
  expire(id: string): Promise<CheckoutSession>;
  /** Reads a payment by its id. */
  transaction(id: string): Promise<Payment>;
}

/**
 * How a payment turns out and what the payer enters. Everything has a default: the payment completes.
 * @example
 * const options: PayOptions = { outcome: "failed", failure_reason: "insufficient_funds" };
 */
export interface PayOptions {
  outcome?: "completed" | "failed" | undefined;
  failure_reason?: FailureReason | undefined;
  /** The payer's wallet. */
  sender_address?: string | undefined;
  /** In the token's smallest unit, for a link or session that leaves the amount to the payer. */
  amount?: string | undefined;
  /** What the payer enters; a made-up payer's data stands for what is missing. */
  form_data?: Record<string, unknown> | undefined;
  discount_code?: string | undefined;
  client_reference_id?: string | undefined;
  metadata?: Metadata | undefined;
  customer_email?: string | undefined;
  customer_name?: string | undefined;
}

/**
 * What a call of `pay` caused.
 * @example
 * const { transaction, deliveries }: PayResult = await sandbox.payments.pay("coffee");
 */
export interface PayResult {
  transaction: Payment;
  session: CheckoutSession;
  /** The first attempt at every endpoint that subscribes to what happened, your own endpoints first. */
  deliveries: PaidDelivery[];
}

/**
 * A delivery that a payment caused.
 * @example
 * const own = deliveries.filter((delivery: PaidDelivery) => !delivery.seeded);
 */
export interface PaidDelivery extends Delivery {
  /** Whether its endpoint belongs to the seeded past. */
  seeded: boolean;
}

/**
 * A payment: a transaction of the platform.
 * @example
 * const payment: Payment = await sandbox.payments.transaction("txn_…");
 */
export interface Payment {
  object: "transaction";
  id: string;
  session_id: string | null;
  payment_link_id: string | null;
  status: PaymentStatus;
  /** In the token's smallest unit. */
  amount: string;
  token_address: string;
  chain_id: number;
  sender_address: string;
  recipient_address: string;
  tx_hash: string;
  /** What the payer entered. */
  form_data: Record<string, unknown>;
  discount_code: string | null;
  failure_reason: FailureReason | null;
  /** The payer; null once that customer was deleted. */
  customer_id: string | null;
  completed_at: string | null;
  failed_at: string | null;
  created_at: string;
  updated_at: string;
}

/**
 * A payment link to create.
 * @example
 * const options: PaymentLinkOptions = { name: "Tea", short_code: "teatea", amount: "2500000" };
 */
export interface PaymentLinkOptions {
  name: string;
  description?: string | null;
  /** In the token's smallest unit; the payer decides without it. */
  amount?: string | null;
  active?: boolean;
  /** Another name of `active`. */
  is_active?: boolean;
  max_uses?: number | null;
  /** Virtual time, ISO 8601. */
  expires_at?: string | null;
  product_id?: string | null;
  return_url?: string | null;
  /** 6 letters and digits, unique; drawn without it. */
  short_code?: string;
  token_address?: string;
  chain_id?: number;
  recipient_address?: string;
}

/**
 * A payment link.
 * @example
 * const { url }: PaymentLink = await sandbox.payments.link("coffee");
 */
export interface PaymentLink {
  object: "payment_link";
  id: string;
  name: string;
  short_code: string;
  /** The hosted checkout page. */
  url: string;
  description: string | null;
  /** In the token's smallest unit; null where the payer decides. */
  amount: string | null;
  token_address: string;
  chain_id: number;
  recipient_address: string;
  active: boolean;
  /** Another name of `active`. */
  is_active: boolean;
  /** Completed checkouts. */
  current_uses: number;
  max_uses: number | null;
  expires_at: string | null;
  product_id: string | null;
  return_url: string | null;
  created_at: string;
  updated_at: string;
}

/**
 * How a checkout session is opened. The amount and where the money goes default to the link's.
 * @example
 * const options: CheckoutSessionOptions = { client_reference_id: "order_1042", expires_in: 600 };
 */
export interface CheckoutSessionOptions {
  /** In the token's smallest unit. */
  amount?: string;
  token_address?: string;
  chain_id?: number;
  recipient_address?: string;
  /** Your own reference, handed back in every event. */
  client_reference_id?: string | null;
  metadata?: Metadata;
  customer_email?: string | null;
  customer_name?: string | null;
  success_url?: string | null;
  cancel_url?: string | null;
  /** Virtual seconds until it expires, 300 to 86400. Default 1800. */
  expires_in?: number;
}

/**
 * A checkout session.
 * @example
 * const session: CheckoutSession = await sandbox.payments.openSession("coffee");
 */
export interface CheckoutSession {
  object: "checkout_session";
  id: string;
  payment_link_id: string | null;
  status: CheckoutSessionStatus;
  /** In the token's smallest unit; null where the payer decides. */
  amount: string | null;
  token_address: string;
  chain_id: number;
  recipient_address: string;
  client_reference_id: string | null;
  metadata: Metadata;
  customer_email: string | null;
  customer_name: string | null;
  discount_code: string | null;
  /** The payment that completed it. */
  transaction_id: string | null;
  success_url: string | null;
  cancel_url: string | null;
  /** The hosted checkout page; null once the session is no longer active. */
  url: string | null;
  expires_at: string;
  completed_at: string | null;
  expired_at: string | null;
  created_at: string;
  updated_at: string;
}
