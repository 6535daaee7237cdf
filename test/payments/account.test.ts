import { describe, expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();
const START = "2026-01-15T09:00:00.000Z";

describe("API keys", () => {
  test("an API key is shown once, works immediately, and stops working once revoked [fidelity: Payments platform › Keys · API › Deleting]", async () => {
    const sandbox = await startSandbox();
    const created = await sandbox.api("POST", "/api-keys", { body: { name: "CI", permission: "write" } });
    expect(created.status).toBe(201);
    const { key, ...record } = created.body;
    expect(key).toMatch(/^sk_sandbox_[0-9A-Za-z]{24}$/);
    expect(record).toEqual({
      object: "api_key",
      id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
      name: "CI",
      permission: "write",
      permissions: ["read", "write"],
      prefix: key.slice(0, 14),
      status: "active",
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      created_at: START,
      updated_at: START,
    });
    expect((await sandbox.api("GET", `/api-keys/${record.id}`)).body).toEqual(record);
    const list = await sandbox.api("GET", "/api-keys");
    expect(list.body.data).toContainEqual(record);
    expect(list.text).not.toContain(key);
    expect((await sandbox.api("POST", "/products", { body: { name: "Mug" }, key })).status).toBe(201);

    await sandbox.advance("1m");
    const revoked = await sandbox.api("DELETE", `/api-keys/${record.id}`, { key });
    expect({ status: revoked.status, body: revoked.body }).toEqual({
      status: 200,
      body: { object: "api_key", id: record.id, deleted: true, revoked_at: "2026-01-15T09:01:00.000Z" },
    });
    expectError(await sandbox.api("GET", "/products", { key }), "key_revoked");
    expectError(await sandbox.api("DELETE", `/api-keys/${record.id}`), "invalid_status_transition");
    expect((await sandbox.api("GET", `/api-keys/${record.id}`)).body).toMatchObject({
      status: "revoked",
      revoked_at: "2026-01-15T09:01:00.000Z",
    });
  });

  test("an API key can do exactly what its permission allows [fidelity: API › Permissions]", async () => {
    for (const permission of ["read", "write", "admin"]) {
      const body = { name: permission, permission };
      const { key } = (await sandbox.api("POST", "/api-keys", { body })).body;
      expect((await sandbox.api("GET", "/events", { key })).status).toBe(200);
      const answer = await sandbox.api("POST", "/products", { body: { name: "Mug" }, key });
      if (permission === "read") expectError(answer, "insufficient_permissions", { says: "POST" });
      else expect(answer.status).toBe(201);
      const webhooks = await sandbox.api("PATCH", "/notifications", {
        body: { webhook_disabled: true },
        key,
      });
      expect(webhooks.status).toBe(permission === "read" ? 403 : 200);
    }
  });

  test("an API key expires on the virtual clock, to the millisecond [fidelity: Payments platform › Keys]", async () => {
    const sandbox = await startSandbox();
    const body = { name: "Day pass", permission: "read", expires_at: "2026-01-16T09:00:00Z" };
    const { key, id, expires_at: at } = (await sandbox.api("POST", "/api-keys", { body })).body;
    expect(at).toBe("2026-01-16T09:00:00.000Z");
    await sandbox.advance(86_399_999);
    expect((await sandbox.api("GET", "/products", { key })).status).toBe(200);
    await sandbox.advance(1);
    expectError(await sandbox.api("GET", "/products", { key }), "key_expired", { says: at });
    expect((await sandbox.api("GET", `/api-keys/${id}`)).body.status).toBe("expired");
    const revoked = await sandbox.api("DELETE", `/api-keys/${id}`);
    expect(revoked.status).toBe(200);
    expectError(await sandbox.api("GET", "/products", { key }), "key_revoked");
  });
});

describe("notifications", () => {
  test("notification settings list the recipients and belong to the organization [fidelity: Shapes of published clients › Notification settings]", async () => {
    const before = (await sandbox.api("GET", "/notifications")).body;
    expect(before).toEqual({
      object: "notification_settings",
      id: expect.stringMatching(/^org_/),
      email: "ines@northlight.example",
      email_address: "ines@northlight.example",
      email_enabled: true,
      webhook_disabled: true,
      telegram_enabled: false,
      telegram_chat_id: null,
      enabled_events: ["webhook.disabled"],
      updated_at: expect.stringMatching(/Z$/),
    });
    const fields = { email: "ops@northlight.example", webhook_disabled: false };
    const after = await sandbox.api("PATCH", "/notifications", { body: fields });
    expect({ status: after.status, body: after.body }).toEqual({
      status: 200,
      body: { ...before, ...fields, email_address: fields.email, enabled_events: [], updated_at: START },
    });
    expect((await sandbox.api("GET", "/notifications")).body).toEqual(after.body);
    const others = await sandbox.api("GET", "/notifications", { key: sandbox.keys.other });
    expect(others.body).toMatchObject({ email: "tomas@paperlantern.example", webhook_disabled: true });
  });

  test("notification settings decide who gets the e-mail about a disabled endpoint [fidelity: Shapes of published clients › Notification e-mails]", async () => {
    const sandbox = await startSandbox({ webhooks: { disableAfter: { consecutive: 2 } } });
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/broken`, {
      events: ["payment.failed"],
    });
    await sandbox.control("PUT", "/inbox/broken/behaviour", { status: 500 });
    const fail = async () => {
      for (let count = 0; count < 2; count += 1)
        await sandbox.pay({ session_id: (await sandbox.openSession()).id, outcome: "failed" });
      expect((await sandbox.webhook(hook.id)).status).toBe("disabled");
      expect((await sandbox.control("POST", `/webhooks/${hook.id}/enable`)).status).toBe(200);
    };
    await sandbox.api("PATCH", "/notifications", { body: { webhook_disabled: false } });
    await fail();
    expect(await sandbox.mail()).toEqual([]);
    await sandbox.api("PATCH", "/notifications", {
      body: { webhook_disabled: true, email: "ops@northlight.example" },
    });
    await fail();
    const mail = await sandbox.mail();
    expect(mail).toHaveLength(1);
    expect(mail[0]).toMatchObject({ to: "ops@northlight.example", webhook_id: hook.id, created_at: START });
  });
});

describe("webhook endpoints", () => {
  test("a webhook endpoint returns its secret only at creation [fidelity: Webhooks › Events]", async () => {
    const sandbox = await startSandbox();
    const created = await sandbox.api("POST", "/webhooks", {
      body: { url: "http://localhost:3000/hook", description: "Shop" },
    });
    expect(created.status).toBe(201);
    const { secret, ...record } = created.body;
    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(record).toEqual({
      object: "webhook",
      id: expect.stringMatching(/^wh_[0-9A-Za-z]{16}$/),
      url: "http://localhost:3000/hook",
      events: ["*"],
      description: "Shop",
      status: "enabled",
      is_active: true,
      consecutive_failures: 0,
      failure_count: 0,
      disabled_at: null,
      disabled_reason: null,
      last_delivery_at: null,
      last_triggered_at: null,
      created_at: START,
      updated_at: START,
    });
    const one = `/webhooks/${record.id}`;
    await sandbox.advance("1m");
    const changes = { url: "https://example.com/hook", events: ["payment.failed"], description: null };
    const changed = await sandbox.api("PATCH", one, { body: changes });
    expect(changed.body).toEqual({ ...record, ...changes, updated_at: "2026-01-15T09:01:00.000Z" });
    const answers = [await sandbox.api("GET", one), await sandbox.api("GET", "/webhooks"), changed];
    for (const answer of answers) expect(answer.text).not.toMatch(/secret|whsec_/);
    expect(answers[0]!.body).toEqual(changed.body);

    const [shown] = (await sandbox.control("GET", "/webhooks")).body.data;
    expect(shown).toMatchObject({ id: record.id, secret });
    const second = await sandbox.createWebhook("http://localhost:3000/hook");
    expect(second.secret).not.toBe(secret);

    const deleted = await sandbox.api("DELETE", one);
    expect(deleted.body).toEqual({ object: "webhook", id: record.id, deleted: true });
    expect((await sandbox.api("GET", "/webhooks")).body.data.map(({ id }: { id: string }) => id)).toEqual([
      second.id,
    ]);
    expectError(await sandbox.api("POST", `${one}/test`), "resource_not_found");
  });

  test("POST /webhooks drops duplicate event names, and PATCH refuses to set a status [fidelity: Webhooks › Events]", async () => {
    const hook = await sandbox.createWebhook("http://localhost:3000/hook", {
      events: ["payment.failed", "checkout.expired", "payment.failed"],
    });
    expect(hook.events).toEqual(["payment.failed", "checkout.expired"]);
    await sandbox.control("POST", `/webhooks/${hook.id}/disable`);
    const patched = await sandbox.api("PATCH", `/webhooks/${hook.id}`, { body: { status: "enabled" } });
    expectError(patched, "no_updates_provided");
    expect((await sandbox.webhook(hook.id)).status).toBe("disabled");
  });
});
