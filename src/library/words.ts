import type { PROVIDER_STATES } from "../chain-data/providers/faults.ts";
import type { SIGNATURE_MODES } from "../game/context.ts";
import type { EVENT_TYPES } from "../payments/webhooks/event-types.ts";
import type { FAILURE_REASONS, SESSION_STATUSES, TRANSACTION_STATUSES } from "../payments/words.ts";
import type { DISABLED_REASONS, ENDPOINT_STATUSES } from "../timeline/endpoint-state.ts";
import type { DELIVERY_ERRORS, DELIVERY_STATUSES, DELIVERY_TRIGGERS } from "../timeline/shapes.ts";
import type { SUBSCRIBER_FAULTS } from "../webhooks/subscriber-faults.ts";
import type { CLOCK_MODES } from "../world/clock.ts";

/** The string values that the library's fields and options accept. */

/**
 * How a clock runs: in real time, at a multiple of it, or not at all.
 * @example
 * const mode: ClockMode = "paused";
 */
export type ClockMode = (typeof CLOCK_MODES)[number];

/**
 * A type of event that a webhook endpoint can subscribe to.
 * @example
 * const events: EventType[] = ["payment.completed", "checkout.expired"];
 */
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The type of an event that was sent: an event type of the platform or of any other sender.
 * @example
 * const types: SentEventType[] = ["payment.completed", "customer.subscription.updated"];
 */
export type SentEventType = EventType | (string & {});

/**
 * The status of a payment; completed and failed are final.
 * @example
 * const settled = (status: PaymentStatus) => status === "completed" || status === "failed";
 */
export type PaymentStatus = (typeof TRANSACTION_STATUSES)[number];

/**
 * Why a payment failed.
 * @example
 * await sandbox.payments.pay("coffee", { outcome: "failed", failure_reason: "insufficient_funds" });
 */
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * The status of a checkout session; completed and expired are final.
 * @example
 * const open: CheckoutSessionStatus = "active";
 */
export type CheckoutSessionStatus = (typeof SESSION_STATUSES)[number];

/**
 * Whether a webhook endpoint receives deliveries.
 * @example
 * const status: WebhookEndpointStatus = "disabled";
 */
export type WebhookEndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/**
 * Who or what disabled a webhook endpoint.
 * @example
 * const reason: DisabledReason = "consecutive_failures";
 */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/**
 * The status of a delivery.
 * @example
 * const failed = deliveries.filter(({ status }) => status === "failed");
 */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * What triggered a delivery: the retry schedule, a manual retry, a test, or a resend.
 * @example
 * const manual = deliveries.filter(({ trigger }) => trigger === "manual");
 */
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];

/**
 * Why a delivery failed; `status` means a response outside the 2xx range.
 * @example
 * const silent = deliveries.filter(({ error }) => error === "timeout");
 */
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/**
 * A way for a subscriber to fail.
 * @example
 * await sandbox.webhooks.fail(endpoint.id, { kind: "timeout" });
 */
export type FaultKind = (typeof SUBSCRIBER_FAULTS)[number];

/**
 * How a chain-data provider behaves.
 * @example
 * await sandbox.data.setProvider("indexer", { state: "down" });
 */
export type ProviderState = (typeof PROVIDER_STATES)[number];

/**
 * A part of the platform that has its own API.
 * @example
 * await sandbox.faults.set("platform", { status: 503 });
 */
export type Area = "platform" | "data" | "game";

/**
 * Whether X-Request-Nonce and X-Request-Signature are ignored, checked when present, or required.
 * @example
 * const mode: SignatureMode = "required";
 */
export type SignatureMode = (typeof SIGNATURE_MODES)[number];

export type { MessageAction, PaymentAction, Rule, RuleAction, ValueCondition } from "../game/rules/rule.ts";
export type { Duration } from "../world/duration.ts";

/**
 * The contents of a subscriber's database, in the sender's terms: an id or a list of ids for each kind, the fields of a
 * kind, and metadata.
 * @example
 * const known: Known = { customer: "cus_123", metadata: { userId: "42" }, "checkout.session": { client_reference_id: "42" } };
 */
export type Known = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | object>
>;
