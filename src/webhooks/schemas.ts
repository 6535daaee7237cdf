import { type Static, Type } from "typebox";
import { flag, Instant, integer, listQuery, nullable, oneOf, shape, text } from "../http/shapes.ts";
import { DISABLED_REASONS, ENDPOINT_STATUSES } from "../timeline/endpoint-state.ts";
import { DeliveryStatus, DeliveryTrigger, SentType } from "../timeline/schemas.ts";
import { DELIVERY_ERRORS } from "../timeline/shapes.ts";

/** How every API represents endpoints and deliveries. The engine imports only their types. */

/** An endpoint. Times are virtual, and null until known. */
export const Webhook = shape("Webhook", {
  object: Type.Literal("webhook"),
  id: Type.String({ examples: ["wh_4fTzK0aQ9xLm2VbE"] }),
  url: Type.String(),
  events: Type.Array(SentType),
  description: nullable(Type.String()),
  status: oneOf(ENDPOINT_STATUSES),
  is_active: flag("Whether `status` is enabled."),
  consecutive_failures: integer("Failed attempts in a row; any success sets it to 0."),
  failure_count: integer("Another name for `consecutive_failures`."),
  disabled_at: nullable(Instant),
  disabled_reason: nullable(oneOf(DISABLED_REASONS)),
  last_delivery_at: nullable(Instant),
  last_triggered_at: nullable(
    Type.String({ ...Instant, description: "Another name for `last_delivery_at`." }),
  ),
  created_at: Instant,
  updated_at: Instant,
});
export type Webhook = Static<typeof Webhook>;

export const WebhookDelivery = shape("WebhookDelivery", {
  object: Type.Literal("webhook_delivery"),
  id: Type.String({ examples: ["del_4fTzK0aQ9xLm2VbE"] }),
  webhook_id: Type.String(),
  event: SentType,
  event_type: { ...SentType, description: "Another name for `event`." },
  event_id: Type.String(),
  status: DeliveryStatus,
  attempt: Type.Integer({
    minimum: 1,
    description:
      "The attempt's number, 1 to 4; a manual retry and a resend have the number of the attempt that they repeat.",
  }),
  trigger: DeliveryTrigger,
  retry_of: nullable(text("The delivery that a manual retry repeats.")),
  resend_of: nullable(text("The delivery that a resend repeats.")),
  url: Type.String(),
  response_code: nullable(Type.Integer()),
  status_code: nullable(integer("Another name for `response_code`.")),
  error: nullable(oneOf(DELIVERY_ERRORS)),
  error_detail: nullable(Type.String()),
  error_message: nullable(text("Another name for `error_detail`.")),
  duration_ms: nullable(Type.Integer()),
  next_attempt_at: nullable(Instant),
  request_headers: Type.Record(Type.String(), Type.String()),
  request_body: Type.String(),
  response_headers: nullable(Type.Record(Type.String(), Type.String())),
  response_body: nullable(text("The first 16 KiB.")),
  response_body_encoding: nullable(oneOf(["utf8", "base64"])),
  response_size: nullable(integer("The size of the whole body, in bytes.")),
  attempted_at: Type.String({ ...Instant, description: "When the request was sent." }),
  created_at: Instant,
  completed_at: nullable(Instant),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const DeliveryListQuery = listQuery(["created_at"], {
  status: Type.Optional(DeliveryStatus),
  event: Type.Optional(Type.String({ maxLength: 64 })),
  event_type: Type.Optional(Type.String({ maxLength: 64, description: "Another name for `event`." })),
});
export const WebhookTestResult = shape("WebhookTestResult", {
  delivery_id: Type.String(),
  response_code: nullable(Type.Integer()),
  success: Type.Boolean(),
});
