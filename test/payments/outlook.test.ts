import { describe, expect, test } from "vitest";
import type { Json, TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startPatientSandbox } from "../support/webhooks.ts";

const SETTLED = ["checkout.expired", "payment.completed", "payment.failed"];

/** What a dry run counts, and what the same advance then did. */
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

describe("a dry run counts what the advance does", () => {
  test.each<[string, Record<string, unknown>]>([
    ["a status", { kind: "status", status: 503 }],
    ["a status that is a success", { kind: "status", status: 204 }],
    ["a time-out", { kind: "timeout" }],
  ])("where %s is simulated", async (_name, fault) => {
    const sandbox = await startPatientSandbox();
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

  test("where time-outs that are under way bring an endpoint nearer to being disabled", async () => {
    const sandbox = await startPatientSandbox();
    const hook = await inbox(sandbox, "shop", { events: ["payment.completed"] });
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "timeout" });
    const link = await sandbox.createLink();
    for (let count = 0; count < 4; count += 1) await sandbox.pay({ payment_link_id: link.id });
    const { expected, caused } = await compare(sandbox, { by: "2d" });
    expect(expected.attempts).toEqual({ least: caused.attempts, most: caused.attempts });
    expect(caused.attempts).toBeLessThan(16);
  });

  test("where sessions expire and payments are settled, and inboxes answer", async () => {
    const sandbox = await startPatientSandbox({ payments: { confirmationDelay: "10m" } });
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

  test.each([200, 503])("within its bounds where a subscriber answers %i", async (status) => {
    const subscriber = await startSubscriber(503);
    const sandbox = await startPatientSandbox();
    await sandbox.createWebhook(subscriber.url, { events: ["payment.completed"] });
    const link = await sandbox.createLink();
    for (let count = 0; count < 2; count += 1) await sandbox.pay({ payment_link_id: link.id });
    subscriber.answer = status;
    const { expected, caused } = await compare(sandbox, { by: "2h" });
    expect(expected.attempts).toEqual({ least: 2, most: 6 });
    expect(caused.attempts).toBe(status === 200 ? 2 : 6);
  });
});
