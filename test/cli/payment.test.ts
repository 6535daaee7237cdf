import { expect, it } from "vitest";
import { expectMisuse, runCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

/** Runs `sandglass payment …` against a sandbox. */
const payment = (sandbox: { url: string }, ...args: string[]) =>
  runCli(["payment", ...args], { env: { SANDGLASS_URL: sandbox.url } });

it("the payment command prints everything about a payment, a session's payment or the latest payment", async () => {
  const sandbox = await startSandbox();
  expectMisuse(await payment(sandbox, "last"), /No payment has been made since the world began/);
  const link = await sandbox.createLink({ amount: "13500000" });
  const { session, transaction: failed } = await sandbox.pay({ payment_link_id: link.id, outcome: "failed" });
  expect((await payment(sandbox, failed.id)).stdout).toMatch(
    /^payment +failed: reverted .*\n\nNo webhook was sent: no endpoint subscribed to these events\.$/m,
  );
  const open = await sandbox.openSession();
  expect((await payment(sandbox, open.id)).stdout).toMatch(/^session +active .*\n\nNo events so far\.$/m);

  const shop = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
    events: ["payment.completed"],
  });
  await sandbox.control("PUT", `/webhooks/${shop.id}/fault`, { status: 503, times: 1 });
  const { transaction } = await sandbox.pay({ session_id: session.id });
  const waiting = (await payment(sandbox, "last")).stdout;
  expect(waiting).toMatch(/^session +completed +cs_\w+ +2026-01-15 09:00:00$/m);
  expect(waiting).toMatch(/^payment +failed: reverted +txn_\w+ +2026-01-15 09:00:00 +13\.50 USDC on Base$/m);
  expect(waiting).toMatch(new RegExp(`^payment +completed +${transaction.id} +`, "m"));
  expect(waiting).toMatch(/^ {2}\S+\/inbox\/shop +next attempt 2026-01-15 09:01:00$/m);
  expect(waiting).toMatch(/^ {4}2026-01-15 09:00:00 +attempt 1 +failed, status 503 +del_\w+$/m);

  await sandbox.advance("1m");
  const delivered = (await payment(sandbox, session.id)).stdout;
  expect(delivered).toMatch(/^ {2}\S+\/inbox\/shop +delivered$/m);
  expect(delivered).toMatch(/^ {4}2026-01-15 09:01:00 +attempt 2 +delivered, 200 in \d/m);
  const { stdout } = await payment(sandbox, transaction.id, "--json");
  expect(JSON.parse(stdout)).toEqual((await sandbox.control("GET", `/payments/${transaction.id}`)).body);
});

it("the payment command prints skipped deliveries, and deliveries whose attempts all failed", async () => {
  const sandbox = await startSandbox();
  const shop = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
    events: ["payment.completed"],
  });
  await sandbox.control("PUT", `/webhooks/${shop.id}/fault`, { status: 503 });
  const link = await sandbox.createLink();
  await sandbox.pay({ payment_link_id: link.id });
  await sandbox.advance("2h");
  expect((await payment(sandbox, "last")).stdout).toMatch(/shop +not delivered: all attempts failed$/m);
  await sandbox.pay({ payment_link_id: link.id });
  await sandbox.control("POST", `/webhooks/${shop.id}/disable`);
  await sandbox.advance("1m");
  expect((await payment(sandbox, "last")).stdout).toMatch(/shop +skipped: the endpoint was disabled$/m);
});

it("the payment command rejects an unknown id, and mentions the command that lists payments", async () => {
  const sandbox = await startSandbox();
  const refused = await payment(sandbox, "txn_none");
  expectMisuse(refused, /no transaction or checkout session txn_none/);
  expect(refused.stderr).toContain("sandglass sessions");
  expectMisuse(await payment(sandbox, ""), /needs a transaction or session: its id/);
  expectMisuse(await payment(sandbox), /Missing required argument/);
});
