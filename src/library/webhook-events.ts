import type { CheckoutSession, Metadata } from "./payments.ts";
import type { EventType, FailureReason } from "./words.ts";

/**
 * A webhook's body: one of the events, distinguished by `event`.
 * @example
 * const message: WebhookEvent = readWebhook(body, request.headers, secret);
 * if (message.event === "payment.completed") console.log(message.data.checkoutSession.clientReferenceId);
 */
export type WebhookEvent = { [Type in EventType]: WebhookMessage<Type, WebhookEventData[Type]> }[EventType];

/**
 * The `data` of each event type.
 * @example
 * const email = (data: WebhookEventData["checkout.expired"]) => data.customer_email;
 */
export interface WebhookEventData {
  "payment.completed": PaymentEventData;
  "payment.failed": FailedPaymentEventData;
  "checkout.completed": CheckoutSession;
  "checkout.expired": CheckoutSession;
}

/**
 * The common fields of all events.
 * @example
 * const happenedAt = (message: WebhookMessage) => new Date(message.timestamp);
 */
export interface WebhookMessage<Type extends EventType = EventType, Data = unknown> {
  event: Type;
  /** The endpoint that the event was sent to. */
  webhook_id: string;
  /** When the event happened, in ISO 8601 format. It is the same for every attempt. */
  timestamp: string;
  data: Data;
}

/**
 * The data of `payment.completed`.
 * @example
 * const order = (data: PaymentEventData) => data.checkoutSession.clientReferenceId;
 */
export interface PaymentEventData {
  /** The payment's id. Together with `event`, it identifies all copies of the same event. */
  id: string;
  payment_link_id: string | null;
  /** The amount in the token's smallest unit. */
  amount: string;
  token_address: string;
  chain_id: number;
  sender_address: string;
  recipient_address: string;
  tx_hash: string;
  status: "completed" | "failed";
  /** The payer's input in the checkout form. */
  form_data: Record<string, unknown>;
  discount_code: string | null;
  created_at: string;
  completed_at: string | null;
  /** The order data that your page or server set when it opened the session. */
  checkoutSession: {
    clientReferenceId: string | null;
    metadata: Metadata;
    customerEmail: string | null;
    customerName: string | null;
  };
}

/**
 * The data of `payment.failed`.
 * @example
 * const short = (data: FailedPaymentEventData) => data.failure_reason === "insufficient_funds";
 */
export interface FailedPaymentEventData extends PaymentEventData {
  failure_reason: FailureReason;
}
