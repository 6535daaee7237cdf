import {
  DeliveryListQuery,
  DeliveryParams,
  Webhook,
  WebhookCreate,
  WebhookCreated,
  WebhookDeleted,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookListQuery,
  WebhookParams,
  WebhookTestResult,
  WebhookUpdate,
} from "../schemas/webhooks.ts";
import { changes, changesLater, lists, reads } from "./table.ts";

const tag = "Webhooks";

export const webhookRoutes = [
  lists("GET /webhooks", {
    id: "listWebhooks",
    tag,
    summary: "List webhook endpoints",
    query: WebhookListQuery,
    answer: WebhookList,
    run: ({ payments, caller, query }) => payments.endpoints.list(caller.org, query),
  }),
  changes("POST /webhooks", {
    id: "createWebhook",
    tag,
    summary: "Create a webhook endpoint",
    description: "The answer shows the signing secret, once.",
    body: WebhookCreate,
    answer: WebhookCreated,
    status: 201,
    run: ({ payments, caller, body }) => payments.endpoints.create(caller, body),
  }),
  reads("GET /webhooks/:webhook_id", {
    id: "getWebhook",
    tag,
    summary: "Read a webhook endpoint",
    params: WebhookParams,
    answer: Webhook,
    run: ({ payments, caller, params }) => payments.endpoints.get(caller.org, params.webhook_id),
  }),
  changes("PATCH /webhooks/:webhook_id", {
    id: "updateWebhook",
    tag,
    summary: "Update a webhook endpoint",
    params: WebhookParams,
    body: WebhookUpdate,
    answer: Webhook,
    run: ({ payments, caller, params, body }) => payments.endpoints.update(caller, params.webhook_id, body),
  }),
  changes("DELETE /webhooks/:webhook_id", {
    id: "deleteWebhook",
    tag,
    summary: "Delete a webhook endpoint",
    params: WebhookParams,
    answer: WebhookDeleted,
    run: ({ payments, caller, params }) => payments.endpoints.delete(caller, params.webhook_id),
  }),
  lists("GET /webhooks/:webhook_id/deliveries", {
    id: "listWebhookDeliveries",
    tag,
    summary: "Delivery history of a webhook endpoint",
    description: "One record for each attempt, newest first.",
    params: WebhookParams,
    query: DeliveryListQuery,
    answer: WebhookDeliveryList,
    run: ({ payments, caller, params, query }) =>
      payments.deliveries.list(caller.org, params.webhook_id, query),
  }),
  reads("GET /webhooks/:webhook_id/deliveries/:delivery_id", {
    id: "getWebhookDelivery",
    tag,
    summary: "Read a delivery",
    params: DeliveryParams,
    answer: WebhookDelivery,
    run: ({ payments, caller, params }) =>
      payments.deliveries.get(caller.org, params.webhook_id, params.delivery_id),
  }),
  changesLater("POST /webhooks/:webhook_id/deliveries/:delivery_id/retry", {
    id: "retryWebhookDelivery",
    tag,
    summary: "Retry a failed delivery now",
    description:
      "Answers with the new delivery. It works while the endpoint is disabled, and leaves planned retries alone unless it succeeds.",
    params: DeliveryParams,
    answer: WebhookDelivery,
    async run({ payments: { deliveries }, caller, params }) {
      return deliveries.resource(await deliveries.retry(caller.org, params.webhook_id, params.delivery_id));
    },
  }),
  changesLater("POST /webhooks/:webhook_id/test", {
    id: "testWebhook",
    tag,
    summary: "Send a synthetic event",
    description:
      "A payment.completed with mock data and the test header. It changes no counter and is never retried.",
    params: WebhookParams,
    answer: WebhookTestResult,
    async run({ payments, caller, params }) {
      const row = await payments.deliveries.test(caller.org, params.webhook_id);
      return { delivery_id: row.id, response_code: row.response_code, success: row.status === "success" };
    },
  }),
];
