import { expect, test } from "vitest";
import { expectRefusal } from "../support/control-errors.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";

test("GET /payments/{id} follows a payment to each delivery attempt of its events", async () => {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  const off = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/off`, {
    events: ["payment.completed"],
  });
  await sandbox.control("POST", `/webhooks/${off.id}/disable`);
  const link = await sandbox.createLink();
  const failed = await sandbox.pay({ payment_link_id: link.id, failure_reason: "reverted" });
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { sequence: [503, 200] });
  const paid = await sandbox.pay({ session_id: failed.session.id });
  await sandbox.pay({ payment_link_id: link.id });

  const story = (await sandbox.control("GET", `/payments/${paid.transaction.id}`)).body;
  expect(story.session.id).toBe(paid.session.id);
  expect(story.payments.map(({ id, status }: Json) => [id, status])).toEqual([
    [failed.transaction.id, "failed"],
    [paid.transaction.id, "completed"],
  ]);
  const told = story.events.map(({ type, about, endpoints }: Json) => [
    type,
    about,
    endpoints.map(({ webhook_id: id, state, deliveries }: Json) => [
      id === hook.id ? "hook" : "off",
      state,
      deliveries.map(({ response_code: code }: Json) => code),
    ]),
  ]);
  expect(told).toEqual([
    ["payment.failed", failed.transaction.id, [["hook", "delivered", [200]]]],
    [
      "payment.completed",
      paid.transaction.id,
      [
        ["hook", "active", [503]],
        ["off", "skipped", []],
      ],
    ],
    ["checkout.completed", paid.session.id, [["hook", "delivered", [200]]]],
  ]);
  const completed = story.events[1];
  for (const id of [failed.transaction.id, paid.session.id, completed.id])
    expect((await sandbox.control("GET", `/payments/${id}`)).body).toEqual(story);
  const [delivery] = completed.endpoints[0].deliveries;
  expect((await sandbox.control("GET", `/deliveries/${delivery.delivery_id}`)).body).toMatchObject({
    id: delivery.delivery_id,
    webhook_id: hook.id,
    event_id: completed.id,
  });
  await sandbox.advance("1m");
  const later = (await sandbox.control("GET", `/payments/${paid.transaction.id}`)).body;
  expect(later.events[1].endpoints[0]).toMatchObject({ state: "delivered", next_attempt_at: null });
});

test("GET /payments/{id} returns no payments for an unpaid session and rejects an unknown id", async () => {
  const sandbox = await startSandbox();
  const { id } = await sandbox.openSession();
  expect((await sandbox.control("GET", `/payments/${id}`)).body).toMatchObject({
    session: { id },
    payments: [],
    events: [],
  });
  expectRefusal(await sandbox.control("GET", "/payments/txn_nothing"), 404, "not_found");
  expectRefusal(await sandbox.control("GET", "/payments/evt_nothing"), 404, "not_found");
  const onPage = await fetch(`${sandbox.url}/_sandbox/payments/cs_nothing`, {
    headers: { "x-sandbox-surface": "page" },
  });
  expect(((await onPage.json()) as Json).error.hint).toBe(
    "Find it under Payments, which lists transactions and sessions.",
  );
  expectRefusal(await sandbox.control("GET", "/deliveries/del_nothing"), 404, "not_found");
});

test("paying, following or expiring by client_reference_id uses its active session, or otherwise its newest one", async () => {
  const sandbox = await startSandbox();
  const open = () => sandbox.openSession({ client_reference_id: "order-3" });
  const first = await open();
  const paid = await sandbox.pay({ payment_link_id: "order-3" });
  expect(paid.session.id).toBe(first.id);
  const [second] = [await open(), await sandbox.advance("1s")];
  const expired = await sandbox.control("POST", "/sessions/order-3/expire");
  expect(expired.body).toMatchObject({ id: second.id, status: "expired" });
  const followed = await sandbox.control("GET", "/payments/order-3");
  expect(followed.body.session.id).toBe(second.id);
  const again = await sandbox.control("POST", "/payments", { session_id: "order-3" });
  expect(again.status).toBeGreaterThanOrEqual(400);
  expectRefusal(await sandbox.control("GET", "/payments/order-4"), 404, "not_found");
});
