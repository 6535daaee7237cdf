import { expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { rawCall } from "../support/raw-http.ts";
import { startSandbox, TOKEN } from "../support/sandbox.ts";

const RECIPIENT = `0x${"c0".repeat(20)}`;

test("quick pay needs a recipient but no key, and its link belongs to no organization [fidelity: Shapes of published clients › Quick pay]", async () => {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  const made = await sandbox.api("POST", "/quick-pay", {
    key: null,
    body: { recipient_address: RECIPIENT, amount: "2500000" },
  });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    object: "payment_link",
    name: "Quick pay",
    amount: "2500000",
    chain_id: 8453,
    token_address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    recipient_address: RECIPIENT,
    expires_at: "2026-01-16T09:00:00.000Z",
  });
  for (const key of [sandbox.keys.write, sandbox.keys.other])
    expectError(await sandbox.api("GET", `/payment-links/${made.body.id}`, { key }), "resource_not_found");
  const { transaction, session } = await sandbox.pay({ payment_link_id: made.body.id });
  expect(transaction).toMatchObject({ status: "completed", recipient_address: RECIPIENT });
  expect(session.status).toBe("completed");
  expect(await sandbox.deliveries(hook.id)).toEqual([]);
  const opened = await sandbox.call("GET", new URL(made.body.url).pathname);
  expect(opened.status).toBe(303);
  expect((await sandbox.call("GET", opened.headers.get("location")!)).text).toContain("Quick pay");
  await sandbox.advance("24h");
  expect((await sandbox.call("GET", new URL(made.body.url).pathname)).status).toBe(410);
});

test("quick pay with a key creates a link for that key's organization", async () => {
  const sandbox = await startSandbox();
  const body = {
    recipient_address: RECIPIENT,
    name: "Tip",
    description: "Thanks",
    token_address: TOKEN,
    chain_id: 1,
    expires_in: 60,
  };
  const made = await sandbox.api("POST", "/quick-pay", { body });
  const { expires_in: _, ...fields } = body;
  expect(made.body).toMatchObject({ ...fields, amount: null, expires_at: "2026-01-15T09:01:00.000Z" });
  expect((await sandbox.api("GET", `/payment-links/${made.body.id}`)).body).toEqual(made.body);
  const trail = await sandbox.api("GET", "/events?type=payment_link.created");
  expect(trail.body.data).toMatchObject([{ resource_id: made.body.id, request_path: "/api/v1/quick-pay" }]);
  expectError(await sandbox.api("POST", "/quick-pay", { body, key: "sk_unknown" }), "key_invalid");
  expectError(
    await sandbox.api("POST", "/quick-pay", { body, key: sandbox.keys.read }),
    "insufficient_permissions",
  );
});

test("quick pay without a key is limited to 5 calls a minute per address [fidelity: Shapes of published clients › Quick pay limit]", async () => {
  const sandbox = await startSandbox({ payments: { rateLimit: 120 } });
  const call = (key: string | null) =>
    sandbox.api("POST", "/quick-pay", { key, body: { recipient_address: RECIPIENT } });
  for (let left = 4; left >= 0; left -= 1)
    expect((await call(null)).headers.get("x-ratelimit-remaining")).toBe(String(left));
  expectError(await call(null), "rate_limit_exceeded", { says: "5 a minute" });
  expect((await call(sandbox.keys.write)).status).toBe(201);
  // On Linux, all of 127.0.0.0/8 can be used; other systems have only one address to call from.
  if (process.platform === "linux") {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ recipient_address: RECIPIENT });
    const other = await rawCall(
      sandbox.url,
      "POST",
      "/platform/api/v1/quick-pay",
      headers,
      body,
      "127.0.0.2",
    );
    expect([other.status, other.headers["x-ratelimit-remaining"]]).toEqual([201, "4"]);
  }
  expectError(await call(null), "rate_limit_exceeded");
  await sandbox.advance("1m");
  expect((await call(null)).status).toBe(201);
});

test("generate-link creates a link from a product, with the product's terms or overrides [fidelity: Shapes of published clients › Links from products]", async () => {
  const sandbox = await startSandbox();
  const terms = { name: "Mug", description: "Blue", amount: "1800", token_address: TOKEN, chain_id: 1 };
  const product = (await sandbox.api("POST", "/products", { body: terms })).body;
  const generate = (body?: unknown, key = sandbox.keys.write) =>
    sandbox.api("POST", `/products/${product.id}/generate-link`, { key, ...(body ? { body } : {}) });
  const plain = await generate();
  expect(plain.status).toBe(201);
  expect(plain.body).toMatchObject({ object: "payment_link", ...terms, product_id: product.id });
  const own = { name: "Mug, gift", recipient_address: RECIPIENT, max_uses: 1 };
  expect((await generate(own)).body).toMatchObject({ ...terms, ...own, product_id: product.id });
  expectError(await generate({}, sandbox.keys.other), "resource_not_found");
  const trail = await sandbox.api("GET", "/events?type=payment_link.created");
  expect(trail.body.data).toHaveLength(2);
});
