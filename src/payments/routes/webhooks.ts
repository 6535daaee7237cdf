import type { App } from "../../http/types.ts";
import { listEnvelope } from "../listing.ts";
import { errorResponses, NoQuery } from "../schemas/common.ts";
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
import { apiPath, change, changeLater } from "./support.ts";

const tags = ["Webhooks"];

export function webhookRoutes(app: App): void {
  app.get(
    "/webhooks",
    {
      schema: {
        operationId: "listWebhooks",
        summary: "List webhook endpoints",
        tags,
        querystring: WebhookListQuery,
        response: { 200: WebhookList, ...errorResponses },
      },
    },
    (request) => {
      const { data, total } = request.payments.endpoints.list(request.caller.org, request.query);
      return listEnvelope(data, total, request.query, apiPath(request));
    },
  );

  app.post(
    "/webhooks",
    {
      schema: {
        operationId: "createWebhook",
        summary: "Create a webhook endpoint",
        description: "The answer shows the signing secret, once.",
        tags,
        querystring: NoQuery,
        body: WebhookCreate,
        response: { 201: WebhookCreated, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 201, () => request.payments.endpoints.create(request.caller, request.body)),
  );

  app.get(
    "/webhooks/:webhook_id",
    {
      schema: {
        operationId: "getWebhook",
        summary: "Read a webhook endpoint",
        tags,
        params: WebhookParams,
        querystring: NoQuery,
        response: { 200: Webhook, ...errorResponses },
      },
    },
    (request) => request.payments.endpoints.get(request.caller.org, request.params.webhook_id),
  );

  app.patch(
    "/webhooks/:webhook_id",
    {
      schema: {
        operationId: "updateWebhook",
        summary: "Update a webhook endpoint",
        tags,
        params: WebhookParams,
        querystring: NoQuery,
        body: WebhookUpdate,
        response: { 200: Webhook, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () =>
        request.payments.endpoints.update(request.caller, request.params.webhook_id, request.body),
      ),
  );

  app.delete(
    "/webhooks/:webhook_id",
    {
      schema: {
        operationId: "deleteWebhook",
        summary: "Delete a webhook endpoint",
        tags,
        params: WebhookParams,
        querystring: NoQuery,
        response: { 200: WebhookDeleted, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () =>
        request.payments.endpoints.delete(request.caller, request.params.webhook_id),
      ),
  );

  app.get(
    "/webhooks/:webhook_id/deliveries",
    {
      schema: {
        operationId: "listWebhookDeliveries",
        summary: "Delivery history of a webhook endpoint",
        description: "One record for each attempt, newest first.",
        tags,
        params: WebhookParams,
        querystring: DeliveryListQuery,
        response: { 200: WebhookDeliveryList, ...errorResponses },
      },
    },
    (request) => {
      const { data, total } = request.payments.deliveries.list(
        request.caller.org,
        request.params.webhook_id,
        request.query,
      );
      return listEnvelope(data, total, request.query, apiPath(request));
    },
  );

  app.get(
    "/webhooks/:webhook_id/deliveries/:delivery_id",
    {
      schema: {
        operationId: "getWebhookDelivery",
        summary: "Read a delivery",
        tags,
        params: DeliveryParams,
        querystring: NoQuery,
        response: { 200: WebhookDelivery, ...errorResponses },
      },
    },
    (request) => {
      const { webhook_id: webhookId, delivery_id: deliveryId } = request.params;
      return request.payments.deliveries.get(request.caller.org, webhookId, deliveryId);
    },
  );

  app.post(
    "/webhooks/:webhook_id/deliveries/:delivery_id/retry",
    {
      schema: {
        operationId: "retryWebhookDelivery",
        summary: "Retry a failed delivery now",
        description:
          "Answers with the new delivery. It works while the endpoint is disabled, and leaves planned retries alone unless it succeeds.",
        tags,
        params: DeliveryParams,
        querystring: NoQuery,
        response: { 200: WebhookDelivery, ...errorResponses },
      },
    },
    async (request, reply) => {
      const { payments, caller, params } = request;
      return changeLater(request, reply, async () =>
        payments.deliveries.resource(
          await payments.deliveries.retry(caller.org, params.webhook_id, params.delivery_id),
        ),
      );
    },
  );

  app.post(
    "/webhooks/:webhook_id/test",
    {
      schema: {
        operationId: "testWebhook",
        summary: "Send a synthetic event",
        description:
          "A payment.completed with mock data and the test header. It changes no counter and is never retried.",
        tags,
        params: WebhookParams,
        querystring: NoQuery,
        response: { 200: WebhookTestResult, ...errorResponses },
      },
    },
    async (request, reply) =>
      changeLater(request, reply, async () => {
        const row = await request.payments.deliveries.test(request.caller.org, request.params.webhook_id);
        return { delivery_id: row.id, response_code: row.response_code, success: row.status === "success" };
      }),
  );
}
