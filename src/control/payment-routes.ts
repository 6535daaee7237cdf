import { CheckoutSession } from "../payments/schemas/checkout-sessions.ts";
import { Webhook } from "../payments/schemas/webhooks.ts";
import * as payments from "./payment-schemas.ts";
import { ControlError, dataOf, IdParams } from "./schemas.ts";
import { call } from "./table.ts";
import * as webhooks from "./webhook-schemas.ts";

/** Payments, as a payer and the dashboard make them. */
export const paymentRoutes = [
  call("POST /payments", {
    id: "pay",
    tag: "Payments",
    summary: "Trigger a payment",
    description:
      "Of a payment link (a session is opened) or of a session. Answers once the first deliveries were made, at most `settleTimeout` later.",
    body: payments.Pay,
    answer: payments.PayResult,
    run: ({ sandbox, body }) => sandbox.payments.pay(body),
  }),
  call("GET /payments/:id", {
    id: "followPayment",
    tag: "Payments",
    summary: "Follow a payment through its events and deliveries",
    description:
      "Takes a transaction or a checkout session. Returns the session's payments, the events they caused, and each attempt to deliver those events.",
    params: IdParams,
    answer: payments.PaymentStory,
    run: ({ sandbox, params }) => sandbox.payments.follow(params.id),
  }),
  call("POST /sessions/:id/expire", {
    id: "expireSession",
    tag: "Payments",
    summary: "Expire a checkout session now",
    params: IdParams,
    answer: CheckoutSession,
    run: ({ sandbox, params }) => sandbox.payments.expireSession(params.id),
  }),
];

const tag = "Webhooks";

export const webhookRoutes = [
  call("GET /webhooks", {
    id: "listWebhooksWithSecrets",
    tag,
    summary: "Every endpoint, with its secret",
    answer: dataOf(webhooks.WebhookWithSecret, "Webhooks"),
    run: ({ sandbox }) => ({ data: sandbox.payments.webhooks() }),
  }),
  call("POST /webhooks", {
    id: "registerWebhook",
    tag,
    summary: "Register an endpoint, with a secret of your choice",
    description:
      "Makes an endpoint, or enables and updates the one with the same URL and description. Without `secret` it has the one that the URL had last. It belongs to the organization of the API key in `Authorization`, or to the first one where there is no key.",
    body: webhooks.WebhookRegistration,
    answer: webhooks.WebhookWithSecret,
    otherAnswers: { 401: ControlError },
    run: ({ sandbox, body, headers, url }) => sandbox.payments.registerWebhook(body, headers, url),
  }),
  call("POST /webhooks/:id/enable", {
    id: "enableWebhook",
    tag,
    summary: "Enable a disabled endpoint, as its owner does in the dashboard",
    params: IdParams,
    answer: Webhook,
    run: ({ sandbox, params, url }) => sandbox.payments.enableWebhook(params.id, url),
  }),
  call("POST /webhooks/:id/disable", {
    id: "disableWebhook",
    tag,
    summary: "Disable an endpoint, as its owner does in the dashboard",
    params: IdParams,
    answer: Webhook,
    run: ({ sandbox, params, url }) => sandbox.payments.disableWebhook(params.id, url),
  }),
  call("GET /webhooks/:id/timeline", {
    id: "webhookTimeline",
    tag,
    summary: "Attempts, planned retries, the counter, what is ahead",
    params: IdParams,
    query: webhooks.TimelineQuery,
    answer: webhooks.Timeline,
    run: ({ sandbox, params, query }) => sandbox.payments.timeline(params.id, query.limit),
  }),
];
