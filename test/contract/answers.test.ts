import { expect, test } from "vitest";
import { fill, makeOneOfEach } from "../support/endpoints.ts";
import { contractOf, operationsOf } from "../support/openapi.ts";
import { type CallOptions, type Json, startSandbox, TOKEN } from "../support/sandbox.ts";

const SINGLE = ["/notifications", "/organization", "/analytics/overview"];

/** Checks that responses match the OpenAPI documents: every status and every property must be documented. */

async function platformContract(sandbox: Awaited<ReturnType<typeof startSandbox>>) {
  const document = (await sandbox.call("GET", "/platform/openapi.json")).body;
  const contract = contractOf(document);
  return {
    ...contract,
    document,
    call: async (method: string, path: string, target: string, options: CallOptions = {}): Promise<Json> =>
      contract.check(method, `/api/v1${path}`, await sandbox.api(method, target, options)),
  };
}

test("every GET response from the platform matches its OpenAPI document for the whole default seed", async () => {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const { call, document, seen } = await platformContract(sandbox);
  const gets = operationsOf(document)
    .filter(({ method }) => method === "GET")
    .map(({ path }) => path.replace("/api/v1", ""));

  for (const key of [sandbox.keys.write, sandbox.keys.other]) {
    const first: Record<string, string> = {};
    for (const path of gets.filter((candidate) => !candidate.includes("{"))) {
      if (path.endsWith("/export")) {
        await call("GET", path, `${path}?format=json`, { key });
        continue;
      }
      const single = SINGLE.includes(path);
      for (let page = 1, more = true; more && page <= 3; page += 1) {
        const target = single ? path : `${path}?limit=100&page=${page}`;
        const body = await call("GET", path, target, { key });
        if (body.data?.length > 0) first[path] ??= body.data[0].id;
        more = body.has_more === true;
      }
    }
    for (const { id } of (await sandbox.api("GET", "/webhooks", { key })).body.data) {
      const path = "/webhooks/{webhook_id}/deliveries";
      for (const status of ["success", "failed"]) {
        const { data } = await call("GET", path, `/webhooks/${id}/deliveries?limit=100&status=${status}`, {
          key,
        });
        if (data.length > 0) Object.assign(first, { delivery: data[0].id, "/webhooks": id });
      }
    }
    for (const path of gets.filter((candidate) => candidate.includes("{")))
      await call("GET", path, fill(path, first), { key });
  }
  expect([...seen].sort()).toEqual(gets.map((path) => `GET /api/v1${path}`).sort());
});

test("every change and every rejected request on the platform matches its OpenAPI document", async () => {
  const sandbox = await startSandbox();
  const { call, document, seen } = await platformContract(sandbox);
  const ids = await makeOneOfEach(sandbox);
  const metadata = { text: "x", number: 1.5, flag: false, none: null };
  const bodies: Record<string, Json> = {
    "/payment-links": { name: "Tea", amount: "1", max_uses: 2, expires_at: "2026-02-01T00:00:00Z" },
    "/checkout-sessions": {
      payment_link_id: ids["/payment-links"],
      metadata,
      customer_email: "ada@example.com",
    },
    "/products": { name: "Mug", amount: "1", token_address: TOKEN, chain_id: 1, metadata },
    "/discount-codes": { code: "FIVE", discount_type: "fixed", discount_value: "5", max_uses: 1 },
    "/discount-codes/validate": { code: "FIVE", amount: "10" },
    "/discount-codes/batch": { codes: ["A-1", "FIVE"], type: "percentage", value: "10" },
    "/products/{id}/generate-link": { amount: "3" },
    "/customers": { wallet_address: TOKEN, metadata },
    "/payment-links/{payment_link_id}/duplicate": { name: "Copy" },
    "/quick-pay": { recipient_address: TOKEN, amount: "5" },
    "/widgets": { name: "Buy", config: { a: [1, { b: null }] } },
    "/webhooks": { url: `${sandbox.url}/_sandbox/inbox/shop`, events: ["payment.completed"] },
    "/api-keys": { name: "CI", permission: "read", expires_at: "2026-02-01" },
    "/notifications": { webhook_disabled: true },
  };
  const patches: Record<string, Json> = {
    "/checkout-sessions": { customer_name: "Ada", metadata },
    "/webhooks": { description: "Mine" },
    "/discount-codes": { active: false },
    "/notifications": { email: "ops@example.com" },
  };
  const changes = operationsOf(document).filter(({ method }) => method !== "GET");
  const order = (method: string) => ["POST", "PATCH", "DELETE"].indexOf(method);
  for (const { method, path: full } of changes.sort((a, b) => order(a.method) - order(b.method))) {
    const path = full.replace("/api/v1", "");
    const base = `/${path.split("/")[1]}`;
    const body = method === "PATCH" ? (patches[base] ?? { name: "New" }) : bodies[path];
    const options = body === undefined || method === "DELETE" ? {} : { body };
    const later = path.endsWith("/expire") ? await sandbox.openSession() : undefined;
    const target = later ? `/checkout-sessions/${later.id}/expire` : fill(path, ids);
    const done = await call(method, path, target, options);
    expect(done.error?.code, `${method} ${path}`).toBeUndefined();
    await call(method, path, target, { ...options, key: null });
    await call(method, path, target, { ...options, key: sandbox.keys.read });
    await call(method, path, `${target}?x=1`, options);
    await call(method, path, fill(path, {}), { ...options, key: sandbox.keys.other });
  }
  expect([...seen].sort()).toEqual(changes.map(({ method, path }) => `${method} ${path}`).sort());

  await sandbox.control("PUT", "/faults/platform", { status: 500, times: 1 });
  expect((await call("GET", "/products", "/products")).error.code).toBe("internal_error");
  await sandbox.control("PUT", "/faults/platform", { status: 429, times: 1 });
  expect((await call("GET", "/products", "/products")).error.code).toBe("rate_limit_exceeded");
});

test("sessions and transactions in every state match the platform's OpenAPI document", async () => {
  const sandbox = await startSandbox({ payments: { confirmationDelay: "10m" } });
  const { call } = await platformContract(sandbox);
  const link = await sandbox.createLink({ amount: null });
  const look = async () => {
    const sessions = await call("GET", "/checkout-sessions", "/checkout-sessions?limit=100");
    const transactions = await call("GET", "/transactions", "/transactions?limit=100");
    return [...sessions.data, ...transactions.data].map(({ status }) => status);
  };
  const shipping = { line1: "1 Main St", city: "Springfield", state: "IL", zip: "62701" };
  await sandbox.pay({ payment_link_id: link.id, amount: "5", form_data: { shipping_address: shipping } });
  await sandbox.pay({ payment_link_id: link.id, amount: "5", outcome: "failed" });
  const states = [await look()];
  await sandbox.advance("5m");
  states.push(await look());
  await sandbox.advance("1d");
  states.push(await look());
  const met = ["active", "completed", "expired", "pending", "confirming", "failed"];
  expect([...new Set(states.flat())].sort()).toEqual(met.sort());
});
