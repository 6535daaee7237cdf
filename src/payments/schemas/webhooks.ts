import { type Static, Type } from "typebox";
import { flag, listQuery, nullable, shape, text } from "../../http/shapes.ts";
import { Webhook } from "../../webhooks/schemas.ts";
import { EVENT_TYPES } from "../webhooks/event-types.ts";
import { Description } from "./common.ts";

const Url = Type.String({
  minLength: 1,
  description: "https to any host; http only to localhost, *.localhost, 127.0.0.0/8 and [::1].",
  examples: ["http://127.0.0.1:3000/webhooks"],
});
const Events = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 20,
  description: `Event types (${EVENT_TYPES.join(", ")}), or the single value *.`,
  examples: [["*"]],
});
const fields = { events: Type.Optional(Events), description: Type.Optional(nullable(Description)) };

export const WebhookCreate = shape("WebhookCreate", { url: Url, ...fields });
export type WebhookCreate = Static<typeof WebhookCreate>;
export const WebhookUpdate = shape("WebhookUpdate", {
  url: Type.Optional(Url),
  ...fields,
  is_active: Type.Optional(
    flag(
      "false disables the endpoint, true enables it again. An endpoint disabled after failed deliveries or in the dashboard can only be enabled in the dashboard.",
    ),
  ),
});
export type WebhookUpdate = Static<typeof WebhookUpdate>;

export const WebhookCreated = shape("WebhookCreated", {
  ...Webhook.properties,
  secret: text("The signing secret, shown only here."),
});
export const WEBHOOKS = {
  item: Webhook,
  created: WebhookCreated,
  query: listQuery(["created_at", "updated_at"], {}),
  create: WebhookCreate,
  update: WebhookUpdate,
};

export const WebhookParams = Type.Object({ webhook_id: Type.String() });
export const DeliveryParams = Type.Object({ webhook_id: Type.String(), delivery_id: Type.String() });
