import { describe, expect, test } from "vitest";
import { paymentsArea } from "../../src/payments/area.ts";
import { expectError } from "../support/platform-errors.ts";
import { type Json, startSandbox, TOKEN } from "../support/sandbox.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const ADA = `0x${"ad".repeat(20)}`;
const BOB = `0x${"b0".repeat(20)}`;

const list = async (sandbox: Sandbox, query = "", key = sandbox.keys.write): Promise<Json[]> =>
  (await sandbox.api("GET", `/customers?limit=100&${query}`, { key })).body.data;

describe("customers", () => {
  test("a customer's totals use the amounts after the discount", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({ amount: "2000000" });
    const code = { code: "HALF", type: "percentage", value: "50" };
    await sandbox.api("POST", "/discount-codes", { body: code });
    const pay = (discount_code?: string, outcome?: string) =>
      sandbox.pay({ payment_link_id: link.id, sender_address: ADA, discount_code, outcome });
    await pay("HALF");
    await sandbox.advance("1h");
    await pay("HALF");
    await pay("HALF", "failed");
    const [customer] = await list(sandbox);
    expect(customer).toMatchObject({
      total_paid: "2000000",
      total_paid_usd: "2.00",
      transaction_count: 3,
      first_payment_at: "2026-01-15T09:00:00.000Z",
      last_payment_at: "2026-01-15T10:00:00.000Z",
    });
    const dearer = await sandbox.createLink({ amount: "3000000" });
    await sandbox.pay({ payment_link_id: dearer.id, sender_address: BOB });
    const sorted = await list(sandbox, "sort=total_paid");
    expect(sorted.map(({ total_paid: total }) => total)).toEqual(["3000000", "2000000"]);
  });

  test("each wallet that pays becomes one customer, with the sum of its payments [fidelity: Shapes of published clients › Customers]", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({ amount: "2500000" });
    const ada = { sender_address: ADA, customer_name: "Ada", customer_email: "ada@example.com" };
    const first = await sandbox.pay({ payment_link_id: link.id, ...ada });
    expect(first.transaction.customer_id).toMatch(/^cus_[0-9A-Za-z]{16}$/);
    await sandbox.advance("1h");
    const failed = { outcome: "failed", customer_name: "Ada L.", customer_email: "other@example.com" };
    await sandbox.pay({
      payment_link_id: link.id,
      sender_address: ADA.toUpperCase().replace("0X", "0x"),
      ...failed,
    });
    await sandbox.advance("1h");
    await sandbox.pay({ payment_link_id: link.id, sender_address: ADA });

    const [customer, ...rest] = await list(sandbox);
    expect(rest).toEqual([]);
    expect(customer).toEqual({
      object: "customer",
      id: first.transaction.customer_id,
      wallet_address: ADA,
      name: "Ada",
      email: "ada@example.com",
      metadata: {},
      total_paid: "5000000",
      total_paid_usd: "5.00",
      paid_by_token: [
        {
          chain_id: 8453,
          token_address: first.transaction.token_address,
          symbol: "USDC",
          amount: "5000000",
          amount_usd: "5.00",
          transactions: 2,
        },
      ],
      transaction_count: 3,
      first_payment_at: "2026-01-15T09:00:00.000Z",
      last_payment_at: "2026-01-15T11:00:00.000Z",
      created_at: "2026-01-15T09:00:00.000Z",
      updated_at: "2026-01-15T11:00:00.000Z",
    });
    expect((await sandbox.api("GET", `/customers/${customer.id}`)).body).toEqual(customer);
    const paid = await sandbox.api("GET", `/customers/${customer.id}/transactions`);
    expect(paid.body).toMatchObject({
      object: "list",
      total_count: 3,
      url: `/api/v1/customers/${customer.id}/transactions`,
    });
    const filtered = await sandbox.api("GET", `/transactions?customer_id=${customer.id}`);
    expect(filtered.body.data).toEqual(paid.body.data);
  });

  test("a customer without a completed payment has totals of 0, and large sums are exact", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({ amount: null });
    await sandbox.pay({ payment_link_id: link.id, amount: "5", sender_address: BOB, outcome: "failed" });
    expect((await list(sandbox))[0]).toMatchObject({
      total_paid: "0",
      total_paid_usd: "0.00",
      paid_by_token: [],
      transaction_count: 1,
      first_payment_at: null,
      last_payment_at: null,
    });
    const huge = "9".repeat(78);
    for (let time = 0; time < 2; time += 1)
      await sandbox.pay({ payment_link_id: link.id, amount: huge, sender_address: ADA });
    const [ada] = await list(sandbox, "sort=total_paid");
    expect(ada).toMatchObject({ wallet_address: ADA, total_paid: String(BigInt(huge) * 2n) });
    const weth = await sandbox.createLink({
      amount: "1000000000000000000",
      chain_id: 1,
      token_address: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    });
    await sandbox.pay({ payment_link_id: weth.id, sender_address: ADA });
    const [both] = await list(sandbox, "sort=total_paid");
    expect(both.total_paid).toBeNull();
    expect(both.paid_by_token.map(({ symbol, amount_usd: usd }: Json) => [symbol, usd])[1]).toEqual([
      "WETH",
      "3200.00",
    ]);
  });

  test("customers can be sorted by amount, payment count and age, and searched by name, e-mail and wallet", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({ amount: null });
    const pay = (sender: string, amount: string, rest = {}) =>
      sandbox.pay({ payment_link_id: link.id, sender_address: sender, amount, ...rest });
    await pay(ADA, "9000000", { customer_name: "Ada Ölander", customer_email: "ada@example.com" });
    await sandbox.advance("1s");
    await pay(BOB, "2000000", { customer_email: "bob@example.net" });
    await sandbox.advance("1s");
    await pay(BOB, "3000000");
    const wallets = async (query: string) => (await list(sandbox, query)).map((row) => row.wallet_address);
    expect(await wallets("")).toEqual([BOB, ADA]);
    expect(await wallets("sort=total_paid")).toEqual([ADA, BOB]);
    expect(await wallets("sort=transaction_count")).toEqual([BOB, ADA]);
    expect(await wallets("sort=last_payment_at&order=asc")).toEqual([ADA, BOB]);
    expect(await wallets(`search=${encodeURIComponent("öLANDER")}`)).toEqual([ADA]);
    expect(await wallets("search=EXAMPLE.net")).toEqual([BOB]);
    expect(await wallets("search=0xADAD")).toEqual([ADA]);
    expect(await wallets("search=%25")).toEqual([]);
  });

  test("a customer can be changed, and deleted without deleting its payments [fidelity: Shapes of published clients › Deleted customers]", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink();
    const { transaction } = await sandbox.pay({ payment_link_id: link.id, sender_address: ADA });
    const one = `/customers/${transaction.customer_id}`;
    await sandbox.advance("1m");
    const body = { name: "Ada", email: "ada@example.com", metadata: { tier: "gold" } };
    const changed = await sandbox.api("PATCH", one, { body });
    expect(changed.body).toMatchObject({ ...body, updated_at: "2026-01-15T09:01:00.000Z" });
    await sandbox.pay({ payment_link_id: link.id, sender_address: ADA, customer_name: "Someone" });
    expect((await sandbox.api("GET", one)).body).toMatchObject(body);
    expect((await list(sandbox, "search=ada@example"))[0].id).toBe(transaction.customer_id);
    expectError(await sandbox.api("PATCH", one, { body: { wallet_address: BOB } }), "no_updates_provided");
    for (const [method, options] of [
      ["GET", {}],
      ["PATCH", { body: { name: "Eve" } }],
      ["DELETE", {}],
    ] as const)
      expectError(
        await sandbox.api(method, one, { ...options, key: sandbox.keys.other }),
        "resource_not_found",
      );
    expect(await list(sandbox, "", sandbox.keys.other)).toEqual([]);

    const deleted = await sandbox.api("DELETE", one);
    expect(deleted.body).toEqual({ object: "customer", id: transaction.customer_id, deleted: true });
    expectError(await sandbox.api("GET", one), "resource_not_found");
    const stored = await sandbox.api("GET", `/transactions/${transaction.id}`);
    expect(stored.body).toMatchObject({ status: "completed", customer_id: null });
    const again = await sandbox.pay({ payment_link_id: link.id, sender_address: ADA });
    expect(again.transaction.customer_id).not.toBe(transaction.customer_id);
    const types = (await sandbox.journal("customer.*")).map(({ type }) => type);
    expect(types).toEqual(["customer.updated", "customer.deleted"]);
  });

  test("a deleted customer stays deleted when its payment is confirmed later", async () => {
    const sandbox = await startSandbox({ payments: { confirmationDelay: "10m" } });
    const link = await sandbox.createLink();
    const { transaction } = await sandbox.pay({ payment_link_id: link.id, sender_address: ADA });
    await sandbox.api("DELETE", `/customers/${transaction.customer_id}`);
    await sandbox.advance("10m");
    expect((await sandbox.api("GET", `/transactions/${transaction.id}`)).body.status).toBe("completed");
    expect(await list(sandbox)).toEqual([]);
  });

  test("snapshots and forks contain customers, and a reset removes them", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({ token_address: TOKEN });
    await sandbox.pay({ payment_link_id: link.id, sender_address: ADA });
    const before = await list(sandbox);
    const fork = await sandbox.makeWorld({ name: "fork", from: "default" });
    await sandbox.pay({ payment_link_id: link.id, sender_address: ADA });
    expect((await fork.api("GET", "/customers")).body.data).toEqual(before);
    await sandbox.control("POST", "/snapshots", { name: "one" });
    const saved = await list(sandbox);
    await sandbox.control("POST", "/reset", {});
    expect(await list(sandbox)).toEqual([]);
    await sandbox.control("POST", "/snapshots/one/restore", {});
    expect(await list(sandbox)).toEqual(saved);
  });
});

test("the seeded customers are exactly the payers in the seed", async () => {
  const sandbox = await startSandbox({ seed: "sandglass" });
  for (const key of [sandbox.keys.write, sandbox.keys.other]) {
    const customers: Json[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const { body } = await sandbox.api("GET", `/customers?limit=100&page=${page}`, { key });
      customers.push(...body.data);
      more = body.has_more;
    }
    const { body } = await sandbox.api("GET", "/transactions/export?format=json", { key });
    const wallets = new Set(body.data.map((row: Json) => row.sender_address));
    expect(new Set(customers.map((row) => row.wallet_address))).toEqual(wallets);
    expect(customers).toHaveLength(wallets.size);
    for (const customer of customers) {
      const own = body.data.filter((row: Json) => row.customer_id === customer.id);
      const completed = own.filter((row: Json) => row.status === "completed");
      const times = completed.map((row: Json) => row.completed_at).sort();
      expect(new Set(own.map((row: Json) => row.sender_address))).toEqual(new Set([customer.wallet_address]));
      expect(customer).toMatchObject({
        transaction_count: own.length,
        email: own.at(-1).form_data.email,
        created_at: own.at(-1).created_at,
        first_payment_at: times[0] ?? null,
        last_payment_at: times.at(-1) ?? null,
      });
      const sum = customer.paid_by_token.reduce((all: number, row: Json) => all + row.transactions, 0);
      expect(sum).toBe(completed.length);
    }
  }
});

test("a search finds customers by their current fields, regardless of earlier searches", async () => {
  const sandbox = await startSandbox();
  const link = await sandbox.createLink();
  const found = async (text: string) => (await list(sandbox, `search=${text}`)).map(({ id }) => id);
  expect(await found("ada")).toEqual([]);
  const paid = await sandbox.pay({ payment_link_id: link.id, sender_address: BOB });
  const id = paid.transaction.customer_id;
  expect(await found(BOB)).toEqual([id]);
  await sandbox.control("POST", "/snapshots", { name: "unnamed" });
  await sandbox.api("PATCH", `/customers/${id}`, { body: { name: "Ada" } });
  expect(await found("ada")).toEqual([id]);
  await sandbox.api("PATCH", `/customers/${id}`, { body: { name: null } });
  expect(await found("ada")).toEqual([]);
  await sandbox.pay({ payment_link_id: link.id, sender_address: BOB, customer_name: "Ada" });
  expect(await found("ada")).toEqual([id]);
  await sandbox.control("POST", "/snapshots/unnamed/restore");
  expect(await found("ada")).toEqual([]);
  const made = await sandbox.api("POST", "/customers", { body: { wallet_address: ADA, name: "Ada" } });
  expect(await found("ada")).toEqual([made.body.id]);
  await sandbox.api("DELETE", `/customers/${made.body.id}`);
  expect(await found("ada")).toEqual([]);
  expect(await found(BOB)).toEqual([id]);
});

test("a search with many matches returns all customers page by page", async () => {
  const sandbox = await startSandbox();
  const wallet = (number: number) => `0x${String(number).padStart(40, "0")}`;
  const { customers, organizations } = sandbox.sandbox.part(paymentsArea);
  const caller = { org: organizations.main().id, ip: "127.0.0.1", method: "POST", path: "/" };
  // Create them directly, without making a request for each.
  sandbox.sandbox.world.store.transaction(() => {
    for (let number = 0; number < 600; number += 1)
      customers.create(caller, { wallet_address: wallet(number), name: "Many" });
  });
  const page = await sandbox.api("GET", "/customers?search=many&order=asc&page=3&limit=50");
  expect(page.body).toMatchObject({ total_count: 600, has_more: true });
  expect(page.body.data[0].wallet_address).toBe(wallet(100));
});
