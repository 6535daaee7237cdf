import { expect, test } from "vitest";
import { type CallOptions, type Json, startSandbox } from "../support/sandbox.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const events = async (sandbox: Sandbox, query = ""): Promise<Json[]> => {
  const { status, body } = await sandbox.api("GET", `/events?limit=100${query}`);
  expect({ query, status, success: body.success }).toEqual({ query, status: 200, success: true });
  return body.data;
};

const DISCOUNT = { code: "TEN", discount_type: "percentage", discount_value: 10 };

/** The columns are method, path ({id} is the id from the previous step), body, event, status. */
const STEPS: [method: string, path: string, body: unknown, event: string | null, status: number][] = [
  ["POST", "/payment-links", { name: "Tea" }, "payment_link.created", 201],
  ["PATCH", "/payment-links/{id}", { name: "Mint" }, "payment_link.updated", 200],
  ["PATCH", "/payment-links/{id}", {}, null, 400],
  ["GET", "/payment-links/{id}", undefined, null, 200],
  ["DELETE", "/payment-links/{id}", undefined, "payment_link.deleted", 200],
  ["DELETE", "/payment-links/{id}", undefined, null, 404],
  ["POST", "/products", { name: "Mug" }, "product.created", 201],
  ["PATCH", "/products/{id}", { amount: "5" }, "product.updated", 200],
  ["DELETE", "/products/{id}", undefined, "product.deleted", 200],
  ["POST", "/webhooks", { url: "http://localhost:1/x" }, "webhook.created", 201],
  ["PATCH", "/webhooks/{id}", { description: "Mine" }, "webhook.updated", 200],
  ["DELETE", "/webhooks/{id}", undefined, "webhook.deleted", 200],
  ["POST", "/discount-codes", DISCOUNT, "discount_code.created", 201],
  ["POST", "/discount-codes", DISCOUNT, null, 409],
  ["POST", "/discount-codes/validate", { code: "TEN", amount: "10" }, null, 200],
  ["PATCH", "/discount-codes/{id}", { active: false }, "discount_code.updated", 200],
  ["DELETE", "/discount-codes/{id}", undefined, "discount_code.deleted", 200],
  ["POST", "/widgets", { name: "Buy" }, "widget.created", 201],
  ["PATCH", "/widgets/{id}", { name: "Pay" }, "widget.updated", 200],
  ["DELETE", "/widgets/{id}", undefined, "widget.deleted", 200],
  ["PATCH", "/notifications", { webhook_disabled: true }, "notification.updated", 200],
  ["POST", "/api-keys", { name: "CI", permission: "read" }, "api_key.created", 201],
  ["DELETE", "/api-keys/{id}", undefined, "api_key.revoked", 200],
  ["DELETE", "/api-keys/{id}", undefined, null, 400],
  ["POST", "/checkout-sessions", { amount: "100" }, null, 201],
];

test("each change records exactly one audit event, with the caller, the call and its status [fidelity: Payments platform › Success · Payments platform › Audit events]", async () => {
  const sandbox = await startSandbox();
  expect(await events(sandbox)).toEqual([]);
  let id = "";
  let count = 0;
  for (const [method, template, body, type, status] of STEPS) {
    const path = template.replace("{id}", id);
    const options: CallOptions = body === undefined ? {} : { body };
    const answer = await sandbox.api(method, path, options);
    expect({ method, path, status: answer.status }).toEqual({ method, path, status });
    if (status === 201) id = answer.body.id;
    count += type === null ? 0 : 1;
    const trail = await events(sandbox);
    expect(trail, `${method} ${template}`).toHaveLength(count);
    if (type === null) continue;
    const newest = trail[0];
    expect(newest).toEqual({
      object: "event",
      id: expect.stringMatching(/^evt_[0-9A-Za-z]{16}$/),
      event_type: type,
      resource_type: type.split(".")[0],
      resource_id: path === "/notifications" ? expect.stringMatching(/^org_/) : id,
      ip_address: "127.0.0.1",
      request_method: method,
      request_path: `/api/v1${path}`,
      status_code: status,
      created_at: (await sandbox.control("GET", "/clock")).body.now,
    });
    await sandbox.advance("1s");
  }
  expect(new Set((await events(sandbox)).map((event) => event.id)).size).toBe(count);
  expect((await sandbox.api("GET", "/events", { key: sandbox.keys.other })).body.pagination.total).toBe(0);
  expect((await sandbox.api("GET", "/events", { key: sandbox.keys.read })).body.pagination.total).toBe(count);
});

test("dashboard actions are audited, and a replayed request is not audited again [fidelity: API › Audit trail]", async () => {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook("http://localhost:1/x");
  await sandbox.control("POST", `/webhooks/${hook.id}/disable`);
  await sandbox.control("POST", `/webhooks/${hook.id}/enable`);
  for (let call = 0; call < 3; call += 1) {
    const options = { body: { name: "Tea" }, headers: { "idempotency-key": "once" } };
    expect((await sandbox.api("POST", "/payment-links", options)).status).toBe(201);
  }
  const trail = await events(sandbox);
  expect(trail.map(({ event_type: type }) => type).sort()).toEqual([
    "payment_link.created",
    "webhook.created",
    "webhook.updated",
    "webhook.updated",
  ]);
  const paths = trail.filter(({ event_type: type }) => type === "webhook.updated");
  expect(paths.map(({ request_path: path }) => path).sort()).toEqual([
    `/_sandbox/webhooks/${hook.id}/disable`,
    `/_sandbox/webhooks/${hook.id}/enable`,
  ]);
});

test("changing several fields at once records one audit event, and changing a sender's endpoint records none", async () => {
  const sandbox = await startSandbox();
  const url = "http://localhost:1/x";
  const hook = await sandbox.createWebhook(url);
  const change = { secret: "whsec_other", headers: { "X-Tenant": "acme" }, description: "the shop's" };
  await sandbox.control("PATCH", `/webhooks/${hook.id}`, change);
  const { body: stripe } = await sandbox.control("POST", "/webhooks", { url, sender: "stripe" });
  await sandbox.control("PATCH", `/webhooks/${stripe.id}`, { description: "the shop's" });
  await sandbox.control("DELETE", `/webhooks/${stripe.id}`);
  const trail = await events(sandbox);
  expect(trail.map(({ event_type: type, resource_id: id }) => [type, id])).toEqual([
    ["webhook.updated", hook.id],
    ["webhook.created", hook.id],
  ]);
  const { body } = await sandbox.control("GET", "/events?types=webhook.*&order=asc");
  expect(body.data.map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual([
    ["webhook.created", { id: hook.id, organization: expect.stringMatching(/^org_/) }],
    ["webhook.updated", { id: hook.id, organization: expect.stringMatching(/^org_/) }],
    ...["created", "updated", "deleted"].map((what) => [
      `webhook.${what}`,
      { id: stripe.id, organization: "stripe" },
    ]),
  ]);
});

test("the audit event of an endpoint registered through the control API has the response's status [fidelity: Payments platform › Audit events]", async () => {
  const sandbox = await startSandbox();
  const { status } = await sandbox.control("POST", "/webhooks", { url: "http://localhost:1/x" });
  expect((await events(sandbox))[0]).toMatchObject({ event_type: "webhook.created", status_code: status });
});

test("GET /events lists audit events newest first, in pages, filtered by type, resource and time [fidelity: Payments platform › Audit events]", async () => {
  const sandbox = await startSandbox();
  for (let minute = 0; minute < 25; minute += 1) {
    const path = minute % 5 === 0 ? "/products" : "/widgets";
    await sandbox.api("POST", path, { body: { name: `No ${minute}` } });
    if (minute % 2) await sandbox.advance("1m");
  }
  const all = await events(sandbox);
  const order = all.map(({ created_at: at, id }) => `${at} ${id}`);
  expect(order).toEqual([...order].sort().reverse());

  const first = (await sandbox.api("GET", "/events")).body;
  expect(Object.keys(first)).toEqual(["success", "data", "pagination"]);
  expect(first.pagination).toEqual({ page: 1, limit: 20, total: 25, total_pages: 2 });
  expect(first.data).toEqual(all.slice(0, 20));
  const walked: Json[] = [];
  for (let page = 1; page <= 4; page += 1) {
    const { data, pagination } = (await sandbox.api("GET", `/events?page=${page}&limit=7`)).body;
    expect(pagination).toEqual({ page, limit: 7, total: 25, total_pages: 4 });
    walked.push(...data);
  }
  expect(walked).toEqual(all);
  const past = (await sandbox.api("GET", "/events?page=9&limit=7")).body;
  expect(past).toEqual({
    success: true,
    data: [],
    pagination: { page: 9, limit: 7, total: 25, total_pages: 4 },
  });

  expect(await events(sandbox, "&type=product.created")).toEqual(
    all.filter((event) => event.event_type === "product.created"),
  );
  expect(await events(sandbox, "&resource_type=widget")).toEqual(
    all.filter((event) => event.resource_type === "widget"),
  );
  expect(await events(sandbox, "&type=product.created&resource_type=widget")).toEqual([]);
  const from = "2026-01-15T09:03:00.000Z";
  const to = "2026-01-15T09:07:00.000Z";
  const between = all.filter(({ created_at: at }) => at >= from && at <= to);
  expect(between.length).toBeGreaterThan(5);
  expect(await events(sandbox, `&from=${from}&to=${to}`)).toEqual(between);
  expect(await events(sandbox, `&from=${encodeURIComponent("2026-01-15T10:03:00+01:00")}&to=${to}`)).toEqual(
    between,
  );
  expect(await events(sandbox, `&from=${to}&to=${from}`)).toEqual([]);
  expect(await events(sandbox, "&from=2026-01-15&to=2026-01-16")).toEqual(all);
  expect(await events(sandbox, `&from=${to}&resource_type=product`)).toEqual(
    all.filter((event) => event.created_at >= to && event.resource_type === "product"),
  );
});

test("audit events are retained for 90 days of virtual time [fidelity: Payments platform › Audit events]", async () => {
  const sandbox = await startSandbox();
  await sandbox.createLink({ name: "First" });
  await sandbox.advance("1d");
  await sandbox.createLink({ name: "Second" });
  await sandbox.advance({ to: "2026-04-15T08:59:59.999Z" });
  expect(await events(sandbox)).toHaveLength(2);
  await sandbox.advance(2);
  expect((await events(sandbox)).map(({ created_at: at }) => at)).toEqual(["2026-01-16T09:00:00.000Z"]);
  await sandbox.advance("1d");
  expect(await events(sandbox)).toEqual([]);
  expect((await sandbox.api("GET", "/payment-links")).body.total_count).toBe(2);
});
