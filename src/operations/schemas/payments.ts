import { type Static, Type } from "typebox";
import { FAILURE_REASONS } from "../../payments/rows.ts";
import { CheckoutSession } from "../../payments/schemas/checkout-sessions.ts";
import { Address, Amount, Email, Metadata } from "../../payments/schemas/common.ts";
import { EnteredForm, Transaction } from "../../payments/schemas/transactions.ts";
import { WebhookDelivery } from "../../payments/schemas/webhooks.ts";
import { enumOf, nullable, object, partialBody, VirtualTime } from "./common.ts";
import { TimelineAttempt } from "./webhooks.ts";

/** Shapes of the control API's calls about payments. */

export const Pay = partialBody("Pay", {
  payment_link_id: Type.String({ description: "A link's id, short code or URL; opens a session of it." }),
  session_id: Type.String(),
  outcome: enumOf(["completed", "failed"]),
  failure_reason: enumOf(FAILURE_REASONS),
  sender_address: Address,
  amount: Amount,
  form_data: EnteredForm,
  discount_code: Type.String({ minLength: 1, maxLength: 64 }),
  client_reference_id: Type.String({ maxLength: 200 }),
  metadata: Metadata,
  customer_email: Email,
  customer_name: Type.String({ maxLength: 200 }),
});

export const PayResult = object("PayResult", {
  transaction: Transaction,
  session: CheckoutSession,
  deliveries: Type.Array(
    object("PaidDelivery", {
      ...WebhookDelivery.properties,
      seeded: Type.Boolean({ description: "Whether its endpoint belongs to the seeded past." }),
    }),
    { description: "Your own endpoints first." },
  ),
});

const Endpoint = Type.Object({
  webhook_id: Type.String(),
  url: Type.String(),
  state: enumOf(["active", "delivered", "exhausted", "skipped"]),
  reason: nullable(Type.String()),
  next_attempt_at: nullable(VirtualTime),
  deliveries: Type.Array(TimelineAttempt),
});

export const PaymentStory = object("PaymentStory", {
  session: nullable(CheckoutSession),
  payments: Type.Array(Transaction, { description: "Of the session, oldest first." }),
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      about: Type.String({ description: "The transaction or session that the event is about." }),
      created_at: VirtualTime,
      endpoints: Type.Array(Endpoint),
    }),
  ),
});
export type PaymentStory = Static<typeof PaymentStory>;
