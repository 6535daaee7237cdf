import { afterEach, expect, test } from "vitest";
import { expectRefusal } from "../support/control-errors.ts";
import { type ErrorCode, expectError } from "../support/platform-errors.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();
afterEach(() => sandbox.control("DELETE", "/faults/platform"));
const setFault = (fault: unknown) => sandbox.control("PUT", "/faults/platform", fault);
const products = () => sandbox.api("GET", "/products");

test("an API fault returns its status in the platform's format before any other check [fidelity: Simulated › API faults]", async () => {
  const codes: [status: number, code: ErrorCode][] = [
    [400, "invalid_field_value"],
    [401, "key_invalid"],
    [403, "insufficient_permissions"],
    [404, "resource_not_found"],
    [409, "idempotency_conflict"],
    [429, "rate_limit_exceeded"],
    [500, "internal_error"],
  ];
  for (const [status, code] of codes) {
    expect((await setFault({ status })).status).toBe(200);
    for (const answer of [
      await products(),
      await sandbox.api("POST", "/products", { body: { name: "Mug" } }),
      await sandbox.api("GET", "/nowhere", { key: null }),
    ]) {
      expectError(answer, code, { says: status });
      expect(answer.headers.get("x-sandbox-fault")).toBe("api");
      expect(answer.headers.get("retry-after")).toBe(status === 429 ? "60" : null);
    }
  }
  for (const status of [502, 503, 504]) {
    await setFault({ status });
    const answer = await products();
    expect({ status: answer.status, error: answer.body.error }).toMatchObject({
      status,
      error: { type: "api_error", code: "internal_error" },
    });
  }
  expect((await sandbox.control("DELETE", "/faults/platform")).body).toMatchObject({ spec: null });
  expect((await products()).body.total_count, "nothing was made").toBe(0);
  expect((await sandbox.control("DELETE", "/faults/platform")).status).toBe(200);
});

test("an API fault applies as often as its times or rate specify, counts its hits, and then stops applying", async () => {
  await setFault({ status: 503, times: 2 });
  const statuses = [];
  for (let call = 0; call < 4; call += 1) statuses.push((await products()).status);
  expect(statuses).toEqual([503, 503, 200, 200]);

  await setFault({ status: 503, rate: 0.5 });
  const seeded = [];
  for (let call = 0; call < 60; call += 1) seeded.push((await products()).status);
  expect(seeded.filter((status) => status === 503).length).toBeGreaterThan(10);
  expect(seeded.filter((status) => status === 200).length).toBeGreaterThan(10);
  await setFault({ status: 503, rate: 0 });
  expect((await products()).status).toBe(200);
  await setFault({ status: 503, rate: 1 });
  expect((await products()).status).toBe(503);
  expect((await sandbox.journal("fault.*")).map(({ type }) => type)).toContain("fault.set");
});

test("an API fault matches calls by method, by path with *, or by both", async () => {
  const calls = ["GET /products", "POST /products", "GET /widgets", "GET /payment-links/pl_1/sessions"];
  const cases: [match: string, hit: string[]][] = [
    ["GET", ["GET /products", "GET /widgets", "GET /payment-links/pl_1/sessions"]],
    ["POST", ["POST /products"]],
    ["/products", ["GET /products", "POST /products"]],
    ["/api/v1/products", ["GET /products", "POST /products"]],
    ["GET /products", ["GET /products"]],
    ["GET /p*", ["GET /products", "GET /payment-links/pl_1/sessions"]],
    ["*sessions", ["GET /payment-links/pl_1/sessions"]],
    ["/payment-links/*/sessions", ["GET /payment-links/pl_1/sessions"]],
    ["/product", []],
    ["/prod.*", []],
    ["DELETE *", []],
    ["*", calls],
  ];
  for (const [match, hit] of cases) {
    await setFault({ status: 503, match });
    const failed = [];
    for (const call of calls) {
      const [method, path] = call.split(" ") as [string, string];
      const answer = await sandbox.api(method, `${path}?x=1`, method === "POST" ? { body: {} } : {});
      if (answer.status === 503) failed.push(call);
    }
    expect({ match, failed }).toEqual({ match, failed: hit });
  }
  await setFault({ status: 503, times: 1, match: "/widgets" });
  expect((await products()).status, "another call uses up no hit").toBe(200);
  expect((await sandbox.api("GET", "/widgets")).status).toBe(503);
  expect((await sandbox.api("GET", "/widgets")).status).toBe(200);
});

test("an API fault's latency delays a call, which then succeeds unless the fault has a status", async () => {
  for (const [fault, status] of [
    [{ latency: 400, times: 1 }, 200],
    [{ latency: 400, times: 1, status: 504 }, 504],
  ] as const) {
    await setFault({ ...fault, match: "/products" });
    const order: string[] = [];
    const held = products().finally(() => order.push("held"));
    await sandbox.api("GET", "/widgets").finally(() => order.push("other"));
    expect((await held).status).toBe(status);
    expect(order).toEqual(["other", "held"]);
  }
});

test("invalid API faults are rejected, and no fault affects the control API", async () => {
  for (const fault of [
    {},
    { times: 1 },
    { status: 200 },
    { status: 399 },
    { status: 600 },
    { status: "500" },
    { latency: -1 },
    { latency: 60_001 },
    { latency: true },
    { status: 500, times: 0 },
    { status: 500, rate: 1.1 },
    { status: 500, rate: -0.1 },
    { status: 500, match: "x".repeat(201) },
    { status: 500, colour: "red" },
  ])
    expectRefusal(await setFault(fault), 400, "bad_request", JSON.stringify(fault));
  for (const area of ["nowhere", "Platform", "__proto__", "%00"])
    expectRefusal(await sandbox.control("PUT", `/faults/${area}`, { status: 500 }), 404, "not_found", area);
  expect((await products()).status).toBe(200);
  await setFault({ status: 500 });
  expect((await sandbox.control("GET", "/status")).status).toBe(200);
});

test("GET /faults lists the active faults and how often each one was triggered", async () => {
  const list = async () => (await sandbox.control("GET", "/faults")).body.data;
  expect(await list()).toEqual([]);
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "timeout" });
  await sandbox.control("PUT", "/data/providers/indexer", { state: "down" });
  await setFault({ status: 503, match: "GET /products" });
  await products();
  const platform = {
    target: "api:platform",
    spec: { status: 503, match: "GET /products" },
    asked: 1,
    hit: 1,
  };
  expect(await list()).toEqual([
    platform,
    { target: "provider:indexer", spec: { state: "down" }, asked: 0, hit: 0 },
    { target: `webhook:${hook.id}`, spec: { kind: "timeout" }, asked: 0, hit: 0 },
  ]);
  expect((await sandbox.control("GET", "/faults/platform")).body).toEqual(platform);
  expect((await sandbox.control("GET", "/faults/game")).body).toMatchObject({
    target: "api:game",
    spec: null,
  });
  expectRefusal(await sandbox.control("GET", "/faults/nowhere"), 404, "not_found");
  await sandbox.api("DELETE", `/webhooks/${hook.id}`);
  expect(await list(), "an endpoint's fault ends with it").toHaveLength(2);
});

test("a fault pattern with many asterisks is matched in linear time, and one longer than 200 characters is rejected", async () => {
  const stars = `/${"*a".repeat(99)}`;
  expect((await setFault({ status: 503, match: stars })).status).toBe(200);
  const answer = await sandbox.api("GET", `/products/${"a".repeat(98)}b`);
  expect(answer.status, "it does not fit").toBe(404);
  expect((await sandbox.api("GET", `/products/${"a".repeat(99)}`)).status).toBe(503);

  const refused = await setFault({ status: 503, match: `/${"*a".repeat(100)}` });
  expectRefusal(refused, 400, "bad_request");
  expect(refused.body.error.message).toBe("match has 201 characters; it can have at most 200.");
});
