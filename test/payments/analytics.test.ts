import { expect, test } from "vitest";
import { type Json, startSandbox } from "../support/sandbox.ts";

const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const UNKNOWN = `0x${"9".repeat(40)}`;

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
const overview = async (sandbox: Sandbox, period?: string, key = sandbox.keys.write): Promise<Json> =>
  (await sandbox.api("GET", `/analytics/overview${period ? `?period=${period}` : ""}`, { key })).body;

test("analytics count revenue by day of completion, in dollars and per token [fidelity: Shapes of published clients › Analytics]", async () => {
  const sandbox = await startSandbox();
  const tea = await sandbox.createLink({ name: "Tea", amount: "2500000" });
  const ring = await sandbox.createLink({
    name: "Ring",
    amount: "1000000000000000000",
    chain_id: 1,
    token_address: WETH,
  });
  const odd = await sandbox.createLink({ name: "Odd", amount: "7", token_address: UNKNOWN, active: true });
  const pay = (id: string, sender: string, rest = {}) =>
    sandbox.pay({ payment_link_id: id, sender_address: `0x${sender.repeat(20)}`, ...rest });
  await pay(tea.id, "a1");
  await pay(tea.id, "a1", { outcome: "failed" });
  await sandbox.advance("24h");
  await pay(tea.id, "a2");
  await pay(ring.id, "a2");
  await pay(odd.id, "a3");
  await sandbox.api("PATCH", `/payment-links/${odd.id}`, { body: { active: false } });

  const body = await overview(sandbox, "7d");
  const usdc = { chain_id: 8453, token_address: tea.token_address, symbol: "USDC", amount: "5000000" };
  const weth = { chain_id: 1, token_address: WETH, symbol: "WETH", amount: "1000000000000000000" };
  expect(body).toMatchObject({
    object: "analytics_overview",
    period: "7d",
    from: "2026-01-10T00:00:00.000Z",
    to: "2026-01-16T09:00:00.000Z",
    customers: { total: 3, new_in_period: 3 },
    payment_links: { total: 3, active: 2 },
    conversion_rate: "80.00",
  });
  expect(body.revenue).toMatchObject({
    period_usd: "3205.00",
    period_transactions: 4,
    all_time_usd: "3205.00",
    all_time_transactions: 4,
    period_by_token: [
      { ...weth, amount_usd: "3200.00", transactions: 1 },
      { ...usdc, amount_usd: "5.00", transactions: 2 },
      { token_address: UNKNOWN, amount: "7", amount_usd: "0.00", transactions: 1 },
    ],
  });
  expect(body.revenue.all_time_by_token).toEqual(body.revenue.period_by_token);
  expect(body.daily).toHaveLength(7);
  expect(body.daily.slice(-2)).toEqual([
    { date: "2026-01-15", transactions: 1, revenue_usd: 2.5 },
    { date: "2026-01-16", transactions: 3, revenue_usd: 3202.5 },
  ]);
  expect(body.top_payment_links.map((row: Json) => [row.name, row.short_code, row.transactions])).toEqual([
    ["Ring", ring.short_code, 1],
    ["Tea", tea.short_code, 2],
    ["Odd", odd.short_code, 1],
  ]);
  expect(body.top_tokens.map((row: Json) => [row.symbol, row.revenue_usd]).slice(0, 2)).toEqual([
    ["WETH", "3200.00"],
    ["USDC", "5.00"],
  ]);
  expect(body.top_chains.map((row: Json) => [row.chain_id, row.name, row.revenue_usd])).toEqual([
    [1, "Ethereum", "3200.00"],
    [8453, "Base", "5.00"],
  ]);

  await sandbox.api("DELETE", `/payment-links/${ring.id}`);
  await sandbox.advance("6d");
  const later = await overview(sandbox, "7d");
  expect(later.top_payment_links[0]).toMatchObject({
    payment_link_id: ring.id,
    name: null,
    short_code: null,
  });
  expect(later.revenue).toMatchObject({ period_transactions: 3, all_time_transactions: 4 });
  expect(later.customers).toEqual({ total: 3, new_in_period: 2 });
  const all = await overview(sandbox, "all");
  expect(all).toMatchObject({ from: null, revenue: { period_transactions: 4 } });
  expect(all.daily.map((row: Json) => row.date)).toEqual(["2026-01-15", "2026-01-16"]);
});

test("the analytics overview of an organization without payments covers 30 days by default", async () => {
  const sandbox = await startSandbox();
  const body = await overview(sandbox);
  expect(body).toMatchObject({
    period: "30d",
    revenue: { period_usd: "0.00", period_by_token: [], all_time_usd: "0.00" },
    conversion_rate: "0.00",
    top_payment_links: [],
    top_tokens: [],
    top_chains: [],
  });
  expect(body.daily).toHaveLength(30);
});

test("the seeded analytics match the seeded transactions of each organization", async () => {
  const sandbox = await startSandbox({ seed: "sandglass" });
  for (const key of [sandbox.keys.write, sandbox.keys.other]) {
    const path = "/transactions/export?format=json&status=completed";
    const rows: Json[] = (await sandbox.api("GET", path, { key })).body.data;
    for (const period of ["7d", "30d", "90d", "all"]) {
      const body = await overview(sandbox, period, key);
      const from = body.from ?? "";
      const inPeriod = rows.filter((row) => row.completed_at >= from);
      expect(body.revenue.period_transactions).toBe(inPeriod.length);
      expect(body.revenue.all_time_transactions).toBe(rows.length);
      const sums = new Map<string, bigint>();
      for (const { chain_id: chain, token_address: token, amount } of inPeriod)
        sums.set(`${chain} ${token}`, (sums.get(`${chain} ${token}`) ?? 0n) + BigInt(amount));
      expect(
        new Map(
          body.revenue.period_by_token.map((row: Json) => [
            `${row.chain_id} ${row.token_address}`,
            BigInt(row.amount),
          ]),
        ),
      ).toEqual(sums);
      const cents = body.daily.reduce((sum: number, row: Json) => sum + Math.round(row.revenue_usd * 100), 0);
      expect((cents / 100).toFixed(2)).toBe(body.revenue.period_usd);
    }
  }
});
