import { describe, expect, test } from "vitest";
import type { Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at, seconds, startHangingSubscriber, startShop, startsOf } from "../support/webhooks.ts";

describe("failed deliveries", () => {
  test("a delivery that keeps failing is attempted at 0, 60, 660 and 4260 s to the millisecond, then never again [fidelity: Payments platform › Retries]", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber(500);
    const shop = await startShop(sandbox, subscriber.url);
    await shop.pay();
    for (const [index, due] of [60, 660, 4260].entries()) {
      const { planned, attempts } = await shop.timeline();
      expect(planned).toMatchObject([{ attempt: index + 2, due_at: at(due), event: "payment.completed" }]);
      expect(attempts.at(-1).next_attempt_at).toBe(at(due));
      await sandbox.advance({ to: Date.parse(at(due)) - 1 });
      expect(subscriber.received).toHaveLength(index + 1);
      await sandbox.advance(1);
      expect(subscriber.received).toHaveLength(index + 2);
    }
    await sandbox.advance("365d");
    expect(subscriber.received).toHaveLength(4);
    expect(await startsOf(sandbox, shop.webhook.id)).toEqual([0, 60, 660, 4260]);
    const { planned, attempts } = await shop.timeline();
    expect(planned).toEqual([]);
    for (const [index, attempt] of attempts.entries())
      expect(attempt).toMatchObject({ attempt: index + 1, status: "failed", next_attempt_at: null });
    expect(await sandbox.journal("delivery.exhausted")).toHaveLength(1);
  });

  test("retryDelays sets the delays between attempts [fidelity: Webhooks › Delays]", async () => {
    const sandbox = await startSandbox({ webhooks: { retryDelays: ["5s", "1m"] } });
    const shop = await startShop(sandbox, (await startSubscriber(500)).url);
    await shop.pay();
    await sandbox.advance("1d");
    expect(await startsOf(sandbox, shop.webhook.id)).toEqual([0, 5, 65]);
  });
});

test.each<[string, (shop: Awaited<ReturnType<typeof startShop>>) => Promise<unknown>]>([
  ["simulated by a fault", (shop) => shop.fault({ kind: "timeout" })],
  ["of a subscriber that never responds", () => Promise.resolve()],
])(
  "a timeout %s is pending for exactly 30 s of virtual time and is retried at 90, 720 and 4350 s [fidelity: Webhooks › Delays · Time › Durations · Payments platform › Successful delivery]",
  async (_name, arrange) => {
    const sandbox = await startSandbox({ settleTimeout: 50 });
    const shop = await startShop(sandbox, (await startHangingSubscriber()).url);
    await arrange(shop);
    await shop.pay();
    const statuses = async () => (await sandbox.deliveries(shop.webhook.id)).map(({ status }) => status);
    await sandbox.advance(29_999);
    expect(await statuses()).toEqual(["pending"]);
    expect((await shop.state()).last_delivery_at).toBeNull();
    await sandbox.advance(1);
    expect(await statuses()).toEqual(["failed"]);
    expect((await shop.state()).last_delivery_at).toBe(at(30));
    await sandbox.advance("1d");
    const { attempts } = await shop.timeline();
    expect(attempts.map((attempt: Json) => seconds(attempt.started_at))).toEqual([0, 90, 720, 4350]);
    expect(attempts.map((attempt: Json) => seconds(attempt.ended_at))).toEqual([30, 120, 750, 4380]);
    const failure = { status: "failed", error: "timeout", response_code: null, duration_ms: 30_000 };
    for (const attempt of attempts) expect(attempt).toMatchObject(failure);
  },
);

describe("recoveries", () => {
  test("a success at the third attempt ends the retries and resets the counter to 0", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber(500);
    const shop = await startShop(sandbox, subscriber.url);
    await shop.pay();
    await sandbox.advance("60s");
    expect((await shop.state()).consecutive_failures).toBe(2);
    subscriber.answer = 200;
    await sandbox.advance("1d");
    const { attempts, planned, counter } = await shop.timeline();
    expect(attempts.map(({ status }: Json) => status)).toEqual(["failed", "failed", "success"]);
    expect(attempts.map((attempt: Json) => seconds(attempt.started_at))).toEqual([0, 60, 660]);
    expect(planned).toEqual([]);
    expect(counter.consecutive_failures).toBe(0);
  });

  test("a retry's delay starts at the end of the failed attempt, whatever its outcome [fidelity: Webhooks › Delays]", async () => {
    const sandbox = await startSandbox();
    const shop = await startShop(sandbox, (await startSubscriber()).url);
    await shop.fault({ sequence: [500, "timeout", "refused", "timeout"] });
    await shop.pay();
    await sandbox.advance("1d");
    expect(await startsOf(sandbox, shop.webhook.id)).toEqual([0, 60, 690, 4290]);
  });

  test("every 2xx status is a success and stops the retries [fidelity: Payments platform › Successful delivery]", async () => {
    const sandbox = await startSandbox();
    const statuses = [200, 201, 202, 204, 299];
    const subscribers = await Promise.all(statuses.map((status) => startSubscriber(status)));
    const [shop] = await Promise.all(subscribers.map(({ url }) => startShop(sandbox, url)));
    await shop!.pay();
    await sandbox.advance("1d");
    const succeeded = await sandbox.journal("delivery.succeeded");
    expect(succeeded.map(({ data }) => data.response_code).sort()).toEqual(statuses);
    for (const { received } of subscribers) expect(received).toHaveLength(1);
  });
});
