import { describe, expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { type Answer, startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";
import { startSubscriber } from "../support/subscriber.ts";

const rateOf = ({ headers }: Answer) => ({
  limit: headers.get("x-ratelimit-limit"),
  remaining: headers.get("x-ratelimit-remaining"),
  reset: headers.get("x-ratelimit-reset"),
});
const START = Date.parse("2026-01-15T09:00:00Z") / 1_000;

describe("the rate limit", () => {
  test("the rate limit allows 120 requests a minute per key and returns how many are left [fidelity: Payments platform › Rate limit · API › Rate-limit window]", async () => {
    const sandbox = await startSandbox({ payments: { rateLimit: 120 } });
    const ask = (key: string | null = sandbox.keys.write, path = "/payment-links") =>
      sandbox.api("GET", path, { key });
    expect(rateOf(await ask())).toEqual({ limit: "120", remaining: "119", reset: String(START + 60) });
    expectError(await ask(sandbox.keys.write, "/payment-links/nope"), "resource_not_found");
    expectError(await ask(sandbox.keys.write, "/payment-links?limit=0"), "invalid_field_value");
    for (let call = 4; call <= 119; call += 1) expect((await ask()).status).toBe(200);
    const last = await ask();
    expect({ status: last.status, ...rateOf(last) }).toMatchObject({
      status: 200,
      limit: "120",
      remaining: "0",
    });

    for (const answer of [
      await ask(),
      await sandbox.api("POST", "/payment-links", { body: { name: "Tea" } }),
    ]) {
      expectError(answer, "rate_limit_exceeded", { param: null, says: 120 });
      const wait = answer.headers.get("retry-after");
      expect(Number(wait)).toBeGreaterThan(0);
      expect(Number(wait)).toBeLessThanOrEqual(60);
      expect(answer.body.error.message).toContain(`${wait} seconds`);
      expect(answer.headers.get("x-sandbox-hint")).toMatch(
        /rateLimit.*--rate-limit off|--rate-limit off.*rateLimit/,
      );
      expect(rateOf(answer)).toMatchObject({ limit: "120", remaining: "0" });
    }

    expect(rateOf(await ask(sandbox.keys.read))).toMatchObject({ remaining: "119" });
    expect(rateOf(await ask(sandbox.keys.other))).toMatchObject({ remaining: "119" });
    expectError(await ask(null), "key_missing");
    expect((await sandbox.control("GET", "/status")).status).toBe(200);
  });

  test("the rate limit uses fixed windows of virtual time [fidelity: API › Rate-limit window]", async () => {
    const sandbox = await startSandbox({ payments: { rateLimit: 2 } });
    const ask = () => sandbox.api("GET", "/payment-links");
    await ask();
    await sandbox.advance("30s");
    await ask();
    const refused = await ask();
    expectError(refused, "rate_limit_exceeded", { says: 2 });
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(30);
    await sandbox.advance(Number(refused.headers.get("retry-after")) * 1_000);
    expect(rateOf(await ask())).toMatchObject({ remaining: "1", reset: String(START + 60 + 60) });
    await sandbox.advance("59999ms");
    expect(rateOf(await ask()).remaining).toBe("0");
    expectError(await ask(), "rate_limit_exceeded");
    await sandbox.advance("1ms");
    expect(rateOf(await ask()).remaining).toBe("1");
  });

  test("a reset or a restore restarts the rate limit", async () => {
    const sandbox = await startSandbox({ payments: { rateLimit: 1 } });
    const ask = () => sandbox.api("GET", "/payment-links");
    await sandbox.control("POST", "/snapshots", { name: "begin" });
    for (const path of ["/reset", "/snapshots/begin/restore"]) {
      expect((await ask()).status, path).toBe(200);
      expectError(await ask(), "rate_limit_exceeded", {}, path);
      expect((await sandbox.control("POST", path)).status).toBe(200);
    }
    expect(rateOf(await ask())).toEqual({ limit: "1", remaining: "0", reset: String(START + 60) });
  });
});

describe("Idempotency-Key [fidelity: API › Idempotency-Key]", () => {
  const sandbox = sharedSandbox();
  const keyed = (key: string) => ({ "idempotency-key": key });

  test("a request repeated with its Idempotency-Key gets an identical response and runs only once", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink();
    const session = await sandbox.openSession();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
      events: ["payment.failed"],
    });
    const calls: [method: string, path: string, body: unknown][] = [
      ["POST", "/payment-links", { name: "Tea", amount: "1" }],
      ["PATCH", `/payment-links/${link.id}`, { name: "Mint" }],
      ["POST", "/checkout-sessions", { amount: "1", metadata: { b: "1", a: "2" } }],
      ["PATCH", `/checkout-sessions/${session.id}`, { client_reference_id: "order_1" }],
      ["POST", `/checkout-sessions/${session.id}/expire`, undefined],
      ["POST", "/products", { name: "Mug" }],
      ["POST", "/webhooks", { url: "http://localhost:1/x" }],
      ["POST", "/api-keys", { name: "CI", permission: "read" }],
      ["POST", "/discount-codes", { code: "TEN", discount_type: "percentage", discount_value: 10 }],
      ["POST", "/discount-codes/validate", { code: "TEN", amount: "100" }],
      ["POST", "/widgets", { name: "Buy" }],
      ["PATCH", "/notifications", { email: "new@example.com" }],
      ["POST", `/webhooks/${hook.id}/test`, undefined],
    ];
    for (const [index, [method, path, body]] of calls.entries()) {
      const call = () =>
        sandbox.api(method, path, {
          headers: keyed(`key ${index}`),
          ...(body === undefined ? {} : { body }),
        });
      const first = await call();
      expect(first.status, `${method} ${path} ${first.text}`).toBeLessThan(300);
      expect(first.headers.get("idempotent-replayed")).toBeNull();
      for (let again = 0; again < 2; again += 1) {
        await sandbox.advance("10s");
        const replay = await call();
        expect({ status: replay.status, text: replay.text }).toEqual({
          status: first.status,
          text: first.text,
        });
        expect(replay.headers.get("idempotent-replayed")).toBe("true");
        expect(replay.headers.get("content-type")).toBe(first.headers.get("content-type"));
      }
    }
    const list = await sandbox.api("GET", "/payment-links");
    expect(rateOf(list), "the limit is off").toEqual({ limit: null, remaining: null, reset: null });
    expect(list.body.total_count).toBe(2);
    expect((await sandbox.control("GET", "/inbox/shop")).body.data).toHaveLength(1);
  });

  test("an Idempotency-Key matches equivalent JSON, regardless of formatting and unknown query parameters [fidelity: API › Same body]", async () => {
    const call = (body: string, query = "") =>
      sandbox.api("POST", `/products${query}`, { body, headers: keyed("k") });
    const first = await call('{"name":"Mug","metadata":{"a":1,"b":[]},"x":{}}'.replace('"b":[]', '"b":2'));
    expect(first.status).toBe(201);
    const spelling = '{ "x": {}, "metadata": {"b": 2, "a": 1.0},\n "n\\u0061me": "Mug" }';
    for (const query of ["", "?_=1768467600000", "?_=1768467600001&trace=a", "?"]) {
      const respelled = await call(spelling, query);
      expect(respelled.headers.get("idempotent-replayed"), query).toBe("true");
      expect(respelled.text, query).toBe(first.text);
    }
  });

  test("an Idempotency-Key conflicts with another body, method or path [fidelity: Payments platform › Idempotency conflict]", async () => {
    const link = await sandbox.createLink();
    const call = (method: string, path: string, body: unknown) =>
      sandbox.api(method, path, { body, headers: keyed("order-1") });
    const made = async () => (await sandbox.api("GET", "/products")).body.total_count;
    expect((await call("POST", "/products", { name: "Mug" })).status).toBe(201);
    const before = await made();
    for (const [method, path, body] of [
      ["POST", "/products", { name: "Cup" }],
      ["POST", "/products", { name: "Mug", amount: null }],
      ["POST", "/products", {}],
      ["POST", "/products", { name: 5 }],
      ["POST", "/widgets", { name: "Mug" }],
      ["PATCH", `/payment-links/${link.id}`, { name: "Mug" }],
    ] as const)
      expectError(await call(method, path, body), "idempotency_conflict", {}, `${method} ${path}`);
    expect(await made()).toBe(before);
    expect(
      (await sandbox.api("DELETE", `/payment-links/${link.id}`, { headers: keyed("order-1") })).status,
    ).toBe(200);
  });

  test("an Idempotency-Key expires after 24 hours", async () => {
    const sandbox = await startSandbox();
    const call = (name: string) => sandbox.api("POST", "/products", { body: { name }, headers: keyed("k") });
    const first = await call("Mug");
    await sandbox.advance(24 * 3_600_000 - 1);
    expect((await call("Mug")).text).toBe(first.text);
    expectError(await call("Cup"), "idempotency_conflict", { says: 24 });
    await sandbox.advance(1);
    const fresh = await call("Cup");
    expect({ status: fresh.status, name: fresh.body.name }).toEqual({ status: 201, name: "Cup" });
    expect((await call("Cup")).text).toBe(fresh.text);
  });

  test("an Idempotency-Key does not cache error responses and belongs to one organization", async () => {
    const call = (body: unknown, key = sandbox.keys.write) =>
      sandbox.api("POST", "/products", { body, key, headers: keyed("refused") });
    expectError(await call({}), "missing_required_field");
    expectError(await call({ name: 5 }), "invalid_field_value");
    expectError(await call({ name: "Mug" }, sandbox.keys.read), "insufficient_permissions");
    await sandbox.control("PUT", "/faults/platform", { status: 500, times: 1 });
    expectError(await call({ name: "Mug" }), "internal_error");
    const mine = await call({ name: "Mug" });
    expect(mine.status).toBe(201);
    const theirs = await call({ name: "Cup" }, sandbox.keys.other);
    expect({ status: theirs.status, name: theirs.body.name }).toEqual({ status: 201, name: "Cup" });
    const admin = await sandbox.api("POST", "/api-keys", { body: { name: "Ops", permission: "admin" } });
    expect((await call({ name: "Mug" }, admin.body.key)).text).toBe(mine.text);
  });

  test("an Idempotency-Key conflicts while its first call is still running", async () => {
    const sandbox = await startSandbox({ settleTimeout: "5s" });
    let release = () => {};
    const subscriber = await startSubscriber((_received, response) => {
      release = () => void response.writeHead(200).end();
    });
    const hook = await sandbox.createWebhook(subscriber.url);
    const call = () => sandbox.api("POST", `/webhooks/${hook.id}/test`, { headers: keyed("k") });
    const first = call();
    await subscriber.arrived(1);
    expectError(await call(), "idempotency_conflict");
    expect(
      (await sandbox.api("POST", "/products", { body: { name: "Mug" }, headers: keyed("l") })).status,
    ).toBe(201);
    release();
    const answer = await first;
    expect(answer.body).toMatchObject({ response_code: 200, success: true });
    const replay = await call();
    expect({ text: replay.text, replayed: replay.headers.get("idempotent-replayed") }).toEqual({
      text: answer.text,
      replayed: "true",
    });
    expect(subscriber.received).toHaveLength(1);
  });
});
