import { describe, expect, test } from "vitest";
import { paymentsArea } from "../../src/payments/area.ts";
import type { Json, TestSandbox } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

const SETTLED = ["checkout.expired", "payment.completed", "payment.failed"];

/** Compares what a dry run predicts with what the same advance then does. */
async function compare(sandbox: TestSandbox, request: Record<string, unknown>) {
  const before = await sandbox.journal();
  const { would_cause: expected } = await sandbox.advance({ ...request, dryRun: true });
  expect(await sandbox.journal()).toEqual(before);
  const { ledger } = await sandbox.advance(request);
  const types = ledger.map(({ type }: Json) => type as string);
  const events: Record<string, number> = {};
  for (const type of types.filter((name: string) => SETTLED.includes(name)))
    events[type] = (events[type] ?? 0) + 1;
  const attempts = types.filter((type: string) => /^delivery\.(succeeded|failed)$/.test(type)).length;
  return { expected, caused: { attempts, events } };
}

const inbox = (sandbox: TestSandbox, name: string, fields = {}) =>
  sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/${name}`, fields);

describe("the prediction of a dry run", () => {
  test.each<[string, Record<string, unknown>]>([
    ["an error status", { kind: "status", status: 503 }],
    ["a success status", { kind: "status", status: 204 }],
    ["a timeout", { kind: "timeout" }],
  ])("a dry run predicts the advance exactly if %s is simulated", async (_name, fault) => {
    const sandbox = await startSandbox();
    const hook = await inbox(sandbox, "shop");
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, fault);
    for (let count = 0; count < 2; count += 1)
      await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await sandbox.openSession();
    for (const request of [
      { by: "30s" },
      { by: "1m" },
      { until: "next" },
      { by: "45m" },
      { until: "idle" },
    ]) {
      const { expected, caused } = await compare(sandbox, request);
      expect({ request, ...expected }).toEqual({
        request,
        attempts: { least: caused.attempts, most: caused.attempts },
        events: caused.events,
      });
    }
  });

  test("a dry run counts pending timeouts toward disabling an endpoint", async () => {
    const sandbox = await startSandbox();
    const hook = await inbox(sandbox, "shop", { events: ["payment.completed"] });
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "timeout" });
    const link = await sandbox.createLink();
    for (let count = 0; count < 4; count += 1) await sandbox.pay({ payment_link_id: link.id });
    const { expected, caused } = await compare(sandbox, { by: "2d" });
    expect(expected.attempts).toEqual({ least: caused.attempts, most: caused.attempts });
    expect(caused.attempts).toBeLessThan(16);
  });

  test("a dry run predicts session expirations, payment settlements and inbox responses", async () => {
    const sandbox = await startSandbox({ payments: { confirmationDelay: "10m" } });
    await inbox(sandbox, "good");
    await inbox(sandbox, "bad", { events: ["payment.failed", "checkout.expired"] });
    await sandbox.control("PUT", "/inbox/bad/behaviour", { status: 500 });
    const session = await sandbox.openSession();
    await sandbox.pay({ session_id: session.id });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id, outcome: "failed" });
    for (const request of [{ by: "5m" }, { by: "1h" }]) {
      const { expected, caused } = await compare(sandbox, request);
      expect({ request, ...expected }).toEqual({
        request,
        attempts: { least: caused.attempts, most: caused.attempts },
        events: caused.events,
      });
    }
  });

  test.each([200, 503])(
    "the range that a dry run predicts includes the actual number of attempts if a subscriber returns %i",
    async (status) => {
      const subscriber = await startSubscriber(503);
      const sandbox = await startSandbox();
      await sandbox.createWebhook(subscriber.url, { events: ["payment.completed"] });
      const link = await sandbox.createLink();
      for (let count = 0; count < 2; count += 1) await sandbox.pay({ payment_link_id: link.id });
      subscriber.answer = status;
      const { expected, caused } = await compare(sandbox, { by: "2h" });
      expect(expected.attempts).toEqual({ least: 2, most: 6 });
      expect(caused.attempts).toBe(status === 200 ? 2 : 6);
    },
  );
});

test("a dry run counts all 10,050 timers due at the same instant, and until: next finds them", async () => {
  const MANY = 10_050;
  const sandbox = await startSandbox();
  const { organizations, sessions } = sandbox.sandbox.part(paymentsArea);
  const { store } = sandbox.sandbox.world;
  const { id } = organizations.main();
  // Create them directly, without making a request for each.
  store.transaction(() => {
    for (let count = 0; count < MANY; count += 1) sessions.open(id, null, { amount: "1" });
  });
  await inbox(sandbox, "shop");
  const preview = await sandbox.advance({ by: "1h", dryRun: true });
  expect(preview).toMatchObject({
    would_fire_count: MANY,
    would_cause: { attempts: { least: MANY, most: MANY }, events: { "checkout.expired": MANY } },
  });
  expect(preview.would_fire).toHaveLength(1_000);

  store.sql("update checkout_sessions set seeded = 1").run();
  const own = await sandbox.openSession({ expires_in: 7_200 });
  expect(await sandbox.advance({ until: "next", own: true, dryRun: true })).toMatchObject({
    to: own.expires_at,
    would_fire_count: MANY + 1,
  });
});
