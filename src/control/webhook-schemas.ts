import { type Static, Type } from "typebox";
import { CheckoutSession } from "../payments/schemas/checkout-sessions.ts";
import { Transaction } from "../payments/schemas/transactions.ts";
import { Webhook, WebhookCreate } from "../payments/schemas/webhooks.ts";
import { DELIVERY_ERRORS } from "../payments/webhooks/failures.ts";
import { closed, enumOf, VirtualTime } from "./schemas.ts";

/** Shapes of the control API's calls about webhooks: endpoints, timelines, and what became of a payment. */

const Nullable = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

export const WebhookWithSecret = Type.Object(
  {
    ...Webhook.properties,
    organization: Type.String(),
    secret: Type.String(),
    threshold: Type.Integer({ description: "Failures in a row that disable it." }),
  },
  { title: "WebhookWithSecret" },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookRegistration = Type.Object(
  {
    ...WebhookCreate.properties,
    secret: Type.Optional(Type.String({ description: "1 to 200 characters in one line." })),
  },
  { ...closed, title: "WebhookRegistration" },
);

export const TimelineAttempt = Type.Object(
  {
    delivery_id: Type.String(),
    event_id: Type.String(),
    event: Type.String(),
    attempt: Type.Integer(),
    trigger: Type.Unsafe<"automatic" | "manual" | "test">(enumOf(["automatic", "manual", "test"])),
    retry_of: Nullable(Type.String()),
    status: Type.Unsafe<"pending" | "success" | "failed">(enumOf(["pending", "success", "failed"])),
    response_code: Nullable(Type.Integer()),
    error: Nullable(enumOf(DELIVERY_ERRORS)),
    error_detail: Nullable(Type.String()),
    started_at: VirtualTime,
    ended_at: Nullable(VirtualTime),
    duration_ms: Nullable(Type.Integer()),
    consecutive_failures: Nullable(
      Type.Integer({ description: "Failures in a row after it; null while it is pending, and for a test." }),
    ),
    next_attempt_at: Nullable(VirtualTime),
  },
  { title: "TimelineAttempt" },
);
export type TimelineAttempt = Static<typeof TimelineAttempt>;

const ahead = { event_id: Type.String(), attempt: Type.Integer(), due_at: VirtualTime };

export const Timeline = Type.Object(
  {
    webhook_id: Type.String(),
    now: VirtualTime,
    status: Type.Unsafe<"enabled" | "disabled" | "deleted">(enumOf(["enabled", "disabled", "deleted"])),
    counter: Type.Object({
      consecutive_failures: Type.Integer(),
      threshold: Type.Integer(),
      counts: Type.Unsafe<"attempts" | "exhausted">({
        ...enumOf(["attempts", "exhausted"]),
        description: "What counts as a failure: each failed attempt, or an event whose attempts are used up.",
      }),
    }),
    attempts: Type.Array(TimelineAttempt, { description: "Attempts made, oldest first." }),
    planned: Type.Array(Type.Object({ ...ahead, event: Type.String() }), {
      description: "Attempts that are due later.",
    }),
    skipped: Type.Array(
      Type.Object({
        event_id: Type.String(),
        event: Type.String(),
        attempt: Type.Integer(),
        reason: Nullable(Type.String()),
        at: VirtualTime,
      }),
      { description: "Attempts that will not be made, and why." },
    ),
    forecast: Type.Object({
      attempts: Type.Array(Type.Object(ahead), { description: "The attempts to come if every one fails." }),
      disabled_at: Nullable(VirtualTime),
    }),
    changes: Type.Array(
      Type.Object({
        type: enumOf(["created", "updated", "disabled", "enabled", "deleted", "mail"]),
        reason: Nullable(Type.String()),
        at: VirtualTime,
      }),
    ),
  },
  { title: "Timeline" },
);
export type Timeline = Static<typeof Timeline>;

export const InboxSummary = Type.Object(
  { name: Type.String(), messages: Type.Integer(), last_received_at: VirtualTime },
  { title: "InboxSummary" },
);
export type InboxSummary = Static<typeof InboxSummary>;

export const PaymentStory = Type.Object(
  {
    session: Nullable(CheckoutSession),
    payments: Type.Array(Transaction, { description: "Of the session, oldest first." }),
    events: Type.Array(
      Type.Object({
        id: Type.String(),
        type: Type.String(),
        about: Type.String({ description: "The transaction or session that it tells of." }),
        created_at: VirtualTime,
        endpoints: Type.Array(
          Type.Object({
            webhook_id: Type.String(),
            url: Type.String(),
            state: Type.Unsafe<"active" | "delivered" | "exhausted" | "skipped">(
              enumOf(["active", "delivered", "exhausted", "skipped"]),
            ),
            reason: Nullable(Type.String()),
            next_attempt_at: Nullable(VirtualTime),
            deliveries: Type.Array(TimelineAttempt),
          }),
        ),
      }),
    ),
  },
  { title: "PaymentStory" },
);
export type PaymentStory = Static<typeof PaymentStory>;
