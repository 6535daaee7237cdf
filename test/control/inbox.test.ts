import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { expectRefusal } from "../support/control-errors.ts";
import type { Json } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();

const messages = async (name: string, query = ""): Promise<Json[]> =>
  (await sandbox.control("GET", `/inbox/${name}${query}`)).body.data;
const post = (name: string, body: string, headers: Record<string, string> = {}) =>
  sandbox.call("POST", `/_sandbox/inbox/${name}`, { body, headers });

test("an inbox stores a webhook's headers and bytes, and whether its signature is valid", async () => {
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  expect(await messages("shop")).toEqual([]);
  await sandbox.pay({ session_id: (await sandbox.openSession()).id });
  const both = await messages("shop");
  const ofEvent = (event: string) => both.find(({ headers }) => headers["x-platform-event"] === event);
  const payment = ofEvent("payment.completed");
  const delivery = (await sandbox.deliveries(hook.id)).find(({ event }) => event === "payment.completed");
  expect(payment).toEqual({
    seq: expect.any(Number),
    received_at: "2026-01-15T09:00:00.000Z",
    headers: expect.any(Object),
    body: expect.any(String),
    signature: "valid",
    answered: 200,
  });
  expect(payment.body).toBe(delivery.request_body);
  expect(payment.headers).toMatchObject({
    "content-type": "application/json",
    "x-platform-event": "payment.completed",
    "x-platform-webhook-id": hook.id,
    "x-platform-delivery-id": delivery.id,
    "x-platform-timestamp": "2026-01-15T09:00:00.000Z",
    "x-platform-signature": createHmac("sha256", hook.secret).update(payment.body).digest("hex"),
  });
  expect(ofEvent("checkout.completed").signature).toBe("valid");
  expect(both).toHaveLength(2);
  expect(await messages("shop", `?after=${both[0].seq}`)).toEqual(both.slice(1));
  expect(await messages("shop", "?limit=1")).toEqual(both.slice(0, 1));
  expect(await messages("other")).toEqual([]);
  expect((await sandbox.control("GET", "/inbox")).body.data).toEqual([
    { name: "shop", messages: 2, last_received_at: "2026-01-15T09:00:00.000Z" },
  ]);
});

test("an inbox distinguishes valid, invalid, missing and unknown signatures", async () => {
  const hook = await sandbox.createWebhook("http://localhost:1/x", { events: ["payment.failed"] });
  const body = '{"event": "payment.completed", "näme": "☕"}';
  const sign = (text: string, secret = hook.secret) =>
    createHmac("sha256", secret).update(text).digest("hex");
  const cases: [headers: Record<string, string>, verdict: string][] = [
    [{ "x-platform-signature": sign(body), "x-platform-webhook-id": hook.id }, "valid"],
    [{ "x-platform-signature": sign(`${body} `), "x-platform-webhook-id": hook.id }, "invalid"],
    [{ "x-platform-signature": sign(body, "whsec_other"), "x-platform-webhook-id": hook.id }, "invalid"],
    [{ "x-platform-signature": sign(body).slice(0, -1), "x-platform-webhook-id": hook.id }, "invalid"],
    [{ "x-platform-signature": "☕".length.toString(), "x-platform-webhook-id": hook.id }, "invalid"],
    [{ "x-platform-signature": "", "x-platform-webhook-id": hook.id }, "invalid"],
    [{ "x-platform-webhook-id": hook.id }, "missing"],
    [{}, "missing"],
    [{ "x-platform-signature": sign(body), "x-platform-webhook-id": "wh_nobody" }, "unknown_webhook"],
    [{ "x-platform-signature": sign(body) }, "unknown_webhook"],
  ];
  for (const [headers, verdict] of cases) {
    const answer = await post("signed", body, { "content-type": "application/json", ...headers });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { received: true } });
    const kept = (await messages("signed")).at(-1);
    expect({ headers, signature: kept.signature, body: kept.body }).toEqual({
      headers,
      signature: verdict,
      body,
    });
  }
});

test("an inbox accepts any body of any content type", async () => {
  const bodies: [body: string, type: string][] = [
    ["not json", "application/json"],
    ["[]", "application/json"],
    ["a=1&b=2", "application/x-www-form-urlencoded"],
    ["<x/>", "application/xml"],
    ["\u0000\u0001", "text/plain"],
    [`{"half":"\\ud800"}`, "application/json; charset=utf-8"],
  ];
  for (const [body, type] of bodies)
    expect((await post("any", body, { "content-type": type })).status, type).toBe(200);
  expect((await sandbox.control("POST", "/inbox/any")).status).toBe(200);
  expect((await messages("any")).map(({ body }) => body)).toEqual([...bodies.map(([body]) => body), ""]);
});

test("an inbox responds as configured: first with a sequence, then with a status and a body", async () => {
  const behave = (behaviour: unknown) => sandbox.control("PUT", "/inbox/set/behaviour", behaviour);
  const behaviour = { sequence: [500, 410, 204], status: 202, body: "thanks" };
  expect((await behave(behaviour)).body).toEqual(behaviour);
  const answers = [];
  for (let call = 0; call < 5; call += 1) answers.push(await post("set", "{}"));
  expect(answers.map(({ status }) => status)).toEqual([500, 410, 204, 202, 202]);
  expect(answers[4]!.text).toBe("thanks");
  expect((await messages("set")).map(({ answered }) => answered)).toEqual([500, 410, 204, 202, 202]);
  await behave({ sequence: [503] });
  expect([(await post("set", "{}")).status, (await post("set", "{}")).status]).toEqual([503, 200]);
  expect((await post("other", "{}")).status).toBe(200);

  await behave({ sequence: [500, 500, 200] });
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/set`, {
    events: ["payment.completed"],
  });
  await sandbox.pay({ session_id: (await sandbox.openSession()).id });
  await sandbox.advance("1d");
  const codes = (await sandbox.deliveries(hook.id)).map(({ response_code: code }) => code);
  expect(codes).toEqual([500, 500, 200]);
});

test("an invalid inbox configuration is rejected", async () => {
  for (const behaviour of [
    { status: 199 },
    { status: 600 },
    { status: "200" },
    { sequence: [20] },
    { sequence: 500 },
    { delay: -1 },
    { delay: 60_001 },
    { body: 5 },
    { body: "x".repeat(65_537) },
    { surprise: true },
  ])
    expectRefusal(
      await sandbox.control("PUT", "/inbox/shop/behaviour", behaviour),
      400,
      "bad_request",
      JSON.stringify(behaviour).slice(0, 80),
    );
  for (const name of ["a%20b", "%00", "a%2Fb", "ünï", "x".repeat(101)])
    expectRefusal(await sandbox.control("GET", `/inbox/${name}`), 400, "bad_request", name);
  expectRefusal(await sandbox.control("POST", "/inbox/shop/more", {}), 404, "not_found");
  for (const query of ["?limit=0", "?after=-1", "?x=1"])
    expectRefusal(await sandbox.control("GET", `/inbox/shop${query}`), 400, "bad_request", query);
});
