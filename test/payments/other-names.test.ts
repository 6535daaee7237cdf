import { describe, expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";
import { startSubscriber } from "../support/subscriber.ts";

/**
 * Some fields have other names in published clients of the API family. Both names are returned, and both are accepted.
 */

const sandbox = sharedSandbox();

describe("active and is_active", () => {
  const RESOURCES: [path: string, body: Record<string, unknown>][] = [
    ["/payment-links", { name: "Tea" }],
    ["/products", { name: "Mug" }],
    ["/widgets", { name: "Buy" }],
    ["/discount-codes", { code: "TEN", type: "percentage", value: "10" }],
  ];

  test.each(RESOURCES)(
    "active and is_active are the same field in %s [fidelity: Shapes of published clients › Active flag]",
    async (path, body) => {
      const off = await sandbox.api("POST", path, { body: { ...body, is_active: false } });
      expect(off.body).toMatchObject({ active: false, is_active: false });
      const one = `${path}/${off.body.id}`;
      const on = await sandbox.api("PATCH", one, { body: { is_active: true } });
      expect(on.body).toMatchObject({ active: true, is_active: true });
      expect((await sandbox.api("PATCH", one, { body: { active: false } })).body.is_active).toBe(false);
      const both = await sandbox.api("PATCH", one, { body: { active: true, is_active: false } });
      expectError(both, "invalid_field_value", { param: "is_active", says: "active" });
      expect((await sandbox.api("GET", `${path}?active=false`)).body.total_count).toBe(1);
    },
  );
});

describe("discount codes", () => {
  test("discount codes accept type and value (a string) and return both forms [fidelity: Shapes of published clients › Discount names]", async () => {
    const create = async (body: Record<string, unknown>) =>
      (await sandbox.api("POST", "/discount-codes", { body })).body;
    expect(await create({ code: "A", type: "percentage", value: "12.5" })).toMatchObject({
      type: "percentage",
      value: "12.5",
      discount_type: "percentage",
      discount_value: 12.5,
    });
    const fixed = await create({ code: "B", type: "fixed", value: "500" });
    expect(fixed).toMatchObject({ value: "500", discount_type: "fixed", discount_value: "500" });
    expect(await create({ code: "C", discount_type: "percentage", discount_value: 10 })).toMatchObject({
      type: "percentage",
      value: "10",
    });
    const patch = (body: unknown) => sandbox.api("PATCH", `/discount-codes/${fixed.id}`, { body });
    expect((await patch({ value: "700" })).body).toMatchObject({ value: "700", discount_value: "700" });
    expect((await patch({ type: "percentage", value: "5" })).body.discount_value).toBe(5);
    expectError(await patch({ type: "fixed" }), "invalid_field_value", { param: "discount_value" });
    const apart = { code: "D", type: "fixed", value: "5", discount_value: "6" };
    expectError(await sandbox.api("POST", "/discount-codes", { body: apart }), "invalid_field_value", {
      param: "value",
    });
    for (const [body, param] of [
      [{ code: "D", value: "5" }, "discount_type"],
      [{ code: "D", type: "fixed" }, "discount_value"],
    ] as const)
      expectError(await sandbox.api("POST", "/discount-codes", { body }), "missing_required_field", {
        param,
      });
  });

  test("a discount code applies only to amounts of at least min_order_amount [fidelity: Shapes of published clients › Discount minimum]", async () => {
    const body = { code: "BIG", type: "fixed", value: "100", min_order_amount: "1000" };
    await sandbox.api("POST", "/discount-codes", { body });
    const validate = async (fields: Record<string, unknown>) =>
      (await sandbox.api("POST", "/discount-codes/validate", { body: { code: "BIG", ...fields } })).body;
    expect(await validate({ amount: "999" })).toMatchObject({
      valid: false,
      reason: "below_minimum",
      discount_code: null,
      discount_amount: "0",
      final_amount: "999",
    });
    expect(await validate({ amount: "1000" })).toMatchObject({ valid: true, final_amount: "900" });
    const link = await sandbox.createLink({ amount: "5000" });
    expect(await validate({ payment_link_id: link.id })).toMatchObject({ valid: true, final_amount: "4900" });
    expect(await validate({})).toMatchObject({ valid: true, discount_amount: null, final_amount: null });
    const small = await sandbox.createLink({ amount: "10" });
    const refused = await sandbox.control("POST", "/payments", {
      payment_link_id: small.id,
      discount_code: "BIG",
    });
    expect(refused.body.error.message).toContain("below minimum");
  });

  test("discount codes can be searched, and filtered by payment link", async () => {
    const link = await sandbox.createLink();
    for (const [code, rest] of [
      ["SUMMER", { payment_link_id: link.id }],
      ["summit", {}],
      ["WINTER", {}],
    ] as const)
      await sandbox.api("POST", "/discount-codes", { body: { code, type: "fixed", value: "1", ...rest } });
    const codes = async (query: string) =>
      (await sandbox.api("GET", `/discount-codes?order=asc&${query}`)).body.data.map(
        (row: { code: string }) => row.code,
      );
    expect(await codes("search=Sum")).toEqual(["SUMMER", "summit"]);
    expect(await codes(`payment_link_id=${link.id}`)).toEqual(["SUMMER"]);
  });
});

describe("webhook endpoints", () => {
  test("webhook endpoints return is_active, failure_count, last_triggered_at and the alternative names of deliveries [fidelity: Shapes of published clients › Webhook names]", async () => {
    const sandbox = await startSandbox({ settleTimeout: "10s" });
    const subscriber = await startSubscriber(
      (_received, response) => void response.writeHead(503).end("down"),
    );
    const hook = await sandbox.createWebhook(subscriber.url, { events: ["payment.completed"] });
    const link = await sandbox.createLink();
    await sandbox.pay({ payment_link_id: link.id });
    const after = await sandbox.webhook(hook.id);
    expect(after).toMatchObject({ is_active: true, failure_count: 1, consecutive_failures: 1 });
    expect(after.last_triggered_at).toBe(after.last_delivery_at);
    expect(after.last_triggered_at).not.toBeNull();
    const [delivery] = await sandbox.deliveries(hook.id);
    expect(delivery).toMatchObject({
      webhook_id: hook.id,
      event_type: "payment.completed",
      url: subscriber.url,
      status_code: 503,
      response_body: "down",
      error_message: delivery.error_detail,
      attempted_at: "2026-01-15T09:00:00.000Z",
    });
    expect(delivery.error_message).toContain("503");
    const of = async (type: string) =>
      (await sandbox.api("GET", `/webhooks/${hook.id}/deliveries?event_type=${type}`)).body.total_count;
    expect([await of("payment.completed"), await of("payment.failed")]).toEqual([1, 0]);
  });

  test("is_active switches a webhook endpoint off and on, unless the dashboard disabled it [fidelity: Shapes of published clients › Endpoint switch]", async () => {
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const link = await sandbox.createLink();
    const patch = (body: unknown) => sandbox.api("PATCH", `/webhooks/${hook.id}`, { body });
    const off = await patch({ is_active: false, description: "Paused" });
    expect(off.body).toMatchObject({
      is_active: false,
      status: "disabled",
      disabled_reason: "api",
      description: "Paused",
    });
    expect((await sandbox.pay({ payment_link_id: link.id })).deliveries).toEqual([]);
    expect((await patch({ is_active: true })).body).toMatchObject({ is_active: true, status: "enabled" });
    expect((await sandbox.pay({ payment_link_id: link.id })).deliveries.length).toBeGreaterThan(0);
    await sandbox.control("POST", `/webhooks/${hook.id}/disable`);
    expectError(await patch({ is_active: true }), "invalid_status_transition", {
      param: "is_active",
      says: "dashboard",
    });
    const events = await sandbox.api("GET", "/events?event_type=webhook.updated");
    expect(events.body.data).toHaveLength(3);
  });
});

describe("notification settings", () => {
  test("notification settings include e-mail, Telegram and events, with webhook_disabled among the events [fidelity: Shapes of published clients › Notification settings]", async () => {
    const patch = async (body: unknown) => (await sandbox.api("PATCH", "/notifications", { body })).body;
    expect(await patch({ email_address: "ops@example.com" })).toMatchObject({ email: "ops@example.com" });
    expect(await patch({ enabled_events: ["payment.completed"] })).toMatchObject({
      enabled_events: ["payment.completed"],
      webhook_disabled: false,
    });
    expect(await patch({ webhook_disabled: true })).toMatchObject({
      enabled_events: ["webhook.disabled", "payment.completed"],
    });
    expect(await patch({ telegram_enabled: true, telegram_chat_id: "4711" })).toMatchObject({
      telegram_enabled: true,
      telegram_chat_id: "4711",
    });
    const differ = { enabled_events: [], webhook_disabled: true };
    expectError(await sandbox.api("PATCH", "/notifications", { body: differ }), "invalid_field_value", {
      param: "webhook_disabled",
    });
  });

  test("notification settings decide which events send an e-mail [fidelity: Shapes of published clients › Notification e-mails]", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink();
    const events = ["payment.completed", "payment.failed", "checkout.completed", "checkout.expired"];
    await sandbox.pay({ payment_link_id: link.id });
    expect(await sandbox.mail()).toEqual([]);
    await sandbox.api("PATCH", "/notifications", { body: { enabled_events: events } });
    const { transaction } = await sandbox.pay({ payment_link_id: link.id });
    await sandbox.pay({ payment_link_id: link.id, outcome: "failed" });
    await sandbox.advance("1h");
    const mail = await sandbox.mail();
    expect(mail.map(({ subject }) => subject)).toEqual([
      "Payment completed: 2.50 USDC",
      "Checkout completed: 2.50 USDC",
      "Payment failed: 2.50 USDC",
      "Checkout expired",
    ]);
    expect(mail[0]).toMatchObject({ to: "ines@northlight.example", webhook_id: null });
    expect(mail[0].text).toContain(transaction.id);
    await sandbox.api("PATCH", "/notifications", { body: { email_enabled: false } });
    await sandbox.pay({ payment_link_id: link.id });
    expect(await sandbox.mail()).toHaveLength(4);
  });
});

describe("API keys", () => {
  test("API keys accept permissions and return their last use, to the minute [fidelity: Shapes of published clients › API key fields]", async () => {
    const body = { name: "CI", permissions: ["read", "write"] };
    const { key, ...made } = (await sandbox.api("POST", "/api-keys", { body })).body;
    expect(made).toMatchObject({
      permission: "write",
      permissions: ["read", "write"],
      prefix: key.slice(0, 14),
      last_used_at: null,
    });
    const lastUse = async () => (await sandbox.api("GET", `/api-keys/${made.id}`)).body.last_used_at;
    await sandbox.api("GET", "/products", { key });
    expect(await lastUse()).toBe("2026-01-15T09:00:00.000Z");
    await sandbox.advance("59s");
    await sandbox.api("GET", "/products", { key });
    expect(await lastUse()).toBe("2026-01-15T09:00:00.000Z");
    await sandbox.advance("1s");
    await sandbox.api("GET", "/products", { key });
    expect(await lastUse()).toBe("2026-01-15T09:01:00.000Z");
    const admin = await sandbox.api("POST", "/api-keys", { body: { name: "Ops", permission: "admin" } });
    expect(admin.body.permissions).toEqual(["read", "write", "admin"]);
    const none = await sandbox.api("POST", "/api-keys", { body: { name: "CI" } });
    expectError(none, "missing_required_field", { param: "permission" });
    const differ = { name: "CI", permission: "read", permissions: ["write"] };
    expectError(await sandbox.api("POST", "/api-keys", { body: differ }), "invalid_field_value", {
      param: "permissions",
    });
  });
});
