import type { Static } from "typebox";
import type { Input } from "../http/shapes.ts";
import type * as schemas from "../operations/payments.ts";
import type * as sessions from "../payments/schemas/checkout-sessions.ts";
import type * as common from "../payments/schemas/common.ts";
import type * as links from "../payments/schemas/payment-links.ts";
import type { PaymentInput, Transaction } from "../payments/schemas/transactions.ts";

/**
 * Up to 50 custom values, which every event includes.
 * @example
 * const metadata: Metadata = { order_id: "1042", gift: true };
 */
export type Metadata = Static<typeof common.Metadata>;

/**
 * Payment links, checkout sessions and payments.
 * @example
 * const payments: Payments = sandbox.payments;
 * const { transaction } = await payments.pay("coffee");
 */
export interface Payments {
  /**
   * Pays a payment link (by id, short code or URL) or a checkout session (by id). Resolves once the first deliveries have
   * been attempted.
   */
  pay(target: string, options?: PayOptions): Promise<PayResult>;
  /**
   * Creates a payment link. The money goes to the organization's default address unless the link specifies another
   * address.
   */
  createLink(options: PaymentLinkOptions): Promise<PaymentLink>;
  /** Reads a payment link by its id, short code or URL. */
  link(link: string): Promise<PaymentLink>;
  /**
   * Opens a checkout session for a link (by id, short code or URL). For a session without a link, use
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
 * A payment's outcome and the payer's input. By default, the payment completes.
 * @example
 * const options: PayOptions = { outcome: "failed", failure_reason: "insufficient_funds" };
 */
export type PayOptions = Input<typeof PaymentInput>;

/**
 * The effects of a call to `pay`.
 * @example
 * const { transaction, deliveries }: PayResult = await sandbox.payments.pay("coffee");
 */
export type PayResult = Static<typeof schemas.PayResult>;

/**
 * A delivery that a payment caused.
 * @example
 * const own = deliveries.filter((delivery: PaidDelivery) => !delivery.seeded);
 */
export type PaidDelivery = Static<typeof schemas.PaidDelivery>;

/**
 * A payment: a transaction of the platform.
 * @example
 * const payment: Payment = await sandbox.payments.transaction("txn_…");
 */
export type Payment = Static<typeof Transaction>;

/**
 * A payment link to create.
 * @example
 * const options: PaymentLinkOptions = { name: "Tea", short_code: "teatea", amount: "2500000" };
 */
export type PaymentLinkOptions = Input<typeof links.PaymentLinkCreate>;

/**
 * A payment link.
 * @example
 * const { url }: PaymentLink = await sandbox.payments.link("coffee");
 */
export type PaymentLink = Static<typeof links.PaymentLink>;

/**
 * Options for a new checkout session. The amount and recipient default to the link's.
 * @example
 * const options: CheckoutSessionOptions = { client_reference_id: "order_1042", expires_in: 600 };
 */
export type CheckoutSessionOptions = Input<typeof schemas.NewSession>;

/**
 * A checkout session.
 * @example
 * const session: CheckoutSession = await sandbox.payments.openSession("coffee");
 */
export type CheckoutSession = Static<typeof sessions.CheckoutSession>;
