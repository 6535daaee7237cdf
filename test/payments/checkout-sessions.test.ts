import { describe, expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { type Json, RECIPIENT, startSandbox, TOKEN } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();
const START = "2026-01-15T09:00:00.000Z";

describe("checkout sessions", () => {
  test("a session opened from a link uses the link's terms [fidelity: API › Absent values · Resources › Terms of a session · Resources › Session length · Resources › Session URL]", async () => {
    const link = await sandbox.createLink({
      chain_id: 137,
      token_address: TOKEN,
      recipient_address: RECIPIENT,
    });
    const session = await sandbox.openSession({ payment_link_id: link.id, amount: undefined });
    expect(session).toEqual({
      object: "checkout_session",
      id: expect.stringMatching(/^cs_[0-9A-Za-z]{16}$/),
      payment_link_id: link.id,
      status: "active",
      amount: "2500000",
      token_address: TOKEN,
      chain_id: 137,
      recipient_address: RECIPIENT,
      client_reference_id: null,
      metadata: {},
      customer_email: null,
      customer_name: null,
      discount_code: null,
      transaction_id: null,
      success_url: null,
      cancel_url: null,
      url: `${sandbox.url}/platform/checkout/${session.id}`,
      expires_at: "2026-01-15T09:30:00.000Z",
      completed_at: null,
      expired_at: null,
      created_at: START,
      updated_at: START,
    });
    expect((await sandbox.api("GET", `/checkout-sessions/${session.id}`)).body).toEqual(session);
  });

  test("a session can have its own terms and returns the fields that an integrator needs [fidelity: Resources › Session length]", async () => {
    const terms = {
      amount: "42",
      token_address: TOKEN,
      chain_id: 10,
      recipient_address: RECIPIENT,
      client_reference_id: "order_1042",
      metadata: { cart: "c1", items: 3, gift: true, note: null },
      customer_email: "ada@example.com",
      customer_name: "Ada",
      success_url: "https://shop.example/thanks",
      cancel_url: "https://shop.example/cart",
    };
    const session = await sandbox.openSession({ ...terms, expires_in: 300 });
    expect(session).toMatchObject({
      ...terms,
      payment_link_id: null,
      expires_at: "2026-01-15T09:05:00.000Z",
    });
    const defaults = await sandbox.openSession({ amount: "1" });
    expect(defaults.chain_id).toBe(8453);
    const longest = await sandbox.openSession({ amount: "1", expires_in: 86_400 });
    expect(longest.expires_at).toBe("2026-01-16T09:00:00.000Z");
    for (const expires of [299, 86_401]) {
      const body = { amount: "1", expires_in: expires };
      const refused = await sandbox.api("POST", "/checkout-sessions", { body });
      expectError(refused, "invalid_field_value", {
        param: "expires_in",
        says: expires === 299 ? 300 : 86_400,
      });
    }
    for (const path of ["pl_nobody", (await sandbox.createLink()).short_code]) {
      const refused = await sandbox.api("POST", "/checkout-sessions", { body: { payment_link_id: path } });
      expectError(refused, "resource_not_found");
    }
  });

  test("a session expires on time, to the millisecond, and subscribers are notified [fidelity: Resources › Session URL]", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const session = await sandbox.openSession({
      amount: "1",
      expires_in: 300,
      client_reference_id: "order_1",
    });
    const path = `/checkout-sessions/${session.id}`;
    await sandbox.advance(299_999);
    expect((await sandbox.api("GET", path)).body).toEqual(session);
    const { ledger } = await sandbox.advance(1);
    expect(ledger.map(({ type }: { type: string }) => type)).toContain("checkout.expired");
    const at = "2026-01-15T09:05:00.000Z";
    const expired = (await sandbox.api("GET", path)).body;
    expect(expired).toEqual({ ...session, status: "expired", url: null, expired_at: at, updated_at: at });
    const [delivery, ...more] = await sandbox.deliveries(hook.id);
    expect(more).toEqual([]);
    expect(JSON.parse(delivery.request_body)).toEqual({
      event: "checkout.expired",
      webhook_id: hook.id,
      timestamp: at,
      data: expired,
    });
  });

  test("a session can be expired on request, but only once", async () => {
    const sandbox = await startSandbox();
    const session = await sandbox.openSession();
    const path = `/checkout-sessions/${session.id}`;
    await sandbox.advance("1m");
    const expired = await sandbox.api("POST", `${path}/expire`);
    const { would_fire: due } = await sandbox.advance({ until: "idle", dryRun: true });
    expect(due.filter(({ kind }: Json) => kind === "payments.session_expiry")).toEqual([]);
    expect({ status: expired.status, body: expired.body }).toMatchObject({
      status: 200,
      body: { status: "expired", url: null, expired_at: "2026-01-15T09:01:00.000Z", completed_at: null },
    });
    expectError(await sandbox.api("POST", `${path}/expire`), "invalid_status_transition", {
      says: "2026-01-15T09:01:00.000Z",
    });
    await sandbox.advance("1h");
    expect((await sandbox.api("GET", path)).body).toEqual(expired.body);
    expect(await sandbox.journal("checkout.expired")).toHaveLength(1);
    const paid = await sandbox.control("POST", "/payments", { session_id: session.id });
    expect({ status: paid.status, error: paid.body.error }).toMatchObject({
      status: 400,
      error: {
        code: "invalid_status_transition",
        hint: expect.stringMatching(
          /^Open one with POST \/api\/v1\/checkout-sessions, or pay a payment link/,
        ),
      },
    });
  });

  test("a PATCH of a session changes the payer's fields and accepts only the status expired [fidelity: Payments platform › Sessions · Resources › Session updates]", async () => {
    const session = await sandbox.openSession({ amount: "1", metadata: { a: "1", b: "2" } });
    const path = `/checkout-sessions/${session.id}`;
    const patch = (body: unknown) => sandbox.api("PATCH", path, { body });
    const fields = {
      metadata: { c: "3" },
      client_reference_id: "order_2",
      customer_email: "bo@example.com",
      customer_name: "Bo",
    };
    expect((await patch(fields)).body).toEqual({ ...session, ...fields });
    const emptied = await patch({ client_reference_id: null, customer_email: null, metadata: {} });
    expect(emptied.body).toMatchObject({
      client_reference_id: null,
      customer_email: null,
      customer_name: "Bo",
    });
    expect(emptied.body.metadata).toEqual({});
    expectError(await patch({ amount: "2", url: "x" }), "no_updates_provided");
    for (const status of ["active", "completed"])
      expectError(await patch({ status }), "invalid_status_transition", { param: "status" }, status);
    expect((await sandbox.api("GET", path)).body.status).toBe("active");

    const both = await patch({ status: "expired", client_reference_id: "late" });
    expect(both.body).toMatchObject({ status: "expired", client_reference_id: "late" });
    for (const status of ["active", "completed", "expired"])
      expectError(await patch({ status }), "invalid_status_transition", { param: "status" }, status);
  });

  test("a completed session stays completed [fidelity: Resources › Session URL]", async () => {
    const sandbox = await startSandbox();
    const { id } = await sandbox.openSession();
    await sandbox.pay({ session_id: id });
    const path = `/checkout-sessions/${id}`;
    const completed = (await sandbox.api("GET", path)).body;
    expect(completed).toMatchObject({
      status: "completed",
      url: null,
      completed_at: START,
      expired_at: null,
    });
    expectError(await sandbox.api("POST", `${path}/expire`), "invalid_status_transition");
    for (const status of ["active", "expired"])
      expectError(await sandbox.api("PATCH", path, { body: { status } }), "invalid_status_transition");
    expect((await sandbox.control("POST", "/payments", { session_id: id })).status).toBe(400);
    expect((await sandbox.control("POST", `/sessions/${id}/expire`)).status).toBe(400);
    await sandbox.advance("2d");
    expect((await sandbox.api("GET", path)).body).toEqual(completed);
    expect(await sandbox.journal("checkout.expired")).toEqual([]);
  });
});
