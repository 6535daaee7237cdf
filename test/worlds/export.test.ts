import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SandglassConfig } from "../../src/library/config.ts";
import { serveCli } from "../support/built.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { clientOf, type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";

type Client = Pick<TestSandbox, "api" | "control" | "url">;

/** Starts a sandbox from another sandbox's export. */
function startFrom(exported: Json, config: SandglassConfig = {}): Promise<TestSandbox> {
  const from = folderOf({ "world.json": JSON.stringify(exported) });
  return startSandbox({ seed: undefined as never, from, ...config });
}

async function exportOf(sandbox: Pick<TestSandbox, "control">): Promise<Json> {
  const { status, body } = await sandbox.control("GET", "/export");
  expect(status).toBe(200);
  return body;
}

const LISTS = [
  "payment-links",
  "products",
  "checkout-sessions",
  "transactions",
  "customers",
  "discount-codes",
  "webhooks",
  "api-keys",
];

/** Everything for which fixtures have a field, as the APIs list it. */
async function listed(sandbox: Client): Promise<Record<string, Json>> {
  const all: Record<string, Json> = {};
  for (const name of LISTS) {
    const rows: Json[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const { body } = await sandbox.api("GET", `/${name}?limit=100&page=${page}`);
      rows.push(...body.data);
      more = body.has_more;
    }
    all[name] = rows;
  }
  for (const name of ["organization", "notifications"])
    all[name] = (await sandbox.api("GET", `/${name}`)).body;
  for (const name of ["games", "players", "channels", "rules"])
    all[name] = (await sandbox.control("GET", `/game/${name}`)).body.data;
  const { data } = (await sandbox.control("GET", "/data/addresses")).body;
  all.addresses = data.filter(({ source }: Json) => source === "set");
  all.status = (await sandbox.control("GET", "/status")).body;
  const { seed, organizations, keys } = all.status;
  all.status = { seed, organizations, keys };
  return JSON.parse(JSON.stringify(all).replaceAll(sandbox.url, "http://sandbox"));
}

/** Expects a world, and another one that starts from its export, to have the same export and the same lists. */
async function expectEqual(sandbox: Client, config: SandglassConfig = {}): Promise<TestSandbox> {
  const exported = await exportOf(sandbox);
  const again = await startFrom(exported, config);
  const second = await exportOf(again);
  for (const kind of Object.keys(exported)) expect(second[kind], kind).toEqual(exported[kind]);
  expect(JSON.stringify(second)).toBe(JSON.stringify(exported));
  const [before, after] = [await listed(sandbox), await listed(again)];
  for (const name of Object.keys(before)) expect(after[name], name).toEqual(before[name]);
  return again;
}

test("a world that starts from an export generates the same next ids as the original", async () => {
  const sandbox = await startSandbox();
  await sandbox.createLink();
  const again = await startFrom(await exportOf(sandbox));
  expect((await again.createLink()).id).toBe((await sandbox.createLink()).id);
});

describe("worlds from an export", () => {
  test("a world that starts from an export equals the original after many changes", async () => {
    const confirming = { payments: { confirmationDelay: "10m" } } as const;
    const sandbox = await startSandbox(confirming);
    const post = async (path: string, body: Json = {}) => (await sandbox.api("POST", path, { body })).body;
    await sandbox.api("PATCH", "/organization", { body: { name: "Another name" } });
    await sandbox.api("PATCH", "/notifications", { body: { telegram_enabled: true, telegram_chat_id: "7" } });
    await post("/api-keys", { name: "Made here", permission: "admin" });
    const [kept, gone] = [
      await post("/products", { name: "Tea", amount: "5" }),
      await post("/products", { name: "Old" }),
    ];
    const link = await sandbox.createLink({
      product_id: kept.id,
      max_uses: 9,
      expires_at: "2026-03-01T00:00:00Z",
    });
    const other = await sandbox.createLink({ product_id: gone.id, amount: null });
    await post("/discount-codes", {
      code: "TEN",
      type: "percentage",
      value: "10",
      payment_link_id: other.id,
    });
    await post("/discount-codes", { code: "FIVE", type: "fixed", value: "5" });
    const hook = await sandbox.createWebhook("https://shop.example/hook", { events: ["payment.failed"] });
    const deleted = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/gone`);
    await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop?a=1`, { description: "Shop" });
    await sandbox.control("POST", `/webhooks/${hook.id}/disable`);
    await sandbox.openSession({ metadata: { order: 7, gift: true, note: null }, client_reference_id: "o-1" });
    await sandbox.pay({ payment_link_id: link.id, customer_name: "Ada" });
    await sandbox.advance("20m");
    const payer = (await sandbox.pay({ payment_link_id: other.id, amount: "77", discount_code: "TEN" }))
      .transaction;
    await sandbox.pay({ payment_link_id: link.id, outcome: "failed", failure_reason: "rejected" });
    await sandbox.advance("6m");
    await sandbox.pay({ payment_link_id: link.id });
    // Other rows refer to a row that is deleted here, and keep its id.
    await sandbox.api("DELETE", `/products/${gone.id}`);
    await sandbox.api("DELETE", `/payment-links/${other.id}`);
    await sandbox.api("DELETE", `/webhooks/${deleted.id}`);
    await sandbox.api("DELETE", `/customers/${payer.customer_id}`);
    await sandbox.control("POST", "/game/tokens", { address: `0x${"ab".repeat(20)}` });
    await sandbox.control("PUT", `/data/addresses/0x${"12".repeat(20)}`, {
      chain_id: 10,
      tokens: [{ token_id: "7", token: { address: `0x${"34".repeat(20)}`, type: "ERC-721" } }],
    });

    const again = await expectEqual(sandbox, confirming);
    // Both worlds continue in the same way: timers are still due, and new ids do not collide with existing ones.
    for (const one of [sandbox, again]) await one.advance("1h");
    const statuses = async (one: TestSandbox) =>
      (await one.api("GET", "/transactions?limit=100")).body.data.map(({ id, status }: Json) => [id, status]);
    expect(await statuses(again)).toEqual(await statuses(sandbox));
    for (let count = 0; count < 5; count += 1) {
      await again.createLink();
      await again.createWebhook(`${again.url}/_sandbox/inbox/new`);
      await again.openSession();
      expect((await again.api("POST", "/api-keys", { body: { name: "N", permission: "read" } })).status).toBe(
        201,
      );
      await again.control("POST", "/game/tokens", { address: `0x${String(count).repeat(40)}` });
    }
  });
});

/** Expects a sandbox that starts from an exported folder to have the same export as the first one. */
async function expectBeginning(url: string, folder: string, cwd: string): Promise<void> {
  const again = await serveCli(["--paused", "--from", folder], { cwd, env: { SANDGLASS_CACHE: "off" } });
  const [first, second] = [await exportOf(clientOf(url)), await exportOf(clientOf(again.url))];
  expect(JSON.stringify(second)).toBe(JSON.stringify(first));
}

describe("sandglass export", () => {
  test("sandglass export writes one file per kind, and sandglass start --from reads them", async () => {
    const cwd = folderOf();
    const first = await serveCli(["--paused"], { cwd });
    const run = (...args: string[]) => runCli(["export", ...args, "--url", first.url], { cwd });
    const json = await run("out");
    expect(json).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Wrote \d+ rows in 16 files to out\.\n/),
    });
    expect(readdirSync(join(cwd, "out"))).toContain("payment-links.json");
    await expectBeginning(first.url, "out", cwd);
    const twice = await run("out");
    expect(twice).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/out already contains fixtures: .*--force/s),
    });
    const other = join(cwd, "out/package.json");
    writeFileSync(other, '{"name":"shop"}');
    const refused = await run("out", "--force");
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/out contains files that are not fixtures: package\.json\./),
    });
    expect(readdirSync(join(cwd, "out"))).toEqual(expect.arrayContaining(["package.json", "products.json"]));
    rmSync(other);
    expectMisuse(await run(""), /needs a folder/);
    // Reading YAML takes a hundred times as long, so use a small world.
    await clientOf(first.url).control("POST", "/reset", { seed: "empty" });
    for (const name of ['Tea: "green"', "- no", "12", "null", "é\n#1"])
      await clientOf(first.url).api("POST", "/products", { body: { name, amount: "5" } });
    expect((await run("out", "--force", "--yaml")).code).toBe(0);
    expect(readdirSync(join(cwd, "out")).filter((name) => name.endsWith(".json"))).toEqual([]);
    expect(readFileSync(join(cwd, "out/fixtures.yaml"), "utf8")).toMatch(
      /^history: none\nstartAt: 2026-01-15T09:00:00.000Z\n/,
    );
    await expectBeginning(first.url, "out", cwd);
    const spaced = await run("it's ours");
    expect(spaced.stdout).toContain("npx sandglass --from 'it'\\''s ours'\n");
    expect((await run("it's ours")).stderr).toContain("npx sandglass export 'it'\\''s ours' --force");
    const yaml = await run("yaml", "--yaml", "--json");
    expect(JSON.parse(yaml.stdout)).toMatchObject({ folder: join(cwd, "yaml"), rows: expect.any(Number) });
  });
});
