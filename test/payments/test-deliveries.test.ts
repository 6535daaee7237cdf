import { describe, expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startHangingSubscriber, startHeldSubscriber, startShop } from "../support/webhooks.ts";

async function startTestedShop(status: number, fields: Record<string, unknown> = {}) {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber(status);
  return { sandbox, subscriber, ...(await startShop(sandbox, subscriber.url, fields)) };
}

describe("test deliveries", () => {
  test("a test delivery sends a mock payment.completed to any endpoint and returns whether it succeeded [fidelity: Payments platform › Test deliveries]", async () => {
    const shop = await startTestedShop(200, { events: ["checkout.expired"] });
    for (const [status, success] of [
      [200, true],
      [204, true],
      [302, false],
      [500, false],
    ] as const) {
      shop.subscriber.answer = status;
      const answer = await shop.test();
      expect(answer.status).toBe(200);
      const delivery_id = expect.stringMatching(/^del_[0-9A-Za-z]{16}$/);
      expect(answer.body).toEqual({ delivery_id, response_code: status, success });
      const latest = (await shop.sandbox.deliveries(shop.webhook.id)).at(-1);
      expect(latest).toMatchObject({ id: answer.body.delivery_id, trigger: "test", attempt: 1 });
    }
    const { headers, body } = shop.subscriber.received[0]!;
    expect(headers["x-platform-test"]).toBe("true");
    expect(headers["x-platform-event"]).toBe("payment.completed");
    expect(JSON.parse(body)).toMatchObject({
      event: "payment.completed",
      webhook_id: shop.webhook.id,
      data: { status: "completed", checkoutSession: { metadata: expect.any(Object) } },
    });
  });

  test("a test delivery is never retried, changes no counter, and reaches a disabled endpoint [fidelity: Webhooks › Test delivery · Webhooks › Failure counter · Webhooks › Disabled endpoint]", async () => {
    const shop = await startTestedShop(500);
    await shop.pay(9);
    await shop.test();
    shop.subscriber.answer = 200;
    expect((await shop.test()).body.success).toBe(true);
    const { counter, planned } = await shop.timeline();
    expect(counter.consecutive_failures).toBe(9);
    expect(planned).toHaveLength(9);
    expect((await shop.state()).status).toBe("enabled");
    await shop.disable();
    expect((await shop.test()).body.success).toBe(true);
    expect((await shop.state()).status).toBe("disabled");
    const { ledger } = await shop.sandbox.advance("1d");
    expect(ledger).toEqual([]);
    expect(shop.subscriber.received).toHaveLength(12);
  });

  test("a test delivery without a response has no response code and times out after 30 s [fidelity: Time › Paused clock]", async () => {
    const sandbox = await startSandbox({ settleTimeout: 50 });
    const shop = await startShop(sandbox, (await startHangingSubscriber()).url);
    const { body } = await shop.test();
    expect(body).toMatchObject({ response_code: null, success: false });
    await sandbox.advance("29999ms");
    expect(await sandbox.deliveries(shop.webhook.id)).toMatchObject([{ status: "pending" }]);
    await sandbox.advance("1ms");
    expect(await sandbox.deliveries(shop.webhook.id)).toEqual([
      expect.objectContaining({ id: body.delivery_id, status: "failed", error: "timeout" }),
    ]);
    expect((await shop.state()).consecutive_failures).toBe(0);
  });

  test("a fault applies to a test delivery", async () => {
    const shop = await startTestedShop(200);
    await shop.fault({ kind: "status", status: 418, times: 1 });
    expect((await shop.test()).body).toMatchObject({ response_code: 418, success: false });
    expect((await shop.test()).body).toMatchObject({ response_code: 200, success: true });
    expect(shop.subscriber.received).toHaveLength(1);
  });
});

describe("a delivery in progress during a reset or restore [fidelity: Webhooks › Reset meanwhile]", () => {
  test.each([
    ["a reset", "/reset"],
    ["a restore of an earlier snapshot", "/snapshots/before/restore"],
    ["a restore of a snapshot taken meanwhile", "/snapshots/during/restore"],
  ])(
    "test deliveries and manual retries in progress return a not-found error after %s",
    async (_what, back) => {
      const held = await startHeldSubscriber();
      const sandbox = await startSandbox();
      const shop = await startShop(sandbox, held.url);
      await shop.fault({ kind: "status", status: 500, times: 1 });
      await shop.pay();
      const [failed] = await sandbox.deliveries(shop.webhook.id);
      await sandbox.control("POST", "/snapshots", { name: "before" });
      const under = [shop.test(), shop.retry(failed.id)];
      await held.arrived(2);
      await sandbox.control("POST", "/snapshots", { name: "during" });
      expect((await sandbox.control("POST", back, {})).status).toBe(200);
      for (const answer of await Promise.all(under))
        expectError(answer, "resource_not_found", { param: null, says: "reset, restored or undone" }, back);
    },
  );
});
