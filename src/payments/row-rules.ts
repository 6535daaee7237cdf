import type { RowRules } from "../world/snapshot-rows.ts";
import { SESSION_EXPIRY } from "./checkout-sessions.ts";
import { CONFIRMATION } from "./transactions.ts";
import { ATTEMPT_TIMER } from "./webhooks/plans.ts";

/** What the clock and the requests rely on in the rows of the payments area: checked in snapshots from outside. */
export const PAYMENT_ROW_RULES: RowRules = {
  json: {
    "checkout_sessions.metadata": "object",
    "transactions.form_data": "object",
    "customers.metadata": "object",
    "products.metadata": "object",
    "widgets.config": "object",
    "widgets.theme": "object",
    "notification_settings.enabled_events": "array",
    "webhooks.events": "array",
    "webhook_events.data": "object",
    "webhook_deliveries.request_headers": "object",
    "webhook_deliveries.response_headers": "object",
    "inbox_messages.headers": "object",
    "inbox_behaviours.behaviour": "object",
  },
  references: [
    {
      ids: `select payload ->> '$.webhook_id' as id from timers where kind = '${ATTEMPT_TIMER}'`,
      among: "select id from webhooks",
    },
    {
      ids: `select payload ->> '$.event_id' as id from timers where kind = '${ATTEMPT_TIMER}'`,
      among: "select id from webhook_events",
    },
    {
      ids: `select key as id from timers where kind = '${SESSION_EXPIRY}'`,
      among: "select id from checkout_sessions",
    },
    {
      ids: `select key as id from timers where kind = '${CONFIRMATION}'`,
      among: "select id from transactions",
    },
    {
      ids: "select session_id as id from transactions where session_id is not null",
      among: "select id from checkout_sessions",
    },
    {
      ids: "select customer_id as id from transactions where customer_id is not null",
      among: "select id from customers",
    },
    {
      ids: "select webhook_id as id from webhook_deliveries where status = 'pending'",
      among: "select id from webhooks",
    },
    {
      ids: "select event_id as id from webhook_deliveries where status = 'pending'",
      among: "select id from webhook_events",
    },
    { ids: "select webhook_id as id from webhook_plans", among: "select id from webhooks" },
    { ids: "select org as id from webhooks", among: "select id from organizations" },
    { ids: "select id from organizations", among: "select org from notification_settings" },
  ],
};
