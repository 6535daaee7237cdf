import { TEXT_FORMATS } from "../schema/text-formats.ts";
import { refersTo, url } from "../webhooks/row-rules.ts";
import { oneOf, type RowRules, type ValueRule } from "../world/snapshot-rows.ts";
import { EVENT_TYPES } from "./webhooks/event-types.ts";
import {
  ANY_SHORT_CODE,
  CONFIRMATION,
  DISCOUNT_TYPES,
  FAILURE_REASONS,
  PERMISSIONS,
  SESSION_EXPIRY,
  SESSION_STATUSES,
  TRANSACTION_STATUSES,
} from "./words.ts";

const amount: ValueRule = { kind: "amount", fits: (value) => TEXT_FORMATS.amount.fits(String(value)) };
const shortCode: ValueRule = {
  kind: "short code",
  fits: (value) => new RegExp(ANY_SHORT_CODE).test(String(value)),
};
const AMOUNTS = [
  ...["payment_links", "products", "checkout_sessions", "transactions"].map((table) => `${table}.amount`),
  "discount_codes.min_order_amount",
];
const URLS =
  "organizations.logo_url organizations.website_url payment_links.return_url products.image_url checkout_sessions.success_url checkout_sessions.cancel_url".split(
    " ",
  );
const eachOf = (rule: ValueRule, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, rule]));
const areEvents = (events: unknown[]): boolean =>
  events.every((event) => event === "*" || (EVENT_TYPES as readonly unknown[]).includes(event));

/** The invariants that the clock and the requests rely on, checked when foreign snapshots are loaded. */
export const PAYMENT_ROW_RULES: RowRules = {
  json: {
    "checkout_sessions.metadata": "object",
    "transactions.form_data": "object",
    "customers.metadata": "object",
    "products.metadata": "object",
    "widgets.config": "object",
    "widgets.theme": "object",
    "notification_settings.enabled_events": "array",
  },
  values: {
    ...eachOf(amount, AMOUNTS),
    ...eachOf(url, URLS),
    "payment_links.short_code": shortCode,
    "widgets.short_code": shortCode,
    "discount_codes.discount_type": oneOf("kind of discount", ...DISCOUNT_TYPES),
    "discount_codes.discount_value": {
      kind: "discount",
      fits: (value) => /^\d{1,78}(?:\.\d{1,2})?$/.test(String(value)),
    },
    "checkout_sessions.status": oneOf("status", ...SESSION_STATUSES),
    "transactions.status": oneOf("status", ...TRANSACTION_STATUSES),
    "transactions.failure_reason": oneOf("reason", ...FAILURE_REASONS),
    "api_keys.permission": oneOf("permission", ...PERMISSIONS),
    "webhooks.events": {
      kind: "list of events",
      fits: (value) => areEvents(JSON.parse(String(value))),
      where: "sender = 'platform'",
    },
    "webhook_events.type": {
      ...oneOf("event", ...EVENT_TYPES, "webhook.test"),
      where: "org in (select id from organizations)",
    },
  },
  drawn: {
    "api_keys.id": "key_",
    "audit_events.id": "evt_",
    "checkout_sessions.id": "cs_",
    "customers.id": "cus_",
    "discount_codes.id": "disc_",
    "mail.id": "mail_",
    "payment_links.id": "pl_",
    "products.id": "prod_",
    "transactions.id": "txn_",
    "widgets.id": "wid_",
  },
  references: [
    refersTo("checkout_sessions", `select key as id from timers where kind = '${SESSION_EXPIRY}'`),
    refersTo("transactions", `select key as id from timers where kind = '${CONFIRMATION}'`),
    refersTo("checkout_sessions", "select session_id as id from transactions where session_id is not null"),
    refersTo("customers", "select customer_id as id from transactions where customer_id is not null"),
    refersTo("organizations", "select org as id from webhooks where sender = 'platform'"),
    refersTo("notification_settings", "select id from organizations", "org"),
  ],
};
