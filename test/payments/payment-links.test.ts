import { expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { RECIPIENT, TOKEN } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();

test("a payment link is created with defaults, read, updated and deleted [fidelity: API › Absent values · API › Times · API › Deleting]", async () => {
  const created = await sandbox.api("POST", "/payment-links", { body: { name: "Tea" } });
  expect(created.status).toBe(201);
  const link = created.body;
  expect(link).toEqual({
    object: "payment_link",
    id: expect.stringMatching(/^pl_[0-9A-Za-z]{16}$/),
    name: "Tea",
    short_code: expect.stringMatching(/^[0-9A-Za-z]{6}$/),
    url: `${sandbox.url}/platform/pay/${link.short_code}`,
    description: null,
    amount: null,
    token_address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    chain_id: 8453,
    recipient_address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    active: true,
    is_active: true,
    current_uses: 0,
    max_uses: null,
    expires_at: null,
    product_id: null,
    return_url: null,
    created_at: "2026-01-15T09:00:00.000Z",
    updated_at: "2026-01-15T09:00:00.000Z",
  });
  const path = `/payment-links/${link.id}`;
  expect((await sandbox.api("GET", path)).body).toEqual(link);

  await sandbox.advance("1m");
  const changes = {
    name: "Mint tea",
    description: "Fresh",
    amount: "2500000",
    token_address: TOKEN,
    chain_id: 1,
    recipient_address: RECIPIENT,
    active: false,
    max_uses: 3,
    expires_at: "2026-02-01T00:00:00.000Z",
    return_url: "https://shop.example/thanks",
    short_code: "MintT1",
  };
  const changed = await sandbox.api("PATCH", path, { body: changes });
  expect({ status: changed.status, body: changed.body }).toEqual({
    status: 200,
    body: {
      ...link,
      ...changes,
      is_active: false,
      url: `${sandbox.url}/platform/pay/MintT1`,
      updated_at: "2026-01-15T09:01:00.000Z",
    },
  });
  const emptied = await sandbox.api("PATCH", path, {
    body: { description: null, amount: null, max_uses: null, expires_at: null, return_url: null },
  });
  expect(emptied.body).toMatchObject({ description: null, amount: null, max_uses: null, expires_at: null });
  expect(emptied.body.name).toBe("Mint tea");

  const session = await sandbox.api("POST", "/checkout-sessions", { body: { payment_link_id: link.id } });
  expectError(session, "invalid_status_transition");
  expect(session.body.error.param).toBe("payment_link_id");
  const deleted = await sandbox.api("DELETE", path);
  expect({ status: deleted.status, body: deleted.body }).toEqual({
    status: 200,
    body: { object: "payment_link", id: link.id, deleted: true },
  });
  const gone = await sandbox.api("GET", path);
  expectError(gone, "resource_not_found");
  expect(gone.body.error).not.toHaveProperty("param");
});

test("a link inherits a missing term from its product, or else from the organization [fidelity: Resources › Default terms]", async () => {
  const mug = { name: "Mug", amount: "1800", token_address: TOKEN, chain_id: 137 };
  const product = (await sandbox.api("POST", "/products", { body: mug })).body;
  const plain = await sandbox.createLink({ amount: undefined });
  const fromProduct = await sandbox.createLink({ amount: undefined, product_id: product.id });
  expect(fromProduct).toMatchObject({
    product_id: product.id,
    amount: "1800",
    token_address: TOKEN,
    chain_id: 137,
    recipient_address: plain.recipient_address,
  });
  const own = await sandbox.createLink({ product_id: product.id, amount: "5", chain_id: 1 });
  expect(own).toMatchObject({ amount: "5", chain_id: 1, token_address: TOKEN });
  const bare = (await sandbox.api("POST", "/products", { body: { name: "Anything" } })).body;
  const fromBare = await sandbox.createLink({ amount: undefined, product_id: bare.id });
  expect(fromBare).toMatchObject({
    amount: null,
    token_address: plain.token_address,
    chain_id: plain.chain_id,
  });

  const others = await sandbox.api("POST", "/payment-links", {
    body: { name: "Pass" },
    key: sandbox.keys.other,
  });
  expect(others.body.recipient_address).not.toBe(plain.recipient_address);
  const foreign = { body: { name: "Pass", product_id: product.id }, key: sandbox.keys.other };
  expectError(await sandbox.api("POST", "/payment-links", foreign), "resource_not_found", {
    param: "product_id",
  });

  await sandbox.api("DELETE", `/products/${product.id}`);
  const kept = await sandbox.api("GET", `/payment-links/${fromProduct.id}`);
  expect(kept.body).toEqual(fromProduct);
});

test("short codes are unique across organizations", async () => {
  const link = await sandbox.createLink({ short_code: "AbCdE1" });
  expect(link.url).toBe(`${sandbox.url}/platform/pay/AbCdE1`);
  const again = { name: "Tea", short_code: "AbCdE1" };
  for (const key of [sandbox.keys.write, sandbox.keys.other]) {
    const refused = await sandbox.api("POST", "/payment-links", { body: again, key });
    expectError(refused, "duplicate_resource", { param: "short_code", says: "AbCdE1" });
  }
  const second = await sandbox.createLink({ short_code: "abcde1" });
  const clash = await sandbox.api("PATCH", `/payment-links/${second.id}`, { body: { short_code: "AbCdE1" } });
  expectError(clash, "duplicate_resource", { param: "short_code" });
  const same = await sandbox.api("PATCH", `/payment-links/${link.id}`, { body: { short_code: "AbCdE1" } });
  expect(same.status).toBe(200);
  await sandbox.api("DELETE", `/payment-links/${link.id}`);
  expect((await sandbox.api("POST", "/payment-links", { body: again })).status).toBe(201);
});

test("an inactive, expired or used-up link cannot open sessions, and its open sessions stay open [fidelity: Resources › Closed links]", async () => {
  const open = (link: { id: string }) =>
    sandbox.api("POST", "/checkout-sessions", { body: { payment_link_id: link.id } });

  const inactive = await sandbox.createLink({ active: false });
  expectError(await open(inactive), "invalid_status_transition", { param: "payment_link_id" });
  await sandbox.api("PATCH", `/payment-links/${inactive.id}`, { body: { active: true } });
  const earlier = await open(inactive);
  expect(earlier.status).toBe(201);
  await sandbox.api("PATCH", `/payment-links/${inactive.id}`, { body: { active: false } });
  expectError(await open(inactive), "invalid_status_transition");
  expect((await sandbox.pay({ session_id: earlier.body.id })).session.status).toBe("completed");

  const expiring = await sandbox.createLink({ expires_at: "2026-01-15T10:00:00Z" });
  await sandbox.advance({ to: "2026-01-15T09:59:59.999Z" });
  const early = await open(expiring);
  expect(early.status).toBe(201);
  await sandbox.advance(1);
  expectError(await open(expiring), "invalid_status_transition", { says: "2026-01-15T10:00:00.000Z" });
  expect((await sandbox.pay({ session_id: early.body.id })).session.status).toBe("completed");

  const limited = await sandbox.createLink({ max_uses: 2 });
  for (let use = 1; use <= 2; use += 1) {
    const { session } = await sandbox.pay({ payment_link_id: limited.id });
    expect(session.status).toBe("completed");
    const { body } = await sandbox.api("GET", `/payment-links/${limited.id}`);
    expect({ uses: body.current_uses, active: body.active }).toEqual({ uses: use, active: true });
  }
  expectError(await open(limited), "invalid_status_transition", { says: "2 of 2" });
  await sandbox.api("PATCH", `/payment-links/${limited.id}`, { body: { max_uses: 3 } });
  expect((await open(limited)).status).toBe(201);
});

test("only completed checkouts count as uses of a link", async () => {
  const link = await sandbox.createLink();
  await sandbox.pay({ payment_link_id: link.id, outcome: "failed" });
  const abandoned = await sandbox.openSession({ payment_link_id: link.id });
  await sandbox.api("POST", `/checkout-sessions/${abandoned.id}/expire`);
  expect((await sandbox.api("GET", `/payment-links/${link.id}`)).body.current_uses).toBe(0);
  await sandbox.pay({ payment_link_id: link.short_code });
  await sandbox.pay({ payment_link_id: link.url });
  expect((await sandbox.api("GET", `/payment-links/${link.id}`)).body.current_uses).toBe(2);
});

test("deleting a link preserves its sessions and payments", async () => {
  const link = await sandbox.createLink();
  const waiting = await sandbox.openSession({ payment_link_id: link.id });
  const { transaction, session } = await sandbox.pay({ payment_link_id: link.id });
  await sandbox.api("DELETE", `/payment-links/${link.id}`);
  expect((await sandbox.api("GET", `/checkout-sessions/${session.id}`)).body.payment_link_id).toBe(link.id);
  expect((await sandbox.api("GET", `/transactions/${transaction.id}`)).body).toEqual(transaction);
  expect((await sandbox.pay({ session_id: waiting.id })).session.status).toBe("completed");
  expect((await sandbox.call("GET", `/platform/pay/${link.short_code}`)).status).toBe(404);
});

test("the first payment wins if two open sessions compete for the last use of a link [fidelity: Resources › Closed links]", async () => {
  const link = await sandbox.createLink({ max_uses: 1 });
  const [one, two] = [
    await sandbox.openSession({ payment_link_id: link.id, amount: undefined }),
    await sandbox.openSession({ payment_link_id: link.id, amount: undefined }),
  ];
  await sandbox.pay({ session_id: one.id });
  const late = await sandbox.control("POST", "/payments", { session_id: two.id });
  expect(late).toMatchObject({ status: 400, body: { error: { code: "invalid_status_transition" } } });
  expect((await sandbox.api("GET", `/payment-links/${link.id}`)).body.current_uses).toBe(1);
});
