import { type Static, Type } from "typebox";
import { nullable, oneOf, shape } from "../../http/shapes.ts";
import {
  DeliveryStatus,
  DeliveryTrigger,
  SentType,
  Webhook,
  WebhookCreate,
  WebhookDelivery,
} from "../../payments/schemas/webhooks.ts";
import { EVENT_TYPES } from "../../payments/webhooks/event-types.ts";
import { ENDPOINT_CHANGES, ENDPOINT_STATES, SKIP_REASONS } from "../../timeline/endpoint-state.ts";
import { DELIVERY_ERRORS } from "../../timeline/shapes.ts";
import { body, closed, dataOf, Limit, partialBody, VirtualTime } from "./common.ts";

/** Shapes of the control API's calls about webhooks: endpoints and timelines. */

const Threshold = nullable(
  Type.Integer({ description: "Failures in a row that disable it; null if their number does not." }),
);

export const WebhookEndpoint = Type.Object({
  ...Webhook.properties,
  secret: Type.String({ description: "The signing secret; the library's `verifySignature` takes it." }),
});
export const WebhookWithSecret = shape("WebhookWithSecret", {
  ...WebhookEndpoint.properties,
  organization: Type.String({
    description: "The organization that it belongs to; the sender's name, where it is not the platform's.",
  }),
  sender: Type.String({ description: "Who sends to it: `platform`, or a sender of `senders`." }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: "What its deliveries carry besides the headers of the sender.",
  }),
  threshold: Threshold,
  seeded: Type.Boolean({ description: "Whether it belongs to the seeded past." }),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookRegistration = body("WebhookRegistration", {
  ...WebhookCreate.properties,
  events: Type.Optional(
    Type.Array(Type.String({ examples: [...EVENT_TYPES, "*"] }), {
      maxItems: 20,
      description: "Only these types of events. Default: all.",
    }),
  ),
  description: Type.Optional(
    nullable(Type.String({ maxLength: 2000 }), { description: "What the endpoint is for." }),
  ),
  secret: Type.Optional(
    Type.String({
      description:
        "The signing secret, 1 to 200 characters in one line. Default: the last secret of that URL.",
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description:
        "What its deliveries carry besides the headers of the sender, such as X-Tenant: acme; may be repeated. Default: those that it has.",
    }),
  ),
  organization: Type.Optional(
    Type.String({ description: "The id of its organization. Default: that of the API key, or the first." }),
  ),
  sender: Type.Optional(
    Type.String({
      description: "Who sends to it: `platform`, the default, or a sender of GET /_sandbox/senders.",
      examples: ["stripe"],
    }),
  ),
  another: Type.Optional(
    Type.Boolean({
      description: "One more, even where there is one of the same URL, events and description.",
    }),
  ),
});

export const RegisteredWebhook = shape("RegisteredWebhook", {
  ...WebhookWithSecret.properties,
  created: Type.Boolean({ description: "Whether it was made now; false for the one that was there." }),
});

export const Retry = partialBody("Retry", {
  webhook_id: Type.String({
    description: "The id of a webhook endpoint, to which the delivery must have gone.",
  }),
});

export const Resend = partialBody("Resend", {
  webhook_id: Type.String({ description: "Resend an event to this endpoint alone." }),
});
export const Resent = dataOf(WebhookDelivery, "Resent");

export const RetryFailed = partialBody("RetryFailed", {
  since: Type.Union([Type.String(), Type.Number()], {
    description: "How far back, such as 2h or milliseconds, or a virtual time in ISO 8601. Default: 1d.",
    examples: ["2h"],
  }),
  webhook_id: Type.String({ description: "Retry what failed at this endpoint alone." }),
});
export const RetriedFailed = shape("RetriedFailed", {
  since: VirtualTime,
  retried: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  pending: Type.Integer({ description: "Without a response so far; each times out on virtual time." }),
  data: Type.Array(WebhookDelivery, {
    description: "The new deliveries, in the order of those they repeat.",
  }),
});

export const TimelineQuery = closed({
  limit: Limit,
  before: Type.Optional(Type.String({ description: "Only attempts made before this delivery." })),
  slices: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 0,
    description: "Into how many equal stretches of time `earlier` divides the attempts that are not listed.",
  }),
});

export const TimelineAttempt = shape("TimelineAttempt", {
  delivery_id: Type.String(),
  event_id: Type.String(),
  event: SentType,
  attempt: Type.Integer(),
  trigger: DeliveryTrigger,
  retry_of: nullable(Type.String()),
  resend_of: nullable(Type.String()),
  status: DeliveryStatus,
  response_code: nullable(Type.Integer()),
  error: nullable(oneOf(DELIVERY_ERRORS)),
  error_detail: nullable(Type.String()),
  started_at: VirtualTime,
  ended_at: nullable(VirtualTime),
  duration_ms: nullable(Type.Integer()),
  consecutive_failures: nullable(
    Type.Integer({
      description: "Failures in a row after it; null while it is pending, and for a test or a resend.",
    }),
  ),
  next_attempt_at: nullable(VirtualTime),
});
export type TimelineAttempt = Static<typeof TimelineAttempt>;

export const DeliveryDetails = shape("DeliveryDetails", {
  ...WebhookDelivery.properties,
  simulated: nullable(
    Type.Object({
      by: oneOf(["fault", "inbox", "seed"]),
      name: Type.String({ description: "Of the fault, such as `status:503`, of the inbox, or of the seed." }),
      called: Type.Boolean({ description: "Whether a subscriber was called." }),
    }),
    { description: "What the sandbox put in place of a subscriber's answer; null for a real one." },
  ),
  signature: oneOf(["valid", "invalid", "missing"], {
    description: "Whether the signature sent matches the body and the endpoint's present secret.",
  }),
  endpoint: Type.Object({
    id: Type.String(),
    url: Type.String(),
    status: oneOf(ENDPOINT_STATES),
    consecutive_failures: Type.Integer(),
    threshold: Threshold,
  }),
  plan: nullable(
    Type.Object({
      state: oneOf(["active", "delivered", "exhausted", "skipped"]),
      reason: nullable(Type.String()),
      attempts: Type.Integer({ description: "Automatic attempts begun so far." }),
      next_attempt_at: nullable(VirtualTime),
    }),
    { description: "The event's retry schedule at the endpoint; null for a test." },
  ),
  event_attempts: Type.Array(TimelineAttempt, {
    description: "Every attempt of the event at the endpoint, oldest first.",
  }),
});
export type DeliveryDetails = Static<typeof DeliveryDetails>;

const ahead = { event_id: Type.String(), attempt: Type.Integer(), due_at: VirtualTime };
export const PlannedAttempt = Type.Object({ ...ahead, event: SentType });
export const SkippedAttempt = Type.Object({
  event_id: Type.String(),
  event: SentType,
  attempt: Type.Integer(),
  reason: nullable(oneOf(SKIP_REASONS)),
  at: VirtualTime,
});
export const FailureCounter = Type.Object({
  consecutive_failures: Type.Integer(),
  threshold: Threshold,
  counts: oneOf(["attempts", "exhausted"], {
    description: "What counts as a failure: each failed attempt, or an event whose attempts are used up.",
  }),
});
export const EarlierAttempts = Type.Object(
  {
    attempts: Type.Integer(),
    since: nullable(Type.String({ description: "When the first of them was made, virtual time, ISO 8601." })),
    slices: Type.Array(
      Type.Object({
        from: VirtualTime,
        to: VirtualTime,
        success: Type.Integer(),
        failed: Type.Integer(),
        pending: Type.Integer(),
      }),
      {
        description:
          "How they ended, by stretches of time, where the request asks for `slices`; empty stretches are left out.",
      },
    ),
  },
  { description: "Attempts made before those in `attempts`, which are not listed." },
);
export const TimelineChange = Type.Object({
  type: oneOf([...ENDPOINT_CHANGES, "mail"]),
  reason: nullable(Type.String()),
  at: VirtualTime,
});

export const Timeline = shape("Timeline", {
  webhook_id: Type.String(),
  now: VirtualTime,
  status: oneOf(ENDPOINT_STATES),
  counter: FailureCounter,
  retry_delays: Type.Array(Type.Integer(), {
    description: "Milliseconds from the end of failed attempt 1, 2 and 3 to the next one.",
  }),
  attempts: Type.Array(TimelineAttempt, { description: "Attempts made, oldest first." }),
  earlier: EarlierAttempts,
  planned: Type.Array(PlannedAttempt, { description: "Attempts that are due later." }),
  skipped: Type.Array(SkippedAttempt, { description: "Attempts that will not be made, the latest ones." }),
  forecast: Type.Object(
    { attempts: Type.Array(Type.Object(ahead)), disabled_at: nullable(VirtualTime) },
    {
      description: "The attempts to come if every one of them fails, and when that disables the endpoint.",
    },
  ),
  changes: Type.Array(TimelineChange, {
    description: "What was done to the endpoint, and e-mails about it.",
  }),
});
export type Timeline = Static<typeof Timeline>;
