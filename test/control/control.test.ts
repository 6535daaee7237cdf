import { expect, test } from "vitest";
import { expectRefusal } from "../support/control-errors.ts";
import { startSandbox } from "../support/sandbox.ts";

test("the status has what runs, its address, keys and counts [fidelity: Time › Start]", async () => {
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

test("a reset restores the fixtures and their starting time, or another seed if asked", async () => {
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

test("payments are triggered by link id, code, URL or session; mistakes name what is missing", async () => {
  const sandbox = await startSandbox();
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

test("a session is expired once, at the present instant", async () => {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  const { id } = await sandbox.openSession();
  const expired = await sandbox.control("POST", `/sessions/${id}/expire`);
  expect({ status: expired.status, body: expired.body }).toMatchObject({
    status: 200,
    body: { object: "checkout_session", id, status: "expired" },
  });
  const again = await sandbox.control("POST", `/sessions/${id}/expire`);
  expectRefusal(again, 400, "invalid_status_transition");
  expect(again.body.error.message).toMatch(/^The checkout session expired at \S+Z and cannot be expired\.$/);
  expectRefusal(await sandbox.control("POST", "/sessions/cs_nobody/expire"), 404, "not_found");
  await sandbox.advance(0);
  expect((await sandbox.deliveries(hook.id)).map(({ event }) => event)).toEqual(["checkout.expired"]);
});

test("an endpoint is disabled and enabled from the dashboard", async () => {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  const session = async () => (await sandbox.openSession()).id;
  const path = `/webhooks/${hook.id}`;
  expectRefusal(await sandbox.control("POST", `${path}/enable`), 409, "invalid_state");
  const disabled = await sandbox.control("POST", `${path}/disable`);
  expect(disabled.body).toMatchObject({
    status: "disabled",
    disabled_reason: "dashboard",
    disabled_at: "2026-01-15T09:00:00.000Z",
  });
  expect(disabled.text).not.toContain("whsec_");
  expectRefusal(await sandbox.control("POST", `${path}/disable`), 409, "invalid_state");
  expect((await sandbox.pay({ session_id: await session() })).deliveries).toEqual([]);
  expect(await sandbox.mail(), "only failures are written about").toEqual([]);

  const enabled = await sandbox.control("POST", `${path}/enable`);
  expect(enabled.body).toMatchObject({ status: "enabled", disabled_reason: null, disabled_at: null });
  await sandbox.advance("1d");
  expect(await sandbox.deliveries(hook.id), "nothing is resurrected").toEqual([]);
  expect((await sandbox.pay({ session_id: await session() })).deliveries).toHaveLength(2);
  for (const action of ["enable", "disable", "fault"]) {
    const method = action.endsWith("able") ? "POST" : "GET";
    expectRefusal(await sandbox.control(method, `/webhooks/wh_nobody/${action}`), 404, "not_found", action);
  }
  expect((await sandbox.control("GET", "/webhooks/wh_nobody/timeline")).status).toBe(404);
  await sandbox.api("DELETE", path);
  expectRefusal(await sandbox.control("POST", `${path}/disable`), 404, "not_found");
  expect((await sandbox.control("GET", "/webhooks")).body.data).toEqual([]);
});

test("webhooks of every organization are listed, with their secrets", async () => {
  const sandbox = await startSandbox();
  const mine = await sandbox.createWebhook("http://localhost:1/mine");
  const body = { url: "http://localhost:1/theirs" };
  const theirs = (await sandbox.api("POST", "/webhooks", { body, key: sandbox.keys.other })).body;
  const { data } = (await sandbox.control("GET", "/webhooks")).body;
  const shown = data.map(({ id, secret }: { id: string; secret: string }) => ({ id, secret }));
  for (const { id, secret } of [mine, theirs]) expect(shown).toContainEqual({ id, secret });
});

test("ten failures in a row write one e-mail to the owner [fidelity: Simulated › Mail]", async () => {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/broken`, {
    events: ["payment.completed"],
  });
  await sandbox.control("PUT", "/inbox/broken/behaviour", { status: 500 });
  for (let count = 0; count < 3; count += 1)
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
  await sandbox.advance({ until: "webhook.disabled" });
  await sandbox.advance("1d");
  const mail = await sandbox.mail();
  expect(mail).toHaveLength(1);
  expect(mail[0]).toEqual({
    id: expect.stringMatching(/^mail_/),
    organization: expect.stringMatching(/^org_/),
    to: "ines@northlight.example",
    subject: expect.stringContaining("10"),
    text: expect.stringContaining(hook.id),
    webhook_id: hook.id,
    created_at: (await sandbox.webhook(hook.id)).disabled_at,
  });
  expect(mail[0].text).toContain(hook.url);
});

test("an unknown path is not found, whatever its body is", async () => {
  const sandbox = await startSandbox();
  const call = (body: string, type: string) =>
    sandbox.call("POST", "/nowhere", { body, headers: { "content-type": type } });
  expectRefusal(await call("{}", "application/json"), 404, "not_found");
  expectRefusal(await call("<a/>", "text/xml"), 415, "unsupported_media_type");
  expectRefusal(await call("{", "application/json"), 400, "bad_request");
  expectRefusal(await call(" ".repeat(1_100_000), "application/json"), 413, "payload_too_large");
});
