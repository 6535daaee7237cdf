import type { App } from "../http/types.ts";
import { CheckoutSession } from "../payments/schemas/checkout-sessions.ts";
import { Webhook } from "../payments/schemas/webhooks.ts";
import * as shapes from "./schemas.ts";
import * as webhooks from "./webhook-schemas.ts";

const tags = (name: string) => ({ tags: [name] });

/** What a payer and the dashboard do. */
export function paymentRoutes(app: App): void {
  app.post(
    "/payments",
    {
      schema: {
        operationId: "pay",
        summary: "Trigger a payment",
        description:
          "Of a payment link (a session is opened) or of a session. Answers once the first deliveries were made, at most `settleTimeout` later.",
        ...tags("Payments"),
        body: shapes.Pay,
        response: { 200: shapes.PayResult, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body }) => sandbox.payments.pay(body),
  );
  app.get(
    "/payments/:id",
    {
      schema: {
        operationId: "followPayment",
        summary: "What became of a payment",
        description:
          "Of a transaction or a checkout session: the payments of the session, the events they caused, and each attempt to deliver those.",
        ...tags("Payments"),
        params: shapes.IdParams,
        response: { 200: webhooks.PaymentStory, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => sandbox.payments.follow(params.id),
  );
  app.post(
    "/sessions/:id/expire",
    {
      schema: {
        operationId: "expireSession",
        summary: "Expire a checkout session now",
        ...tags("Payments"),
        params: shapes.IdParams,
        response: { 200: CheckoutSession, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => sandbox.payments.expireSession(params.id),
  );
}

export function webhookRoutes(app: App): void {
  const one = { ...tags("Webhooks"), params: shapes.IdParams };
  app.get(
    "/webhooks",
    {
      schema: {
        operationId: "listWebhooksWithSecrets",
        summary: "Every endpoint, with its secret",
        ...tags("Webhooks"),
        response: { 200: shapes.dataOf(webhooks.WebhookWithSecret, "Webhooks"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.payments.webhooks() }),
  );
  app.post(
    "/webhooks",
    {
      schema: {
        operationId: "registerWebhook",
        summary: "Register an endpoint, with a secret of your choice",
        description:
          "Makes an endpoint, or enables and updates the one with the same URL and description. Without `secret` it has the one that the URL had last. It belongs to the organization of the API key in `Authorization`, or to the first one where there is no key.",
        ...tags("Webhooks"),
        body: webhooks.WebhookRegistration,
        response: { 200: webhooks.WebhookWithSecret, 401: shapes.ControlError, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body, headers, url }) => sandbox.payments.registerWebhook(body, headers, url),
  );
  app.post(
    "/webhooks/:id/enable",
    {
      schema: {
        operationId: "enableWebhook",
        summary: "Enable a disabled endpoint, as its owner does in the dashboard",
        ...one,
        response: { 200: Webhook, ...shapes.controlErrors },
      },
    },
    async (request) => request.sandbox.payments.enableWebhook(request.params.id, request.url),
  );
  app.post(
    "/webhooks/:id/disable",
    {
      schema: {
        operationId: "disableWebhook",
        summary: "Disable an endpoint, as its owner does in the dashboard",
        ...one,
        response: { 200: Webhook, ...shapes.controlErrors },
      },
    },
    async (request) => request.sandbox.payments.disableWebhook(request.params.id, request.url),
  );
  app.get(
    "/webhooks/:id/timeline",
    {
      schema: {
        operationId: "webhookTimeline",
        summary: "Attempts, planned retries, the counter, what is ahead",
        ...one,
        querystring: shapes.TimelineQuery,
        response: { 200: webhooks.Timeline, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params, query }) => sandbox.payments.timeline(params.id, query.limit),
  );
}
