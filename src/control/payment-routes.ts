import { CheckoutSession } from "../payments/schemas/checkout-sessions.ts";
import { Webhook, WebhookDelivery } from "../payments/schemas/webhooks.ts";
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
      "Takes a transaction, a checkout session, or an event of either. Returns the session's payments, the events they caused, and each attempt to deliver those events.",
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
  call("GET /deliveries/:id", {
    id: "getDelivery",
    tag,
    summary: "Read a delivery and what followed from it, whichever endpoint it went to",
    params: IdParams,
    answer: webhooks.DeliveryStory,
    run: ({ sandbox, params }) => sandbox.payments.delivery(params.id),
  }),
  call("POST /deliveries/:id/resend", {
    id: "resendDelivery",
    tag,
    summary: "Send a delivered event once more",
    description:
      "Of a delivery, or of an event: then to every endpoint that got it. Each new delivery has the same body and `resend_of`; the failure counter and the retry schedule do not change, whatever the result. It works while the endpoint is disabled.",
    params: IdParams,
    body: webhooks.Resend,
    answer: webhooks.Resent,
    run: ({ sandbox, params, body }) => sandbox.payments.resend(params.id, body ?? {}),
  }),
  call("POST /deliveries/:id/retry", {
    id: "retryDelivery",
    tag,
    summary: "Retry a failed delivery now",
    description: "As the platform's own retry does, without the endpoint's id and an API key.",
    params: IdParams,
    answer: WebhookDelivery,
    run: ({ sandbox, params }) => sandbox.payments.retry(params.id),
  }),
  call("POST /deliveries/retry", {
    id: "retryFailedDeliveries",
    tag,
    summary: "Retry all failed deliveries since a time",
    description:
      "What a person does after an outage: one attempt for each event that failed at an endpoint since then and did not arrive there later, oldest first. Each is a manual retry.",
    body: webhooks.RetryFailed,
    answer: webhooks.RetriedFailed,
    run: ({ sandbox, body }) => sandbox.payments.retryFailed(body ?? {}),
  }),
  call("GET /webhooks/:id/timeline", {
    id: "webhookTimeline",
    tag,
    summary: "Attempts, planned retries, the counter, what is ahead",
    description:
      "Lists the latest attempts, the next planned and the latest skipped ones, at most `limit` of each, and counts the attempts before them in `earlier`. To go back in time, repeat the call with the first listed delivery as `before`.",
    params: IdParams,
    query: webhooks.TimelineQuery,
    answer: webhooks.Timeline,
    run: ({ sandbox, params, query }) => sandbox.payments.timeline(params.id, query.limit, query),
  }),
];
