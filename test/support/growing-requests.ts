import type { History } from "./history.ts";

/**
 * A request, and how its cost may grow with the history: an exponent of 0 means no growth, and an exponent of 1 means
 * proportional growth.
 */
export interface Growing {
  name: string;
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  path: string | ((history: History) => string);
  body?: object | ((history: History) => object);
  grows: Growth;
  /** How many times the request counts the whole history, if more than once. */
  counts?: number;
}

export type Growth = "page" | "constant" | "history";

const list = (name: string, path: Growing["path"], grows: Growth = "page", counts = 1): Growing => ({
  name,
  path,
  grows,
  counts,
});
const api = (path: string) => `/platform/api/v1${path}`;
const control = (path: string) => `/_sandbox${path}`;

export const REQUESTS: Growing[] = [
  list("transactions", api("/transactions")),
  list("transactions, page 50", api("/transactions?page=50&limit=100")),
  list("transactions by updated_at", api("/transactions?sort=updated_at")),
  list("transactions by completed_at", api("/transactions?sort=completed_at")),
  list("transactions completed", api("/transactions?status=completed")),
  list("transactions failed (0.1 %)", api("/transactions?status=failed")),
  list("transactions pending (none)", api("/transactions?status=pending")),
  list("transactions of a chain", api("/transactions?chain_id=8453")),
  list("transactions of another chain", api("/transactions?chain_id=1")),
  list("transactions completed of a chain", api("/transactions?status=completed&chain_id=8453"), "history"),
  list("transactions of a session", ({ session }) => api(`/transactions?session_id=${session}`)),
  list("transactions of a link", ({ link }) => api(`/transactions?payment_link_id=${link}`)),
  list("transactions of a customer", ({ customer }) => api(`/transactions?customer_id=${customer}`)),
  list("a customer's transactions", ({ customer }) => api(`/customers/${customer}/transactions`)),
  list("a transaction", ({ transaction }) => api(`/transactions/${transaction}`), "constant"),
  list("sessions", api("/checkout-sessions")),
  list("sessions by updated_at", api("/checkout-sessions?sort=updated_at")),
  list("sessions by expires_at", api("/checkout-sessions?sort=expires_at")),
  list("sessions active (none)", api("/checkout-sessions?status=active")),
  list("sessions completed", api("/checkout-sessions?status=completed")),
  list("sessions of a link", ({ link }) => api(`/payment-links/${link}/sessions`)),
  list("sessions active of a link", ({ link }) => api(`/payment-links/${link}/sessions?status=active`)),
  list("links", api("/payment-links")),
  list("customers", api("/customers")),
  list("customers by total_paid", api("/customers?sort=total_paid")),
  list("customers by last_payment_at", api("/customers?sort=last_payment_at")),
  list("customers by transaction_count", api("/customers?sort=transaction_count")),
  list("customers by updated_at", api("/customers?sort=updated_at")),
  list("customers searched", api("/customers?search=zzz")),
  list("a customer", ({ customer }) => api(`/customers/${customer}`), "constant"),
  list("webhooks", api("/webhooks")),
  list(
    "deliveries (two for each payment)",
    ({ webhook }) => api(`/webhooks/${webhook}/deliveries`),
    "page",
    2,
  ),
  list("deliveries pending (none)", ({ webhook }) => api(`/webhooks/${webhook}/deliveries?status=pending`)),
  list("deliveries failed (none)", ({ webhook }) => api(`/webhooks/${webhook}/deliveries?status=failed`)),
  list("deliveries of an event type", ({ webhook }) =>
    api(`/webhooks/${webhook}/deliveries?event=payment.completed`),
  ),
  list("deliveries of a rare event type", ({ webhook }) =>
    api(`/webhooks/${webhook}/deliveries?event=payment.failed`),
  ),
  list("a delivery", ({ delivery }) => control(`/deliveries/${delivery}`), "constant"),
  list("audit events", api("/events")),
  list("analytics of 7 days", api("/analytics/overview?period=7d"), "page", 2),
  list("analytics of all time", api("/analytics/overview?period=all"), "page", 3),
  list("export of transactions", api("/transactions/export"), "history"),
  list("export of customers", api("/customers/export"), "history"),
  list("the status", control("/status"), "page"),
  list("the status with counts", control("/status?counts=true"), "page"),
  list("journal, latest 20", control("/events?limit=20&order=desc"), "constant"),
  list(
    "journal, latest 20 of a rare kind",
    control("/events?limit=20&order=desc&types=webhook.created"),
    "constant",
  ),
  list("journal, first 20 of a rare group", control("/events?limit=20&types=webhook.*"), "constant"),
  list("following a session", ({ session }) => control(`/payments/${session}`), "constant"),
  list(
    "following the first session",
    ({ session }) => control(`/payments/${session.slice(0, -8)}00000001`),
    "constant",
  ),
  list(
    "an endpoint's timeline",
    ({ webhook }) => control(`/webhooks/${webhook}/timeline?limit=100`),
    "page",
    2,
  ),
  list(
    "a timeline with slices",
    ({ webhook }) => control(`/webhooks/${webhook}/timeline?limit=100&slices=400`),
    "history",
  ),
  list("endpoints in the dashboard", control("/webhooks"), "constant"),
  list("e-mails", control("/mail"), "constant"),
  list("the inbox", control("/inbox/shop"), "constant"),
  list("requests", control("/requests"), "constant"),
  list("clock", control("/clock"), "constant"),
  list("worlds", control("/worlds"), "constant"),
  {
    name: "a payment with its deliveries",
    method: "POST",
    path: control("/payments"),
    body: ({ link }: History) => ({ payment_link_id: link }),
    grows: "constant",
  },
  {
    name: "a dry run of a day",
    method: "POST",
    path: control("/clock/advance"),
    body: { by: "1d", dryRun: true },
    grows: "constant",
  },
  {
    name: "an advance by an hour",
    method: "POST",
    path: control("/clock/advance"),
    body: { by: "1h" },
    grows: "constant",
  },
  {
    name: "retrying failed deliveries",
    method: "POST",
    path: control("/deliveries/retry"),
    body: { since: "1h" },
    grows: "constant",
  },
  {
    name: "expiring a session",
    method: "POST",
    path: api("/checkout-sessions"),
    body: { amount: "1" },
    grows: "constant",
  },
  {
    name: "a snapshot",
    method: "POST",
    path: control("/snapshots"),
    body: { name: "growth" },
    grows: "history",
  },
  { name: "a restore", method: "POST", path: control("/snapshots/growth/restore"), grows: "history" },
];
