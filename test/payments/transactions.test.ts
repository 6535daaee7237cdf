import { describe, expect, test } from "vitest";
import { RECIPIENT, startSandbox, TOKEN } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const START = "2026-01-15T09:00:00.000Z";

describe("payments", () => {
  const sandbox = sharedSandbox();

  test("a payment immediately completes its transaction and session and counts as a use of its link [fidelity: Resources › Transactions · Simulated › form_data]", async () => {
    const link = await sandbox.createLink({
      token_address: TOKEN,
      recipient_address: RECIPIENT,
      chain_id: 1,
    });
    const shipping = { line1: "1 Main St", city: "Springfield", state: "IL", zip: "62701" };
    const { transaction, session, deliveries } = await sandbox.pay({
      payment_link_id: link.id,
      sender_address: `0x${"A".repeat(40)}`,
      form_data: { shipping_address: shipping },
      client_reference_id: "order_1",
      metadata: { cart: "c1" },
      customer_email: "ada@example.com",
      customer_name: "Ada",
    });
    expect(deliveries).toEqual([]);
    expect(transaction).toEqual({
      object: "transaction",
      id: expect.stringMatching(/^txn_[0-9A-Za-z]{16}$/),
      session_id: session.id,
      payment_link_id: link.id,
      status: "completed",
      amount: "2500000",
      token_address: TOKEN,
      chain_id: 1,
      sender_address: `0x${"a".repeat(40)}`,
      recipient_address: RECIPIENT,
      tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      form_data: { email: "ada@example.com", shipping_address: shipping },
      discount_code: null,
      customer_id: expect.stringMatching(/^cus_[0-9A-Za-z]{16}$/),
      failure_reason: null,
      completed_at: START,
      failed_at: null,
      created_at: START,
      updated_at: START,
    });
    expect(session).toMatchObject({
      status: "completed",
      transaction_id: transaction.id,
      completed_at: START,
      client_reference_id: "order_1",
      metadata: { cart: "c1" },
      customer_email: "ada@example.com",
      customer_name: "Ada",
    });
    expect((await sandbox.api("GET", `/transactions/${transaction.id}`)).body).toEqual(transaction);
    expect((await sandbox.api("GET", `/payment-links/${link.id}`)).body.current_uses).toBe(1);
  });

  test("a payment without form_data gets that of a seeded payer, which is always the same for the same seed", async () => {
    const payInOrder = async (seed: string) => {
      const sandbox = await startSandbox({ seed });
      const forms = [];
      for (const given of [undefined, { email: "ada@example.com" }, ...Array(6).fill(undefined)]) {
        const { id } = await sandbox.openSession();
        const { transaction } = await sandbox.pay({ session_id: id, ...(given && { form_data: given }) });
        forms.push(transaction.form_data);
      }
      return { sandbox, forms };
    };
    const { sandbox, forms } = await payInOrder("empty");
    expect((await payInOrder("empty")).forms).toEqual(forms);
    expect((await payInOrder("another")).forms).not.toEqual(forms);
    expect(new Set(forms.map(({ shipping_address: { zip } }) => zip)).size).toBeGreaterThan(3);

    await sandbox.control("POST", "/snapshots", { name: "here" });
    const next = async () =>
      (await sandbox.pay({ session_id: (await sandbox.openSession()).id })).transaction.form_data;
    const drawn = [await next(), await next(), await next()];
    await sandbox.control("POST", "/snapshots/here/restore");
    expect([await next(), await next(), await next()]).toEqual(drawn);
  });

  test("a payment's form_data takes its e-mail address from the checkout", async () => {
    const session = await sandbox.openSession({ customer_email: "ada@example.com" });
    const first = await sandbox.pay({ session_id: session.id, outcome: "failed" });
    expect(first.transaction.form_data.email).toBe("ada@example.com");
    const second = await sandbox.pay({ session_id: session.id, customer_email: "bob@example.com" });
    expect(second.transaction.form_data.email).toBe("bob@example.com");
  });

  test("a payment with confirmationDelay goes from pending through confirming to completed [fidelity: Resources › Transactions · Resources › Failed payment]", async () => {
    const sandbox = await startSandbox({ payments: { confirmationDelay: "10m" } });
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const link = await sandbox.createLink();
    const { transaction, session, deliveries } = await sandbox.pay({ payment_link_id: link.id });
    expect({ status: transaction.status, session: session.status, deliveries }).toEqual({
      status: "pending",
      session: "active",
      deliveries: [],
    });
    const look = async () => {
      const { status, completed_at: at } = (await sandbox.api("GET", `/transactions/${transaction.id}`)).body;
      const { current_uses: uses } = (await sandbox.api("GET", `/payment-links/${link.id}`)).body;
      const { status: sessionStatus } = (await sandbox.api("GET", `/checkout-sessions/${session.id}`)).body;
      return [status, sessionStatus, uses, at];
    };
    const again = await sandbox.control("POST", "/payments", { session_id: session.id });
    expect({ status: again.status, code: again.body.error.code }).toEqual({
      status: 400,
      code: "invalid_status_transition",
    });
    expect(again.body.error.message).toContain(transaction.id);
    await sandbox.advance(299_999);
    expect(await look()).toEqual(["pending", "active", 0, null]);
    await sandbox.advance(1);
    expect(await look()).toEqual(["confirming", "active", 0, null]);
    await sandbox.advance(299_999);
    expect(await look()).toEqual(["confirming", "active", 0, null]);
    expect(await sandbox.deliveries(hook.id)).toEqual([]);
    await sandbox.advance(1);
    expect(await look()).toEqual(["completed", "completed", 1, "2026-01-15T09:10:00.000Z"]);
    const events = (await sandbox.deliveries(hook.id)).map(({ event }) => event);
    expect(events.sort()).toEqual(["checkout.completed", "payment.completed"]);
    const types = (await sandbox.journal())
      .map(({ type }) => type)
      .filter((type) => type.startsWith("payment."));
    expect(types).toEqual(["payment.pending", "payment.confirming", "payment.completed"]);
  });

  test("a failed payment leaves its session open for another [fidelity: Resources › Transactions · Resources › Failed payment]", async () => {
    const sandbox = await startSandbox({ payments: { confirmationDelay: "1m" } });
    const link = await sandbox.createLink({ max_uses: 1 });
    const session = await sandbox.openSession({ payment_link_id: link.id, amount: undefined });
    const first = await sandbox.pay({
      session_id: session.id,
      outcome: "failed",
      failure_reason: "rejected",
    });
    expect(first.transaction).toMatchObject({ status: "pending", failure_reason: null, failed_at: null });
    await sandbox.advance("1m");
    const failed = (await sandbox.api("GET", `/transactions/${first.transaction.id}`)).body;
    expect(failed).toMatchObject({
      status: "failed",
      failure_reason: "rejected",
      failed_at: "2026-01-15T09:01:00.000Z",
      completed_at: null,
    });
    const { body: open } = await sandbox.api("GET", `/checkout-sessions/${session.id}`);
    expect(open).toMatchObject({ status: "active", transaction_id: null, url: session.url });
    const second = await sandbox.pay({ session_id: session.id });
    await sandbox.advance("1m");
    const { body: done } = await sandbox.api("GET", `/checkout-sessions/${session.id}`);
    expect(done).toMatchObject({ status: "completed", transaction_id: second.transaction.id });
    expect((await sandbox.api("GET", `/payment-links/${link.id}`)).body.current_uses).toBe(1);
  });

  test("a payment fails for the requested reason, or for the one implied by its sender's address [fidelity: Resources › Magic senders]", async () => {
    const sender = (ending: string) => `0x${ending.padStart(40, "1")}`;
    const cases: [request: Record<string, unknown>, reason: string | null][] = [
      [{ sender_address: sender("dead") }, "reverted"],
      [{ sender_address: sender("DEAD") }, "reverted"],
      [{ sender_address: sender("0bad") }, "timed_out"],
      [{ sender_address: sender("beef") }, "insufficient_funds"],
      [{ sender_address: sender("1bad") }, null],
      [{ sender_address: sender("dead"), outcome: "completed" }, null],
      [{ sender_address: sender("beef"), outcome: "failed" }, "insufficient_funds"],
      [{ outcome: "failed" }, "reverted"],
      ...(["reverted", "timed_out", "insufficient_funds", "rejected"].map((reason): [object, string] => [
        { outcome: "failed", failure_reason: reason },
        reason,
      ]) as [Record<string, unknown>, string][]),
    ];
    for (const [request, reason] of cases) {
      const { id } = await sandbox.openSession();
      const { transaction, session } = await sandbox.pay({ session_id: id, ...request });
      expect({ request, status: transaction.status, reason: transaction.failure_reason }).toEqual({
        request,
        status: reason === null ? "completed" : "failed",
        reason,
      });
      expect(session.status).toBe(reason === null ? "completed" : "active");
    }
  });

  test("a payment uses the session's amount, or the payer's if the session has none", async () => {
    const fixed = await sandbox.openSession({ amount: "1000" });
    const pay = (fields: Record<string, unknown>) => sandbox.control("POST", "/payments", fields);
    const other = await pay({ session_id: fixed.id, amount: "999" });
    expect({ status: other.status, code: other.body.error.code }).toEqual({
      status: 400,
      code: "invalid_field_value",
    });
    expect((await pay({ session_id: fixed.id, amount: "1000" })).body.transaction.amount).toBe("1000");

    const open = await sandbox.createLink({ amount: null });
    const none = await pay({ payment_link_id: open.id });
    expect({ status: none.status, code: none.body.error.code }).toEqual({
      status: 400,
      code: "missing_required_field",
    });
    const ofOpen = await sandbox.api("GET", `/payment-links/${open.id}/sessions`);
    expect(ofOpen.body.total_count, "nothing is left behind").toBe(0);
    const paid = await pay({ payment_link_id: open.id, amount: "77" });
    expect(paid.body).toMatchObject({ transaction: { amount: "77" }, session: { amount: "77" } });
  });

  test("a payment confirmed after its session expired does not complete the checkout [fidelity: Resources › Late confirmation]", async () => {
    const sandbox = await startSandbox({ payments: { confirmationDelay: "10m" } });
    const session = await sandbox.openSession({ amount: "1", expires_in: 300 });
    const { transaction } = await sandbox.pay({ session_id: session.id });
    await sandbox.advance("10m");
    expect((await sandbox.api("GET", `/transactions/${transaction.id}`)).body.status).toBe("completed");
    expect((await sandbox.api("GET", `/checkout-sessions/${session.id}`)).body).toMatchObject({
      status: "expired",
      transaction_id: null,
    });
    expect(await sandbox.journal("checkout.completed")).toEqual([]);
  });
});
