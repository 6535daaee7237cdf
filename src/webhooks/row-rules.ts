import { isHttpUrl } from "../schema/text-formats.ts";
import { DISABLED_REASONS, ENDPOINT_CHANGES, ENDPOINT_STATUSES } from "../timeline/endpoint-state.ts";
import { DELIVERY_STATUSES, DELIVERY_TRIGGERS } from "../timeline/shapes.ts";
import { oneOf, type RowRules, type ValueRule } from "../world/snapshot-rows.ts";
import { expandUrl } from "./endpoint-url.ts";
import { ATTEMPT_TIMER } from "./plans.ts";
import { PLAN_STATES } from "./rows.ts";

/** A URL that a page links to or a request is sent to. */
export const url: ValueRule = {
  kind: "URL",
  fits: (value) => isHttpUrl(expandUrl(String(value), "http://localhost")),
};

/** Requires that the ids a query returns exist in a table. */
export const refersTo = (table: string, ids: string, key = "id") => ({
  ids,
  among: `select ${key} from ${table}`,
});

/** The invariants that the clock and requests rely on, checked for rows of foreign snapshots. */
export const WEBHOOK_ROW_RULES: RowRules = {
  json: {
    "webhooks.events": "array",
    "webhooks.headers": "object",
    "webhook_events.data": "object or text",
    "webhook_deliveries.request_headers": "object",
    "webhook_deliveries.response_headers": "object",
    "inbox_messages.headers": "object",
    "inbox_behaviours.behaviour": "object",
    "webhook_senders.description": "object",
    "sender_calls.params": "object",
    "sender_calls.changes": "array",
    "sender_calls.answer": "object",
  },
  values: {
    "webhooks.status": oneOf("status", ...ENDPOINT_STATUSES),
    "webhooks.url": url,
    "webhooks.disabled_reason": oneOf("reason", ...DISABLED_REASONS),
    "webhook_state_changes.change": oneOf("change", ...ENDPOINT_CHANGES),
    "webhook_plans.state": oneOf("state", ...PLAN_STATES),
    "webhook_deliveries.status": oneOf("status", ...DELIVERY_STATUSES),
    "webhook_deliveries.trigger": oneOf("trigger", ...DELIVERY_TRIGGERS),
    "webhook_deliveries.url": url,
  },
  references: [
    refersTo(
      "webhooks",
      `select payload ->> '$.webhook_id' as id from timers where kind = '${ATTEMPT_TIMER}'`,
    ),
    refersTo(
      "webhook_events",
      `select payload ->> '$.event_id' as id from timers where kind = '${ATTEMPT_TIMER}'`,
    ),
    refersTo("webhooks", "select webhook_id as id from webhook_deliveries where ended_at is null"),
    refersTo("webhook_events", "select event_id as id from webhook_deliveries where ended_at is null"),
    refersTo("webhook_senders", "select sender as id from webhooks where sender <> 'platform'", "name"),
    refersTo("webhooks", "select webhook_id as id from webhook_plans"),
  ],
  drawn: {
    "webhook_deliveries.id": "del_",
    "webhook_events.id": "evt_",
    "webhooks.id": "wh_",
  },
};
