/** The words that the library's fields and options take. `test/library/words.test.ts` compares them with the sandbox's own. */

/**
 * How a clock runs: with real time, at a multiple of it, or not at all.
 * @example
 * const mode: ClockMode = "paused";
 */
export type ClockMode = "live" | "scaled" | "paused";

/**
 * A type of event that a webhook endpoint can subscribe to.
 * @example
 * const events: EventType[] = ["payment.completed", "checkout.expired"];
 */
export type EventType = "payment.completed" | "payment.failed" | "checkout.completed" | "checkout.expired";

/**
 * The type of an event that was sent: one of the platform's, or any of another sender.
 * @example
 * const types: SentEventType[] = ["payment.completed", "customer.subscription.updated"];
 */
export type SentEventType = EventType | (string & {});

/**
 * Where a payment stands; completed and failed are final.
 * @example
 * const settled = (status: PaymentStatus) => status === "completed" || status === "failed";
 */
export type PaymentStatus = "pending" | "confirming" | "completed" | "failed";

/**
 * Why a payment failed.
 * @example
 * await sandbox.payments.pay("coffee", { outcome: "failed", failure_reason: "insufficient_funds" });
 */
export type FailureReason = "reverted" | "timed_out" | "insufficient_funds" | "rejected";

/**
 * Where a checkout session stands; completed and expired are final.
 * @example
 * const open: CheckoutSessionStatus = "active";
 */
export type CheckoutSessionStatus = "active" | "completed" | "expired";

/**
 * Whether a webhook endpoint gets deliveries.
 * @example
 * const status: WebhookEndpointStatus = "disabled";
 */
export type WebhookEndpointStatus = "enabled" | "disabled";

/**
 * Who or what disabled a webhook endpoint.
 * @example
 * const reason: DisabledReason = "consecutive_failures";
 */
export type DisabledReason = "consecutive_failures" | "failing_for" | "gone" | "dashboard" | "api";

/**
 * Where a delivery stands.
 * @example
 * const failed = deliveries.filter(({ status }) => status === "failed");
 */
export type DeliveryStatus = "pending" | "success" | "failed";

/**
 * What started a delivery: the retry schedule, a retry by hand, a test, or a resend.
 * @example
 * const manual = deliveries.filter(({ trigger }) => trigger === "manual");
 */
export type DeliveryTrigger = "automatic" | "manual" | "test" | "resend";

/**
 * Why a delivery failed; `status` is a response outside of 2xx.
 * @example
 * const silent = deliveries.filter(({ error }) => error === "timeout");
 */
export type DeliveryError =
  | "status"
  | "timeout"
  | "connection_refused"
  | "connection_reset"
  | "dns"
  | "tls"
  | "redirect"
  | "invalid_response"
  | "blocked_by_network_policy"
  | "endpoint_deleted";

/**
 * A way in which a subscriber fails.
 * @example
 * await sandbox.webhooks.fail(endpoint.id, { kind: "timeout" });
 */
export type FaultKind =
  | "status"
  | "timeout"
  | "refused"
  | "reset"
  | "dns"
  | "tls"
  | "redirect"
  | "slow_body"
  | "truncated"
  | "garbage"
  | "interrupted";

/**
 * How a provider of chain data behaves.
 * @example
 * await sandbox.data.setProvider("indexer", { state: "down" });
 */
export type ProviderState = "up" | "down" | "slow" | "error" | "garbage";

/**
 * A part of the platform with an API of its own.
 * @example
 * await sandbox.faults.set("platform", { status: 503 });
 */
export type Area = "platform" | "data" | "game";
