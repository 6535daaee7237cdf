import { describe, expect, test, vi } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

/** Covers the rows of docs/fidelity.md about the payments platform that no other test file covers completely. */

const rateHeaders = ({ headers }: { headers: Headers }) =>
  ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));

/** Stops a sandbox's real time, on which the rate limit is based. */
function holdRealTime({ sandbox }: TestSandbox) {
  const { clock } = sandbox.world;
  const now = clock.wall();
  const wall = vi.spyOn(clock, "wall").mockReturnValue(now);
  return { pass: (ms: number) => void wall.mockReturnValue(now + ms) };
}

describe("keys and paths", () => {
  test("every documented path starts with /api/v1, and other prefixes return 404 [fidelity: Payments platform › Base path]", async () => {
    const sandbox = await startSandbox();
    const { paths } = (await sandbox.call("GET", "/platform/openapi.json")).body;
    for (const path of Object.keys(paths)) expect(path).toMatch(/^\/api\/v1\//);
    for (const path of ["/payment-links", "/v1/payment-links", "/api/payment-links", "/api/v2/payment-links"])
      expect((await sandbox.call("GET", `/platform${path}`, { key: sandbox.keys.write })).status).toBe(404);
  });

  test("a key works in either header, and a bearer token takes precedence over X-API-Key [fidelity: API › Both key headers · Payments platform › Keys]", async () => {
    const sandbox = await startSandbox();
    const { write, read, revoked } = sandbox.keys;
    const create = (headers: Record<string, string>) =>
      sandbox.api("POST", "/products", { body: { name: "Mug" }, key: null, headers });
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    expect((await create(bearer(write))).status).toBe(201);
    expect((await create({ "x-api-key": write })).status).toBe(201);
    expect((await create({ ...bearer(write), "x-api-key": read })).status).toBe(201);
    expectError(await create({ ...bearer(read), "x-api-key": write }), "insufficient_permissions");
    expectError(await create({ ...bearer(revoked), "x-api-key": write }), "key_revoked");
    expectError(await create({ ...bearer("unknown"), "x-api-key": write }), "key_invalid");
  });

  test("an unknown path returns 404 with or without any key [fidelity: API › Unknown paths]", async () => {
    const sandbox = await startSandbox();
    for (const key of [sandbox.keys.write, sandbox.keys.revoked, "unknown", null])
      for (const method of ["GET", "POST"])
        expectError(await sandbox.api(method, "/nowhere", { key }), "resource_not_found", { param: null });
  });

  test("write and admin keys create API keys and webhooks, and a read key does not [fidelity: API › Permissions]", async () => {
    const sandbox = await startSandbox();
    for (const permission of ["read", "write", "admin"]) {
      const made = await sandbox.api("POST", "/api-keys", { body: { name: "Level", permission } });
      for (const [path, body] of [
        ["/api-keys", { name: "CI", permission: "admin" }],
        ["/webhooks", { url: "https://example.com/hook" }],
      ] as const) {
        const answer = await sandbox.api("POST", path, { body, key: made.body.key });
        if (permission === "read") expectError(answer, "insufficient_permissions");
        else expect(answer.status, `${permission} ${path}`).toBe(201);
      }
    }
  });
});

test("actions that create nothing return 200 [fidelity: API › Status of actions]", async () => {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { status: 500, times: 1 });
  const { deliveries } = await sandbox.pay({ session_id: (await sandbox.openSession()).id });
  const failed = deliveries.find(({ status }: { status: string }) => status === "failed");
  const session = await sandbox.openSession();
  for (const [path, body] of [
    [`/webhooks/${hook.id}/deliveries/${failed.id}/retry`, undefined],
    [`/webhooks/${hook.id}/test`, undefined],
    [`/checkout-sessions/${session.id}/expire`, undefined],
    ["/discount-codes/validate", { code: "NONE", amount: "1" }],
  ] as const)
    expect((await sandbox.api("POST", path, body ? { body } : {})).status, path).toBe(200);
});

describe("the rate limit", () => {
  test("every response to a valid key has rate-limit headers, except for unknown paths and simulated faults [fidelity: API › Rate-limit headers]", async () => {
    const sandbox = await startSandbox({ payments: { rateLimit: 8 } });
    holdRealTime(sandbox);
    const { read } = sandbox.keys;
    const reset = String(Date.parse("2026-01-15T09:01:00Z") / 1_000);
    const answers = [
      await sandbox.api("GET", "/products"),
      await sandbox.api("POST", "/products", { body: { name: "Mug" } }),
      await sandbox.api("POST", "/products", { body: {} }),
      await sandbox.api("POST", "/products", { body: "{", headers: { "content-type": "application/json" } }),
      await sandbox.api("POST", "/products", { body: "x", headers: { "content-type": "text/plain" } }),
      await sandbox.api("GET", "/products/nope"),
      await sandbox.api("GET", "/products?limit=0"),
      await sandbox.api("HEAD", "/products"),
    ];
    for (const [index, answer] of answers.entries())
      expect(rateHeaders(answer), `answer ${index}`).toEqual(["8", String(7 - index), reset]);
    const refused = await sandbox.api("GET", "/products");
    expectError(refused, "rate_limit_exceeded");
    expect(rateHeaders(refused).slice(0, 2)).toEqual(["8", "0"]);
    expect(refused.headers.get("X-RateLimit-Limit")).toBe("8");
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(refused.headers.get("x-sandbox-hint")).toContain("rateLimit");
    const forbidden = await sandbox.api("POST", "/products", { body: { name: "Mug" }, key: read });
    expect(rateHeaders(forbidden)).toEqual(["8", "7", reset]);

    const without = [
      await sandbox.api("GET", "/nowhere", { key: read }),
      await sandbox.api("GET", "/products", { key: sandbox.keys.revoked }),
      await sandbox.api("GET", "/products", { key: null }),
    ];
    await sandbox.control("PUT", "/faults/platform", { status: 429 });
    without.push(await sandbox.api("GET", "/products", { key: read }));
    for (const answer of without) expect(rateHeaders(answer)).toEqual([null, null, null]);
  });

  test("the rate-limit window also elapses in real time while the clock is paused [fidelity: API › Rate-limit window]", async () => {
    const sandbox = await startSandbox({ payments: { rateLimit: 1 } });
    const realTime = holdRealTime(sandbox);
    const ask = () => sandbox.api("GET", "/products");
    expect((await ask()).status).toBe(200);
    realTime.pass(59_999);
    expectError(await ask(), "rate_limit_exceeded");
    realTime.pass(60_000);
    expect((await ask()).status).toBe(200);
  });

  test("twice as many requests as the limit can succeed around the boundary between two rate-limit windows [fidelity: Time › Bursts]", async () => {
    const sandbox = await startSandbox({ payments: { rateLimit: 3 } });
    holdRealTime(sandbox);
    const statuses = async (count: number) => {
      const seen: number[] = [];
      while (seen.length < count) seen.push((await sandbox.api("GET", "/products")).status);
      return seen;
    };
    expect(await statuses(1)).toEqual([200]);
    await sandbox.advance(59_999);
    expect(await statuses(3)).toEqual([200, 200, 429]);
    await sandbox.advance(1);
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
  });
});

describe("resources", () => {
  test("a session uses its link's terms, and its own amount only if the link has none [fidelity: Resources › Terms of a session]", async () => {
    const sandbox = await startSandbox();
    const terms = {
      token_address: `0x${"a".repeat(40)}`,
      chain_id: 10,
      recipient_address: `0x${"b".repeat(40)}`,
    };
    const own = {
      token_address: `0x${"c".repeat(40)}`,
      chain_id: 1,
      recipient_address: `0x${"d".repeat(40)}`,
    };
    for (const [amount, expected] of [
      ["500", "500"],
      [null, "7"],
    ]) {
      const link = await sandbox.createLink({ ...terms, amount });
      const session = await sandbox.openSession({ ...own, payment_link_id: link.id, amount: "7" });
      expect(session).toMatchObject({ ...terms, amount: expected });
    }
  });

  test("a session without a link uses the organization's terms [fidelity: Resources › Default terms]", async () => {
    const sandbox = await startSandbox();
    const { token_address, chain_id, recipient_address } = await sandbox.createLink();
    expect(await sandbox.openSession()).toMatchObject({ token_address, chain_id, recipient_address });
  });

  test("a completed or expired session still accepts metadata, reference and customer [fidelity: Resources › Session updates]", async () => {
    const sandbox = await startSandbox();
    const [paid, expired] = [await sandbox.openSession(), await sandbox.openSession()];
    await sandbox.pay({ session_id: paid.id });
    await sandbox.api("POST", `/checkout-sessions/${expired.id}/expire`);
    const body = {
      metadata: { late: true },
      client_reference_id: "order_9",
      customer_email: "bo@example.com",
      customer_name: "Bo",
    };
    for (const [{ id }, status] of [
      [paid, "completed"],
      [expired, "expired"],
    ] as const) {
      const changed = await sandbox.api("PATCH", `/checkout-sessions/${id}`, { body });
      expect({ status: changed.status, body: changed.body }).toMatchObject({
        status: 200,
        body: { ...body, status },
      });
    }
  });

  test("a percentage is truncated to two decimals, and the discount is rounded down [fidelity: Resources › Discount codes]", async () => {
    const sandbox = await startSandbox();
    for (const [code, value] of [
      ["THIRD", 33.337],
      ["NINETY", 99.99],
    ] as const)
      await sandbox.api("POST", "/discount-codes", {
        body: { code, discount_type: "percentage", discount_value: value },
      });
    for (const [code, amount, off] of [
      ["THIRD", "1000000", "333300"],
      ["NINETY", "1", "0"],
      ["NINETY", "101", "100"],
    ]) {
      const { body } = await sandbox.api("POST", "/discount-codes/validate", { body: { code, amount } });
      expect(body.discount_amount, `${code} of ${amount}`).toBe(off);
    }
  });

  test("sessions and payments create no audit events [fidelity: API › Audit trail]", async () => {
    const sandbox = await startSandbox();
    const session = await sandbox.openSession();
    await sandbox.api("PATCH", `/checkout-sessions/${session.id}`, { body: { customer_name: "Ada" } });
    await sandbox.pay({ session_id: session.id });
    await sandbox.api("POST", `/checkout-sessions/${(await sandbox.openSession()).id}/expire`);
    expect((await sandbox.api("GET", "/events")).body.data).toEqual([]);
  });

  test("transaction hashes come from the seed, even for failures, and no chain verifies a payment [fidelity: Simulated › Chain]", async () => {
    const play = async (seed: string) => {
      const sandbox = await startSandbox();
      await sandbox.control("POST", "/reset", { seed });
      const terms = { amount: "9".repeat(78), token_address: `0x${"0".repeat(40)}`, chain_id: 987_654_321 };
      const { id } = await sandbox.openSession(terms);
      const failed = await sandbox.pay({ session_id: id, outcome: "failed" });
      const paid = await sandbox.pay({ session_id: id });
      expect(paid.transaction).toMatchObject({ ...terms, status: "completed" });
      const shown = [failed, paid].map(({ transaction }) => [
        transaction.tx_hash,
        transaction.sender_address,
      ]);
      for (const [hash, sender] of shown) {
        expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
        expect(sender).toMatch(/^0x[0-9a-f]{40}$/);
      }
      return shown;
    };
    const first = await play("one");
    expect(await play("one")).toEqual(first);
    expect(await play("two")).not.toEqual(first);
  });

  test("the receipt links to success_url and does not redirect [fidelity: Simulated › Hosted page]", async () => {
    const sandbox = await startSandbox();
    const { url } = await sandbox.openSession({ success_url: "https://shop.example/done" });
    const path = new URL(url).pathname;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    await sandbox.call("POST", path, { body: "outcome=completed", headers });
    const receipt = await sandbox.call("GET", path);
    expect({ status: receipt.status, location: receipt.headers.get("location") }).toEqual({
      status: 200,
      location: null,
    });
    expect(receipt.headers.get("refresh")).toBeNull();
    expect(receipt.text).toContain('href="https://shop.example/done"');
    expect(receipt.text).not.toMatch(/http-equiv="?refresh|location\.(?:href|assign|replace)/i);
  });
});
