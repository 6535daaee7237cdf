import { expect, test } from "vitest";
import { runAt } from "../support/cli.ts";
import { expectRefusal } from "../support/control-errors.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const requests = async (sandbox: Sandbox, query = ""): Promise<Json[]> =>
  (await sandbox.control("GET", `/requests${query}`)).body.data;

test("every interface shows the hint for a call with an unknown field", async () => {
  const sandbox = await startSandbox();
  await sandbox.api("POST", "/payment-links", { body: { name: "Tea", amount: "1", max_use: 1 } });
  await sandbox.api("GET", "/payment-links");
  const [create, list] = await requests(sandbox);
  expect(create.hint).toMatch(/^Ignored unknown body fields: max_use\..+Did you mean max_uses/);
  expect(list.hint).toBeUndefined();
  expect((await sandbox.control("GET", "/requests/1")).body.hint).toBe(create.hint);
  expect((await runAt(sandbox, "requests")).stdout).toMatch(/201 .*Ignored unknown body fields: max_use\./);
  expect((await runAt(sandbox, "requests", "1")).stdout).toMatch(/hint +Ignored .+Did you mean max_uses/);
});

test("each API call is logged with its response and a curl command that repeats it", async () => {
  const sandbox = await startSandbox();
  await sandbox.api("GET", "/payment-links?limit=5&search=it%27s");
  await sandbox.advance("1m");
  const body = { name: 'it\'s "tea" $HOME `x`', metadata: { order: "1" } };
  await sandbox.api("POST", "/products", { body, headers: { "idempotency-key": "once" } });
  await sandbox.api("GET", "/nowhere", { key: null });
  await sandbox.control("GET", "/status");

  const [list, create, lost, ...more] = await requests(sandbox);
  expect(more, "the control API's own calls are left out").toEqual([]);
  expect(list).toEqual({
    id: 1,
    area: "platform",
    method: "GET",
    path: "/platform/api/v1/payment-links?limit=5&search=it%27s",
    status: 200,
    error: null,
    duration_ms: expect.any(Number),
    at: "2026-01-15T09:00:00.000Z",
    wall: expect.stringMatching(/^\d{4}-.*Z$/),
    curl: expect.stringMatching(/^curl '/),
  });
  expect(create).toMatchObject({ id: 2, method: "POST", status: 201, at: "2026-01-15T09:01:00.000Z" });
  expect(create.curl).toContain(`curl -X POST '${sandbox.url}/platform/api/v1/products'`);
  expect(create.curl).toContain('-H "Authorization: Bearer $SANDGLASS_API_KEY"');
  expect(create.curl).toContain("-H 'idempotency-key: once'");
  expect(create.curl).toContain(`-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  expect(lost).toMatchObject({ status: 404, method: "GET" });
  expect(lost.curl).not.toContain("Authorization");

  const detail = (await sandbox.control("GET", "/requests/2")).body;
  expect(detail).toMatchObject({ ...create, body: JSON.stringify(body) });
  expect(JSON.parse(detail.response_body)).toMatchObject({ object: "product", name: body.name });
  expect((await requests(sandbox, "?after=1")).map(({ id }) => id)).toEqual([2, 3]);
  expect((await requests(sandbox, "?limit=2")).map(({ id }) => id)).toEqual([2, 3]);
  for (const id of ["0", "99", "abc", "1.5", "%00"])
    expectRefusal(await sandbox.control("GET", `/requests/${id}`), 404, "not_found", id);
  for (const query of ["?limit=0", "?limit=10001", "?after=-1", "?after=x", "?colour=1"])
    expectRefusal(await sandbox.control("GET", `/requests${query}`), 400, "bad_request", query);
});

test("a rejected call is logged with its error in every area", async () => {
  const sandbox = await startSandbox();
  await sandbox.api("POST", "/payment-links", { body: {} });
  await sandbox.call("GET", "/data/insights/v1/tokens/lookup?token=jwt-secret");
  await sandbox.call("POST", "/game/launcher/scores", { body: { launcherJwt: "jwt-secret" } });
  const all = await requests(sandbox);
  expect(all.map(({ status, error }) => [status, error])).toEqual([
    [400, { code: "missing_required_field", message: expect.stringMatching(/\S/) }],
    [400, { code: null, message: expect.stringMatching(/\S/) }],
    [expect.any(Number), { code: expect.stringMatching(/^[a-z-]+$/), message: expect.stringMatching(/\S/) }],
  ]);
  expect(all[1]!.path).toBe("/data/insights/v1/tokens/lookup?token=…");
  expect(JSON.stringify(all)).not.toContain("jwt-secret");
});

test("the request log redacts keys and secrets everywhere", async () => {
  const sandbox = await startSandbox();
  await sandbox.api("GET", "/products", { key: null, headers: { "x-api-key": sandbox.keys.read } });
  await sandbox.api("GET", "/products", { headers: { cookie: "session=cookie-secret" } });
  const hook = await sandbox.createWebhook("http://localhost:1/x");
  const created = await sandbox.api("POST", "/api-keys", { body: { name: "CI", permission: "read" } });
  const tricky = { name: "Mug", key: 'with "quotes" inside', secret: `${"x".repeat(20_000)}-end` };
  await sandbox.api("POST", "/products", { body: tricky });

  const all = await requests(sandbox);
  const details = [];
  for (const { id } of all) details.push((await sandbox.control("GET", `/requests/${id}`)).body);
  const text = JSON.stringify([all, details]);
  const secrets = [hook.secret, created.body.key, sandbox.keys.write, sandbox.keys.read, "cookie-secret"];
  for (const secret of [...secrets, "quotes", "xxxxxxxxxx", "-end"]) expect(text).not.toContain(secret);
  expect(details[0].headers["x-api-key"]).toBe("[redacted]");
  expect(details[2].headers.authorization).toBe("[redacted]");
  expect(JSON.parse(details[2].response_body).secret).toBe("[redacted]");
  expect(JSON.parse(details[3].response_body).key).toBe("[redacted]");
});

test("the request log contains the latest 500 calls [fidelity: Data › Never on disk]", async () => {
  const sandbox = await startSandbox();
  for (let call = 1; call <= 520; call += 1) await sandbox.api("GET", "/notifications");
  const ids = (await requests(sandbox, "?limit=10000")).map(({ id }) => id);
  expect({ first: ids[0], last: ids.at(-1), count: ids.length }).toEqual({
    first: 21,
    last: 520,
    count: 500,
  });
  const never = await sandbox.control("GET", "/requests/99999");
  expectRefusal(never, 404, "not_found");
  expect(never.body.error.message).toBe("There is no request 99999.");
  expectRefusal(await sandbox.control("GET", "/requests/20"), 404, "not_found");
});

test("the request log contains unreadable bodies and HEAD requests, but not the page's own calls", async () => {
  const sandbox = await startSandbox();
  await sandbox.api("POST", "/products", { body: "{", headers: { "content-type": "application/json" } });
  const detail = (await sandbox.control("GET", "/requests/1")).body;
  expect(detail).toMatchObject({ status: 400, body: null });
  expect(JSON.parse(detail.response_body).error.code).toBe("invalid_field_value");

  const get = await sandbox.api("GET", "/payment-links?limit=1");
  const head = await sandbox.api("HEAD", "/payment-links?limit=1");
  expect(head).toMatchObject({ status: 200, text: "" });
  expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));

  const headers = { "x-sandbox-unlisted": "1" };
  await sandbox.call("GET", "/data/insights/v1/tokens/lookup?symbol=USDC&chain_id=1", { headers });
  await sandbox.call("GET", "/game/activities", { headers });
  await sandbox.call("GET", "/game/activities");
  expect((await requests(sandbox, "?after=1")).map(({ id, method, area }) => [id, method, area])).toEqual([
    [2, "GET", "platform"],
    [3, "HEAD", "platform"],
    [4, "GET", "game"],
  ]);
});
