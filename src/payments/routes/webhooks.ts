import { DeliveryListQuery, WebhookDelivery, WebhookTestResult } from "../../webhooks/schemas.ts";
import { listOf } from "../schemas/common.ts";
import { DeliveryParams, WEBHOOKS, WebhookParams } from "../schemas/webhooks.ts";
import { resourceRoutes } from "./resource.ts";
import { changesLater, lists, reads, tagged } from "./table.ts";

export const webhookRoutes = tagged("Webhooks", [
  ...resourceRoutes({
    path: "/webhooks",
    id: "webhook_id",
    label: "webhook endpoint",
    resource: ({ endpoints }) => endpoints,
    schemas: WEBHOOKS,
    notes: { create: "The signing secret is only shown in this response." },
  }),
  lists("GET /webhooks/:webhook_id/deliveries", {
    id: "listWebhookDeliveries",
    summary: "List the delivery history of a webhook endpoint",
    description: "One record for each attempt, newest first.",
    params: WebhookParams,
    query: DeliveryListQuery,
    answer: listOf(WebhookDelivery),
    run: ({ payments, caller, params, query }) =>
      payments.webhooks.listDeliveries(caller.org, params.webhook_id, query),
  }),
  reads("GET /webhooks/:webhook_id/deliveries/:delivery_id", {
    id: "getWebhookDelivery",
    summary: "Read a delivery",
    params: DeliveryParams,
    answer: WebhookDelivery,
    run: ({ payments, caller, params }) =>
      payments.webhooks.deliveries.get(caller.org, params.webhook_id, params.delivery_id),
  }),
  changesLater("POST /webhooks/:webhook_id/deliveries/:delivery_id/retry", {
    id: "retryWebhookDelivery",
    summary: "Retry a failed delivery now",
    description:
      "Returns the new delivery. It works while the endpoint is disabled, and cancels planned retries only if it succeeds.",
    params: DeliveryParams,
    answer: WebhookDelivery,
    async run({
      payments: {
        webhooks: { deliveries },
      },
      caller,
      params,
    }) {
      return deliveries.resource(await deliveries.retry(caller.org, params.webhook_id, params.delivery_id));
    },
  }),
  changesLater("POST /webhooks/:webhook_id/test", {
    id: "testWebhook",
    summary: "Send a synthetic event",
    description:
      "A payment.completed with mock data and the test header. It changes no counter and is never retried.",
    params: WebhookParams,
    answer: WebhookTestResult,
    async run({ payments, caller, params }) {
      const row = await payments.webhooks.deliveries.test(caller.org, params.webhook_id);
      return { delivery_id: row.id, response_code: row.response_code, success: row.status === "success" };
    },
  }),
]);
