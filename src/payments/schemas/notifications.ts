import { type Static, Type } from "typebox";
import { flag, Instant, nullable, oneOf, shape, text } from "../../http/shapes.ts";
import { EVENT_TYPES } from "../webhooks/event-types.ts";
import { Email } from "./common.ts";

export const NOTIFICATION_EVENTS = ["webhook.disabled", ...EVENT_TYPES] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];
const EnabledEvents = Type.Array(oneOf(NOTIFICATION_EVENTS), {
  maxItems: NOTIFICATION_EVENTS.length,
  uniqueItems: true,
  description: "The events that the owner gets an e-mail about.",
  examples: [["webhook.disabled"]],
});

export const NotificationUpdate = shape("NotificationUpdate", {
  email: Type.Optional(Email),
  email_address: Type.Optional(Type.String({ ...Email, description: "Another name for `email`." })),
  email_enabled: Type.Optional(flag("Whether any e-mail is sent.")),
  webhook_disabled: Type.Optional(flag("Whether `webhook.disabled` is among `enabled_events`.")),
  telegram_enabled: Type.Optional(flag("Stored, but the sandbox sends no messages.")),
  telegram_chat_id: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
  enabled_events: Type.Optional(EnabledEvents),
});
export type NotificationUpdate = Static<typeof NotificationUpdate>;
export const NotificationSettings = shape("NotificationSettings", {
  object: Type.Literal("notification_settings"),
  id: text("The organization's id."),
  email: Type.String(),
  email_address: Type.String(),
  email_enabled: Type.Boolean(),
  webhook_disabled: Type.Boolean(),
  telegram_enabled: Type.Boolean(),
  telegram_chat_id: nullable(Type.String()),
  enabled_events: EnabledEvents,
  updated_at: Instant,
});
