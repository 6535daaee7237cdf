import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";
import { at, START } from "../support/webhooks.ts";

const WALLET = `0x${"Ab".repeat(20)}`;
const sandbox = sharedSandbox();

test("a customer can be created before its wallet pays, but only once [fidelity: Shapes of published clients › Customers]", async () => {
  const create = () =>
    sandbox.api("POST", "/customers", {
      body: { wallet_address: WALLET, name: "Ada", metadata: { plan: "gold" } },
    });
  const { status, body } = await create();
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      object: "customer",
      wallet_address: WALLET.toLowerCase(),
      name: "Ada",
      email: null,
      metadata: { plan: "gold" },
      total_paid: "0",
      transaction_count: 0,
      first_payment_at: null,
    },
  });
  expect(await create()).toMatchObject({
    status: 409,
    body: { error: { code: "duplicate_resource", param: "wallet_address" } },
  });
  const { transaction } = await sandbox.pay({
    payment_link_id: (await sandbox.createLink()).id,
    sender_address: WALLET,
  });
  expect(transaction.customer_id).toBe(body.id);
  expect((await sandbox.api("GET", `/customers/${body.id}`)).body).toMatchObject({ transaction_count: 1 });
  expect((await sandbox.journal()).map(({ type }) => type)).toContain("customer.created");
});

test("a duplicated link has the same terms, its own short code and no uses [fidelity: Shapes of published clients › Copies of links]", async () => {
  const link = await sandbox.createLink({ description: "Green", max_uses: 5, active: false });
  const duplicate = (path: string, body = {}) =>
    sandbox.api("POST", `/payment-links/${path}/duplicate`, { body });
  const { status, body } = await duplicate(link.id, { name: "Coffee" });
  expect(status).toBe(201);
  expect(body).toEqual({
    ...link,
    id: expect.not.stringMatching(link.id),
    short_code: expect.not.stringMatching(link.short_code),
    url: expect.stringContaining(body.short_code),
    name: "Coffee",
    active: true,
    is_active: true,
  });
  expect((await duplicate(link.id)).body.name).toBe("Tea");
  expect((await duplicate(link.id, { is_active: false })).body.active).toBe(false);
  expect((await duplicate("pl_none")).status).toBe(404);
});

test("a link's statistics count its sessions and payments [fidelity: Shapes of published clients › Statistics]", async () => {
  const sandbox = await startSandbox();
  const link = await sandbox.createLink({ chain_id: 8453 });
  await sandbox.pay({ payment_link_id: link.id });
  await sandbox.advance("2d");
  await sandbox.pay({ payment_link_id: link.id });
  await sandbox.pay({ payment_link_id: link.id, outcome: "failed" });
  expect((await sandbox.api("GET", "/transactions/stats")).body).toEqual({
    object: "transaction_stats",
    totalTransactions: 3,
    completedTransactions: 2,
    totalVolumeUsd: "5.00",
    last24h: { transactions: 1, volumeUsd: "2.50" },
    statusBreakdown: { pending: 0, confirming: 0, completed: 2, failed: 1 },
  });
  const { body } = await sandbox.api("GET", `/payment-links/${link.id}/stats?days=2`);
  expect(body).toEqual({
    object: "payment_link_stats",
    payment_link_id: link.id,
    summary: {
      total_views: 2,
      total_sessions: 2,
      total_completions: 1,
      lifetime_completions: 2,
      view_to_session_rate: "100.00",
      session_to_completion_rate: "50.00",
      overall_conversion_rate: "50.00",
    },
    daily: {
      views: [
        { date: "2026-01-16", view_count: 0, unique_visitors: 0 },
        { date: "2026-01-17", view_count: 2, unique_visitors: 2 },
      ],
      sessions: [
        { date: "2026-01-16", sessions: 0, completions: 0 },
        { date: "2026-01-17", sessions: 2, completions: 1 },
      ],
    },
    utm_breakdown: [],
  });
  expect((await sandbox.api("GET", "/payment-links/pl_none/stats")).status).toBe(404);
});

test("transactions can be filtered by from and to, as milliseconds or ISO 8601 [fidelity: Shapes of published clients › Export range]", async () => {
  const sandbox = await startSandbox();
  const link = await sandbox.createLink();
  for (let hour = 0; hour < 3; hour += 1) {
    await sandbox.pay({ payment_link_id: link.id });
    await sandbox.advance("1h");
  }
  const times = async (query: string) =>
    (await sandbox.api("GET", `/transactions?order=asc&${query}`)).body.data.map(
      ({ created_at: time }: { created_at: string }) => time,
    );
  expect(await times(`from=${START + 3_600_000}`)).toEqual([at(3_600), at(7_200)]);
  expect(await times(`from=${at(0)}&to=${at(3_600)}`)).toEqual([at(0), at(3_600)]);
  expect(await sandbox.api("GET", `/transactions?from=${at(60)}&to=${at(0)}`)).toMatchObject({
    status: 400,
    body: { error: { param: "to" } },
  });
});

test("expires_at is accepted in milliseconds and returned as ISO 8601 [fidelity: Shapes of published clients › Numeric times]", async () => {
  for (const [path, body] of [
    ["/payment-links", { name: "Tea" }],
    ["/discount-codes", { code: "TEN", discount_type: "percentage", discount_value: 10 }],
    ["/api-keys", { name: "CI", permission: "read" }],
  ] as const) {
    const made = await sandbox.api("POST", path, { body: { ...body, expires_at: START + 60_000 } });
    expect(made, path).toMatchObject({ status: 201, body: { expires_at: at(60) } });
    if (path === "/api-keys") continue;
    const patched = await sandbox.api("PATCH", `${path}/${made.body.id}`, { body: { expires_at: START } });
    expect(patched.body.expires_at, path).toBe(at(0));
  }
});

test("calls by published clients that the platform does not support return 404 [fidelity: Simulated › Calls that are not there]", async () => {
  const { id } = await sandbox.createLink();
  for (const [method, path] of [
    ["GET", `/payment-links/${id}/visitors`],
    ["GET", `/payment-links/${id}/items`],
    // The calls that addItem and removeItem make.
    ["POST", `/payment-links/${id}/items`],
    ["DELETE", `/payment-links/${id}/items/item_1`],
    ["POST", "/notifications/test"],
    ["GET", "/notifications/telegram"],
    ["POST", "/refunds"],
    ["GET", "/subscriptions"],
  ] as const)
    expect(await sandbox.api(method, path, method === "POST" ? { body: {} } : {})).toMatchObject({
      status: 404,
      body: { error: { code: "resource_not_found" } },
    });
});
