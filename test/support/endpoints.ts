import type { SharedSandbox } from "./shared.ts";

/** An endpoint of the platform, with everything that a valid call to it needs. */
export interface Endpoint {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path as in the OpenAPI document, below /api/v1. */
  path: string;
  /** A valid body; missing if the endpoint accepts none. */
  body?: Record<string, unknown>;
  /** The field that is required to create an object. */
  required?: string;
  /** The kind of list; set for endpoints that return a list with page and limit. */
  list?: "generic" | "events";
  /** Whether it can also be called without an API key. */
  keyOptional?: boolean;
}

const crud = (
  path: string,
  id: string,
  required: string,
  create: Record<string, unknown>,
  update: Record<string, unknown>,
): Endpoint[] => [
  { method: "GET", path, list: "generic" },
  { method: "POST", path, body: create, required },
  { method: "GET", path: `${path}/{${id}}` },
  { method: "PATCH", path: `${path}/{${id}}`, body: update },
  { method: "DELETE", path: `${path}/{${id}}` },
];

/** All endpoints of the platform. */
export const ENDPOINTS: Endpoint[] = [
  ...crud("/payment-links", "payment_link_id", "name", { name: "Tea" }, { name: "Mint tea" }),
  { method: "GET", path: "/payment-links/{payment_link_id}/sessions", list: "generic" },
  { method: "GET", path: "/payment-links/{payment_link_id}/stats" },
  { method: "POST", path: "/payment-links/{payment_link_id}/duplicate" },
  { method: "GET", path: "/checkout-sessions", list: "generic" },
  { method: "POST", path: "/checkout-sessions", body: { amount: "1000" }, required: "payment_link_id" },
  { method: "GET", path: "/checkout-sessions/{id}" },
  { method: "PATCH", path: "/checkout-sessions/{id}", body: { client_reference_id: "order_1" } },
  { method: "POST", path: "/checkout-sessions/{id}/expire" },
  { method: "GET", path: "/transactions", list: "generic" },
  { method: "GET", path: "/transactions/export" },
  { method: "GET", path: "/transactions/stats" },
  { method: "GET", path: "/transactions/{id}" },
  { method: "GET", path: "/customers", list: "generic" },
  {
    method: "POST",
    path: "/customers",
    body: { wallet_address: `0x${"cd".repeat(20)}` },
    required: "wallet_address",
  },
  { method: "GET", path: "/customers/export" },
  { method: "GET", path: "/customers/{id}" },
  { method: "PATCH", path: "/customers/{id}", body: { name: "Ada" } },
  { method: "GET", path: "/customers/{id}/transactions", list: "generic" },
  { method: "DELETE", path: "/customers/{id}" },
  {
    method: "POST",
    path: "/quick-pay",
    body: { recipient_address: `0x${"ab".repeat(20)}` },
    required: "recipient_address",
    keyOptional: true,
  },
  ...crud("/products", "id", "name", { name: "Mug" }, { name: "Cup" }),
  { method: "POST", path: "/products/{id}/generate-link" },
  ...crud(
    "/discount-codes",
    "id",
    "code",
    { code: "TEN", discount_type: "percentage", discount_value: 10 },
    { active: false },
  ),
  { method: "POST", path: "/discount-codes/validate", body: { code: "TEN", amount: "10" }, required: "code" },
  {
    method: "POST",
    path: "/discount-codes/batch",
    body: { codes: ["B-1", "B-2"], type: "fixed", value: "5" },
    required: "codes",
  },
  ...crud("/widgets", "id", "name", { name: "Buy" }, { name: "Pay" }),
  { method: "GET", path: "/widgets/{id}/stats" },
  { method: "GET", path: "/notifications" },
  { method: "PATCH", path: "/notifications", body: { webhook_disabled: true } },
  ...crud("/webhooks", "webhook_id", "url", { url: "https://example.com/hook" }, { description: "Mine" }),
  { method: "GET", path: "/webhooks/{webhook_id}/deliveries", list: "generic" },
  { method: "GET", path: "/webhooks/{webhook_id}/deliveries/{delivery_id}" },
  { method: "POST", path: "/webhooks/{webhook_id}/deliveries/{delivery_id}/retry" },
  { method: "POST", path: "/webhooks/{webhook_id}/test" },
  { method: "GET", path: "/organization" },
  { method: "PATCH", path: "/organization", body: { description: "Coffee" } },
  { method: "GET", path: "/analytics/overview" },
  { method: "GET", path: "/events", list: "events" },
  { method: "GET", path: "/api-keys", list: "generic" },
  { method: "POST", path: "/api-keys", body: { name: "CI", permission: "read" }, required: "name" },
  { method: "GET", path: "/api-keys/{id}" },
  { method: "DELETE", path: "/api-keys/{id}" },
];

/**
 * Creates one of each resource in the organization that `key` belongs to. Returns their ids by path, such as
 * `/payment-links`.
 */
export async function makeOneOfEach(
  sandbox: SharedSandbox,
  key = sandbox.keys.write,
): Promise<Record<string, string>> {
  const create = async (path: string, body: unknown): Promise<string> => {
    const answer = await sandbox.api("POST", path, { body, key });
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body.id;
  };
  const link = await create("/payment-links", { name: "Tea", amount: "2500000" });
  const hook = await create("/webhooks", { url: `${sandbox.url}/_sandbox/inbox/one-of-each` });
  // A fault makes both events of the payment fail without a request, so nothing has to wait for one.
  await sandbox.control("PUT", `/webhooks/${hook}/fault`, { kind: "status", status: 500, times: 2 });
  const { transaction } = await sandbox.pay({ payment_link_id: link });
  // Advancing waits until both have failed, however slow the machine is.
  await sandbox.advance(0);
  const { body: deliveries } = await sandbox.api("GET", `/webhooks/${hook}/deliveries?status=failed`, {
    key,
  });
  return {
    "/payment-links": link,
    "/webhooks": hook,
    "/transactions": transaction.id,
    "/customers": transaction.customer_id,
    delivery: deliveries.data[0].id,
    "/checkout-sessions": await create("/checkout-sessions", { amount: "1000" }),
    "/products": await create("/products", { name: "Mug" }),
    "/discount-codes": await create("/discount-codes", {
      code: `TEN-${transaction.id}`,
      discount_type: "percentage",
      discount_value: 10,
    }),
    "/widgets": await create("/widgets", { name: "Buy" }),
    "/api-keys": await create("/api-keys", { name: "CI", permission: "read" }),
  };
}

/** Inserts ids into an endpoint's path. */
export function fill(path: string, ids: Record<string, string>): string {
  const base = `/${path.split("/")[1]}`;
  return path.replace("{delivery_id}", ids.delivery ?? "nope").replace(/\{\w+\}/, ids[base] ?? "nope");
}
