import { deletedOf } from "../payments/schemas/common.ts";
import {
  DeliveryListQuery,
  Webhook,
  WebhookDelivery,
  WebhookTestResult,
} from "../payments/schemas/webhooks.ts";
import { operationsOf } from "./operation.ts";
import { ControlError, closed, dataOf, idOf, Organization } from "./schemas/common.ts";
import * as webhooks from "./schemas/webhooks.ts";

const operation = operationsOf("Webhooks");
const EndpointParams = idOf("a webhook endpoint");
const DeliveryParams = idOf("a delivery");

/** Endpoints of every organization, and their deliveries: each operation acts for its endpoint's organization. */
export const webhookOperations = [
  operation("webhooks.list", "GET /webhooks", {
    id: "listWebhooksWithSecrets",
    summary: "Every endpoint, with its secret",
    query: closed({ organization: Organization }),
    answer: dataOf(webhooks.WebhookWithSecret, "Webhooks"),
    library: { gives: "data" },
  }),
  operation("webhooks.create", "POST /webhooks", {
    id: "registerWebhook",
    summary: "Register an endpoint, or find the one that is there",
    description:
      "Returns the endpoint that there is for the same URL, events and description, enabled and with `created: false`; with `another`, or without such an endpoint, makes one. Without `secret` it has the one that the URL had last, or with `another` one of its own. It belongs to the organization of the API key in `Authorization`, or to the first one where there is no key.",
    body: webhooks.WebhookRegistration,
    answer: webhooks.RegisteredWebhook,
    otherAnswers: { 401: ControlError },
    library: { takes: [{ short: "url" }] },
  }),
  operation("webhooks.enable", "POST /webhooks/:id/enable", {
    id: "enableWebhook",
    summary: "Enable a disabled endpoint, as its owner does in the dashboard",
    params: EndpointParams,
    answer: Webhook,
    library: { takes: ["id"] },
  }),
  operation("webhooks.disable", "POST /webhooks/:id/disable", {
    id: "disableWebhook",
    summary: "Disable an endpoint, as its owner does in the dashboard",
    params: EndpointParams,
    answer: Webhook,
    library: { takes: ["id"] },
  }),
  operation("webhooks.test", "POST /webhooks/:id/test", {
    id: "sendTestWebhook",
    reachesOut: true,
    summary: "Send a synthetic payment.completed now",
    description: "It changes no counter and is never retried.",
    params: EndpointParams,
    answer: WebhookTestResult,
    library: { takes: ["id"] },
  }),
  operation("webhooks.delete", "DELETE /webhooks/:id", {
    id: "removeWebhook",
    effect: "ends",
    summary: "Delete an endpoint; its timeline stays readable",
    params: EndpointParams,
    answer: deletedOf(Webhook),
    library: { takes: ["id"], gives: null },
  }),
  operation("webhooks.deliveries", "GET /webhooks/:id/deliveries", {
    id: "listDeliveries",
    summary: "The attempts of an endpoint with requests and responses, newest first",
    params: EndpointParams,
    query: closed(DeliveryListQuery.properties),
    answer: dataOf(WebhookDelivery, "Deliveries"),
    library: { takes: ["id"], gives: "data", always: { limit: 100 } },
  }),
  operation("deliveries.get", "GET /deliveries/:id", {
    id: "getDelivery",
    summary: "Read a delivery and what followed from it, whichever endpoint it went to",
    params: DeliveryParams,
    answer: webhooks.DeliveryDetails,
  }),
  operation("webhooks.resend", "POST /deliveries/:id/resend", {
    id: "resendDelivery",
    reachesOut: true,
    summary: "Send a delivered event once more",
    description:
      "Of a delivery, or of an event: then to every endpoint that got it. Each new delivery has the same body and `resend_of`; the failure counter and the retry schedule do not change, whatever the result. It works while the endpoint is disabled.",
    params: idOf("a delivery or an event"),
    body: webhooks.Resend,
    answer: webhooks.Resent,
    library: { takes: ["id", { options: { endpoint: "webhook_id" } }], gives: "data" },
  }),
  operation("webhooks.retry", "POST /deliveries/:id/retry", {
    id: "retryDelivery",
    reachesOut: true,
    summary: "Retry a failed delivery now",
    description: "As the platform's own retry does, without the endpoint's id and an API key.",
    params: DeliveryParams,
    body: webhooks.Retry,
    answer: WebhookDelivery,
    library: { takes: ["webhook_id", "id"] },
  }),
  operation("webhooks.retryFailed", "POST /deliveries/retry", {
    id: "retryFailedDeliveries",
    reachesOut: true,
    summary: "Retry all failed deliveries since a time",
    description:
      "What a person does after an outage: one attempt for each event that failed at an endpoint since then and did not arrive there later, oldest first. Each is a manual retry.",
    body: webhooks.RetryFailed,
    answer: webhooks.RetriedFailed,
    library: { takes: [{ options: { endpoint: "webhook_id", since: "since" } }] },
  }),
  operation("webhooks.timeline", "GET /webhooks/:id/timeline", {
    id: "webhookTimeline",
    summary: "Attempts, planned retries, the counter, what is ahead",
    description:
      "Lists the latest attempts, the next planned and the latest skipped ones, at most `limit` of each, and counts the attempts before them in `earlier`. To go back in time, repeat the call with the first listed delivery as `before`.",
    params: EndpointParams,
    query: webhooks.TimelineQuery,
    answer: webhooks.Timeline,
    library: { takes: ["id"] },
  }),
];
