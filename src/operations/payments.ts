import { CheckoutSession } from "../payments/schemas/checkout-sessions.ts";
import { operationsOf } from "./operation.ts";
import { idOf } from "./schemas/common.ts";
import * as payments from "./schemas/payments.ts";

const operation = operationsOf("Payments");

/** Payments, as a payer and the dashboard make them. */
export const paymentOperations = [
  operation("payments.pay", "POST /payments", {
    id: "pay",
    summary: "Trigger a payment",
    description:
      "Of a payment link (a session is opened) or of a session. Answers once the first deliveries were made, at most `settleTimeout` later.",
    body: payments.Pay,
    answer: payments.PayResult,
    library: { takes: ["*"] },
    run: ({ sandbox, body }) => sandbox.payments.pay(body),
  }),
  operation("payments.follow", "GET /payments/:id", {
    id: "followPayment",
    summary: "Follow a payment through its events and deliveries",
    description:
      "Takes a transaction, a checkout session, or an event of either. Returns the session's payments, the events they caused, and each attempt to deliver those events.",
    params: idOf("a transaction, a checkout session or its `client_reference_id`, or an event of either"),
    answer: payments.PaymentStory,
    run: ({ sandbox, params }) => sandbox.payments.follow(params.id),
  }),
  operation("payments.expire", "POST /sessions/:id/expire", {
    id: "expireSession",
    summary: "Expire a checkout session now",
    params: idOf("a checkout session, or its `client_reference_id`"),
    answer: CheckoutSession,
    library: { takes: ["id"] },
    run: ({ sandbox, params }) => sandbox.payments.expireSession(params.id),
  }),
];
