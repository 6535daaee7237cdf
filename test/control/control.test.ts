import { expect, test } from "vitest";
import { expectRefusal } from "../support/control-errors.ts";
import { startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();

test("GET /status returns what is running, with its addresses, keys and counts [fidelity: Time › Start]", async () => {
  const sandbox = await startSandbox();
  const { status, body } = await sandbox.control("GET", "/status");
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      ready: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      url: sandbox.url,
      bases: { platform: `${sandbox.url}/platform` },
      world: "default",
      seed: "empty",
      clock: { mode: "paused", rate: 1, now: "2026-01-15T09:00:00.000Z" },
      organization: { id: expect.stringMatching(/^org_/), name: "Northlight Coffee Roasters" },
      keys: sandbox.keys,
      webhook_secret: null,
      counts: { payment_links: 0, checkout_sessions: 0, transactions: 0, webhooks: 0, mail: 0 },
    },
  });
  const hook = await sandbox.createWebhook("http://localhost:3000/hook");
  await sandbox.openSession();
  const after = (await sandbox.control("GET", "/status")).body;
  expect(after).toMatchObject({ webhook_secret: hook.secret, counts: { webhooks: 1, checkout_sessions: 1 } });
  expect((await sandbox.call("GET", "/w/default/_sandbox/status")).body).toEqual(after);
  expectRefusal(await sandbox.call("GET", "/w/nowhere/_sandbox/status"), 404, "not_found");
});

test("a reset restores the fixtures and their start time, or loads another seed on request", async () => {
  const sandbox = await startSandbox();
  const fresh = (await sandbox.control("GET", "/status")).body;
  const link = await sandbox.createLink();
  await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.pay({ payment_link_id: link.id });
  await sandbox.control("PUT", "/faults/platform", { status: 500 });
  await sandbox.advance("3d");
  expect((await sandbox.control("POST", "/reset", {})).body).toEqual({ ...fresh, last_seq: 1 });
  for (const path of ["/mail", "/inbox", "/requests"])
    expect((await sandbox.control("GET", path)).body.data, path).toEqual([]);
  expect((await sandbox.journal()).map(({ type }) => type)).toEqual(["world.reset"]);
  expect((await sandbox.api("GET", "/payment-links")).body.total_count).toBe(0);
  const again = await sandbox.createLink();
  expect({ id: again.id, code: again.short_code }).toEqual({ id: link.id, code: link.short_code });

  const other = await sandbox.control("POST", "/reset", { seed: "sandglass" });
  expect(other.body).toMatchObject({ seed: "sandglass", clock: fresh.clock });
  expect(other.body.counts.transactions).toBeGreaterThan(100);
  expect((await sandbox.control("POST", "/reset")).body.counts).toEqual(other.body.counts);
  expectRefusal(await sandbox.control("POST", "/reset", { seed: "" }), 400, "bad_request");
  expectRefusal(await sandbox.control("POST", "/reset", { sead: "x" }), 400, "bad_request");
});

test("every call for an unknown or deleted endpoint or session returns 404", async () => {
  for (const [method, path] of [
    ["POST", "/webhooks/wh_nobody/enable"],
    ["POST", "/webhooks/wh_nobody/disable"],
    ["GET", "/webhooks/wh_nobody/fault"],
    ["GET", "/webhooks/wh_nobody/timeline"],
    ["POST", "/sessions/cs_nobody/expire"],
  ] as const)
    expectRefusal(await sandbox.control(method, path), 404, "not_found", path);
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.api("DELETE", `/webhooks/${hook.id}`);
  expectRefusal(await sandbox.control("POST", `/webhooks/${hook.id}/disable`), 404, "not_found");
  expect((await sandbox.control("GET", "/webhooks")).body.data).toEqual([]);
});

test("a payment can specify a link by id, code or URL, or a session, and errors say which one is missing", async () => {
  const link = await sandbox.createLink();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  for (const name of [link.id, link.short_code, link.url]) {
    const { transaction, session, deliveries } = await sandbox.pay({ payment_link_id: name });
    expect({ transaction: transaction.status, session: session.status }).toEqual({
      transaction: "completed",
      session: "completed",
    });
    expect(
      deliveries.map((delivery: { event: string; status: string }) => [delivery.event, delivery.status]),
    ).toEqual([
      ["payment.completed", "success"],
      ["checkout.completed", "success"],
    ]);
    expect(deliveries[0]).toMatchObject({ object: "webhook_delivery", webhook_id: hook.id, attempt: 1 });
  }

  const pay = (body: unknown) => sandbox.control("POST", "/payments", body);
  const session = await sandbox.openSession();
  const both = { payment_link_id: link.id, session_id: session.id };
  for (const body of [{}, { outcome: "completed" }, both]) expectRefusal(await pay(body), 400, "bad_request");
  expectRefusal(await pay({ payment_link_id: "pl_nobody" }), 404, "not_found");
  expectRefusal(await pay({ session_id: "cs_nobody" }), 404, "not_found");
  for (const wrong of [
    { outcome: "maybe" },
    { failure_reason: "bored" },
    { sender_address: "0x12" },
    { amount: "-1" },
    { amount: 5 },
    { customer_email: "ada" },
    { metadata: { a: {} } },
    { form_data: "x" },
    { form_data: { email: null } },
    { form_data: { shipping_address: "1 Main Street" } },
    { form_data: { shipping_address: { zip: 97477 } } },
    { discount_code: "" },
    { client_reference_id: "x".repeat(201) },
    { surprise: true },
  ])
    expectRefusal(await pay({ session_id: session.id, ...wrong }), 400, "bad_request", JSON.stringify(wrong));
  await pay({ session_id: session.id });
  const again = await pay({ session_id: session.id });
  expectRefusal(again, 400, "invalid_status_transition");
  await sandbox.api("PATCH", `/payment-links/${link.id}`, { body: { active: false } });
  expectRefusal(await pay({ payment_link_id: link.id }), 400, "invalid_status_transition");
});

test("GET /webhooks lists the endpoints of every organization with their secrets", async () => {
  const mine = await sandbox.createWebhook("http://localhost:1/mine");
  const body = { url: "http://localhost:1/theirs" };
  const theirs = (await sandbox.api("POST", "/webhooks", { body, key: sandbox.keys.other })).body;
  const { data } = (await sandbox.control("GET", "/webhooks")).body;
  const shown = data.map(({ id, secret }: { id: string; secret: string }) => ({ id, secret }));
  for (const { id, secret } of [mine, theirs]) expect(shown).toContainEqual({ id, secret });
});

test("an unknown path returns 404, unless its body is rejected first", async () => {
  const call = (body: string, type: string) =>
    sandbox.call("POST", "/nowhere", { body, headers: { "content-type": type } });
  expectRefusal(await call("{}", "application/json"), 404, "not_found");
  expectRefusal(await call("<a/>", "text/xml"), 415, "unsupported_media_type");
  expectRefusal(await call("{", "application/json"), 400, "bad_request");
  expectRefusal(await call(" ".repeat(1_100_000), "application/json"), 413, "payload_too_large");
});
