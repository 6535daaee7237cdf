import { type Static, Type } from "typebox";
import {
  deletedOf,
  flag,
  integer,
  listOf,
  nullable,
  oneOf,
  shape,
  text,
  VirtualTime,
} from "../http/shapes.ts";
import { WebhookCreate } from "../payments/schemas/webhooks.ts";
import { EVENT_TYPES } from "../payments/webhooks/event-types.ts";
import { DeliveryCircumstances, Threshold, Timeline } from "../timeline/schemas.ts";
import { DeliveryListQuery, Webhook, WebhookDelivery, WebhookTestResult } from "../webhooks/schemas.ts";
import {
  body,
  ControlError,
  closed,
  dataOf,
  idOf,
  Limit,
  Organization,
  optional,
  partialBody,
} from "./common.ts";
import { operationsOf } from "./operation.ts";

export const WebhookEndpoint = Type.Object({
  ...Webhook.properties,
  secret: text("The signing secret. Pass it to the library's `verifySignature`."),
});
export const WebhookWithSecret = shape("WebhookWithSecret", {
  ...WebhookEndpoint.properties,
  organization: text(
    "The organization that owns the endpoint, or the sender's name if the sender is not the platform.",
  ),
  sender: text("The endpoint's sender: `platform`, or one from `senders`."),
  headers: Type.Record(Type.String(), Type.String(), {
    description: "Headers that the endpoint's deliveries contain in addition to the sender's.",
  }),
  threshold: Threshold,
  seeded: flag("Whether the endpoint is part of the demo data."),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookRegistration = body("WebhookRegistration", {
  ...WebhookCreate.properties,
  ...optional({
    events: Type.Array(Type.String({ examples: [...EVENT_TYPES, "*"] }), {
      maxItems: 20,
      description: "The event types to send. Default: all.",
    }),
    description: nullable(Type.String({ maxLength: 2000 }), { description: "What the endpoint is for." }),
    secret: text(
      "The signing secret, 1 to 200 characters on one line. Default: the secret last used for that URL.",
    ),
    headers: Type.Record(Type.String(), Type.String(), {
      description:
        "Headers that the endpoint's deliveries contain in addition to the sender's, such as X-Tenant: acme; may be repeated. Default: its current headers.",
    }),
    organization: text(
      "The id of the endpoint's organization. Default: the API key's organization, or the first one without an API key.",
    ),
    sender: Type.String({
      description: "The endpoint's sender: `platform` (the default), or one from GET /_sandbox/senders.",
      examples: ["stripe"],
    }),
    another: flag("Create another one, even if one with the same URL, events and description exists."),
  }),
});

export const RegisteredWebhook = shape("RegisteredWebhook", {
  ...WebhookWithSecret.properties,
  created: flag("Whether the endpoint was created now; false if it already existed."),
});

export const WebhookChange = partialBody("WebhookChange", {
  url: text("Where later deliveries go: https to any host, http to this machine."),
  events: Type.Array(Type.String({ examples: [...EVENT_TYPES, "*"] }), {
    maxItems: 20,
    description: "The event types to send, or * alone for all.",
  }),
  description: nullable(Type.String({ maxLength: 2000 }), { description: "What the endpoint is for." }),
  secret: text("The signing secret of later attempts, retries included: 1 to 200 characters on one line."),
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      "Headers that later deliveries contain in addition to the sender's, such as X-Tenant: acme; may be repeated. They replace the current headers.",
  }),
});

export const Retry = partialBody("Retry", {
  webhook_id: text("The id of the webhook endpoint that the delivery must have gone to."),
});

export const Resend = partialBody("Resend", {
  webhook_id: text("Resend an event only to this endpoint."),
});
export const Resent = dataOf(WebhookDelivery, "Resent");

export const RetryFailed = partialBody("RetryFailed", {
  since: Type.Union([Type.String(), Type.Number()], {
    description:
      "How far back, as a duration (such as 2h, or milliseconds) or a virtual time in ISO 8601. Default: 1d.",
    examples: ["2h"],
  }),
  webhook_id: text("Retry only deliveries that failed at this endpoint."),
});
export const RetriedFailed = shape("RetriedFailed", {
  since: VirtualTime,
  retried: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  pending: integer("Retries without a response so far; each times out in virtual time."),
  data: listOf(WebhookDelivery, "The new deliveries, in the order of the deliveries that they repeat."),
});

export const DeliveryDetails = shape("DeliveryDetails", {
  ...WebhookDelivery.properties,
  ...DeliveryCircumstances.properties,
});
export type DeliveryDetails = Static<typeof DeliveryDetails>;

export const Diagnosis = shape("Diagnosis", {
  verdict: oneOf(["found", "by-chance", "unknown", "untried"], {
    description:
      "`found`: your server accepts the event in only one variant. `by-chance`: it accepted the event unchanged. `unknown`: it refused every variant. `untried`: no variants were tested, because the sender's file signs events with its own code.",
  }),
  cause: text("The result, in a sentence or two."),
  fix: text("What to do next."),
  secret: nullable(Type.String(), {
    description:
      "The secret that your server verifies with, if a different secret is the cause; null otherwise.",
  }),
  tried: Type.Array(
    Type.Object({
      what: text("What differed from the delivery, such as `signed over JSON.stringify(body)`."),
      status: nullable(Type.Integer(), { description: "Your server's response; null if there was none." }),
    }),
    { description: "The requests, in order." },
  ),
});

const operation = operationsOf("Webhooks");
const EndpointParams = idOf("a webhook endpoint");
const DeliveryParams = idOf("a delivery");

/**
 * Operations on the endpoints of all organizations and on their deliveries. Each operation acts for the organization
 * that owns the endpoint.
 */
export const webhookOperations = [
  operation("webhooks.list", "GET /webhooks", {
    id: "listWebhooksWithSecrets",
    summary: "Every endpoint, with its secret",
    query: closed({ organization: Organization }),
    answer: dataOf(WebhookWithSecret, "Webhooks"),
    library: { gives: "data" },
  }),
  operation("webhooks.create", "POST /webhooks", {
    id: "registerWebhook",
    summary: "Register an endpoint, or find the existing one",
    description:
      "Returns the existing endpoint for the same URL, events and description, enabled and with `created: false`. If no such endpoint exists, or with `another`, creates one. Without `secret`, a new endpoint gets the secret last used for the URL, or a new secret with `another`. It belongs to the organization of the API key in `Authorization`, or to the first organization if there is no key.",
    body: WebhookRegistration,
    answer: RegisteredWebhook,
    otherAnswers: { 401: ControlError },
    library: { takes: [{ short: "url" }] },
  }),
  operation("webhooks.update", "PATCH /webhooks/:id", {
    id: "changeWebhook",
    summary: "Change an endpoint's URL, events, description, secret or headers",
    description:
      "Omitted fields stay as they are, as do the endpoint's history, planned retries and failures in a row; later attempts use the new values.",
    params: EndpointParams,
    body: WebhookChange,
    answer: WebhookWithSecret,
    library: { takes: ["id", "*"] },
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
    description: "The test changes no counter and is never retried.",
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
  operation("webhooks.delivery", "GET /deliveries/:id", {
    id: "getDelivery",
    summary: "Read a delivery of any endpoint, with its consequences",
    params: DeliveryParams,
    answer: DeliveryDetails,
  }),
  operation("webhooks.diagnose", "POST /deliveries/:id/diagnosis", {
    id: "diagnoseDelivery",
    reachesOut: true,
    summary: "Find out why your server refuses a delivery's signature",
    description:
      "Sends the event again in up to 50 variants, such as signed over `JSON.stringify(body)`, until your server accepts one: that is the cause. This creates no delivery and changes no counter, but a variant that your server accepts may change your server's data, as the event itself would.",
    params: DeliveryParams,
    answer: Diagnosis,
    library: { takes: ["id"] },
  }),
  operation("webhooks.resend", "POST /deliveries/:id/resend", {
    id: "resendDelivery",
    reachesOut: true,
    summary: "Send a delivered event again",
    description:
      "Takes a delivery, or an event, which is sent to every endpoint that received it. Each new delivery has the same body and `resend_of`; the failure counter and the retry schedule do not change, regardless of the result. This also works while the endpoint is disabled.",
    params: idOf("a delivery or an event"),
    body: Resend,
    answer: Resent,
    library: { takes: ["id", { options: { endpoint: "webhook_id" } }], gives: "data" },
  }),
  operation("webhooks.retry", "POST /deliveries/:id/retry", {
    id: "retryDelivery",
    reachesOut: true,
    summary: "Retry a failed delivery now",
    description:
      "Works like the retry in the platform's API, but needs neither the endpoint's id nor an API key.",
    params: DeliveryParams,
    body: Retry,
    answer: WebhookDelivery,
    library: { takes: ["webhook_id", "id"] },
  }),
  operation("webhooks.retryFailed", "POST /deliveries/retry", {
    id: "retryFailedDeliveries",
    reachesOut: true,
    summary: "Retry all failed deliveries since a time",
    description:
      "Does what you would do by hand after an outage: makes one attempt for each event that failed at an endpoint since then and did not arrive there later, oldest first. Each attempt is a manual retry.",
    body: RetryFailed,
    answer: RetriedFailed,
    library: { takes: [{ options: { endpoint: "webhook_id", since: "since" } }] },
  }),
  operation("webhooks.timeline", "GET /webhooks/:id/timeline", {
    id: "webhookTimeline",
    summary: "An endpoint's attempts, planned retries, failure counter and outlook",
    description:
      "Lists the latest attempts, the next planned and the latest skipped ones, at most `limit` of each, and counts the attempts before them in `earlier`. To go back in time, repeat the call with the first listed delivery as `before`.",
    params: EndpointParams,
    query: closed({
      limit: Limit,
      before: Type.Optional(text("Only attempts made before this delivery.")),
      slices: Type.Integer({
        minimum: 0,
        maximum: 1_000,
        default: 0,
        description:
          "The number of equal time slices into which `earlier` divides the attempts that are not listed.",
      }),
    }),
    answer: Timeline,
    library: { takes: ["id"] },
  }),
];
