import { describe, expect, test } from "vitest";
import type { Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at, seconds, startHangingSubscriber, startShop, startsOf } from "../support/webhooks.ts";

describe("a failed delivery", () => {
  test("is tried at 0, 60, 660 and 4260 s, and never again, if it fails at once [fidelity: Payments platform › Retries]", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber(500);
    const shop = await startShop(sandbox, subscriber.url);
    await shop.pay();
    await sandbox.advance("1d");
    expect(await startsOf(sandbox, shop.webhook.id)).toEqual([0, 60, 660, 4260]);
    expect(subscriber.received).toHaveLength(4);
    await sandbox.advance("365d");
    expect(subscriber.received).toHaveLength(4);
  });

  test("is not sent 1 ms before a retry is due, and sent once when it is", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber(500);
    const shop = await startShop(sandbox, subscriber.url);
    await shop.pay();
    const counts: number[][] = [];
    for (const due of [60, 660, 4260]) {
      await sandbox.advance({ to: Date.parse(at(due)) - 1 });
      const before = subscriber.received.length;
      await sandbox.advance(1);
      counts.push([before, subscriber.received.length]);
    }
    expect(counts).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
  });

  test("says when the next attempt is due, and the last one that no other follows", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber(500);
    const shop = await startShop(sandbox, subscriber.url);
    await shop.pay();
    for (const [due, attempt] of [
      [60, 2],
      [660, 3],
      [4260, 4],
    ] as const) {
      const { planned, attempts } = await shop.timeline();
      expect(planned).toEqual([
        expect.objectContaining({ attempt, due_at: at(due), event: "payment.completed" }),
      ]);
      expect(attempts.at(-1).next_attempt_at).toBe(at(due));
      await sandbox.advance({ until: "next" });
    }
    const { planned, attempts } = await shop.timeline();
    expect(planned).toEqual([]);
    expect(attempts.map(({ attempt, status }: Json) => [attempt, status])).toEqual([
      [1, "failed"],
      [2, "failed"],
      [3, "failed"],
      [4, "failed"],
    ]);
    expect(attempts.map((attempt: Json) => attempt.next_attempt_at)).toEqual([null, null, null, null]);
    expect(await sandbox.journal("delivery.exhausted")).toHaveLength(1);
  });

  test("has the delays of the configuration [fidelity: Webhooks › Delays]", async () => {
    const sandbox = await startSandbox({ webhooks: { retryDelays: ["5s", "1m"] } });
    const shop = await startShop(sandbox, (await startSubscriber(500)).url);
    await shop.pay();
    await sandbox.advance("1d");
    expect(await startsOf(sandbox, shop.webhook.id)).toEqual([0, 5, 65]);
  });
});

describe("a time-out", () => {
  const variants: [string, (shop: Awaited<ReturnType<typeof startShop>>) => Promise<unknown>][] = [
    ["simulated by a fault", (shop) => shop.fault({ kind: "timeout" })],
    ["of a subscriber that never answers", () => Promise.resolve()],
  ];
  for (const [name, arrange] of variants) {
    test(`${name} starts at 0, 90, 720 and 4350 s and ends 30 s later [fidelity: Webhooks › Delays · Time › Durations]`, async () => {
      const sandbox = await startSandbox({ settleTimeout: 50 });
      const shop = await startShop(sandbox, (await startHangingSubscriber()).url);
      await arrange(shop);
      await shop.pay();
      await sandbox.advance("1d");
      const { attempts } = await shop.timeline();
      expect(attempts.map((attempt: Json) => seconds(attempt.started_at))).toEqual([0, 90, 720, 4350]);
      expect(attempts.map((attempt: Json) => seconds(attempt.ended_at))).toEqual([30, 120, 750, 4380]);
      for (const attempt of attempts) {
        expect(attempt).toMatchObject({
          status: "failed",
          error: "timeout",
          response_code: null,
          duration_ms: 30_000,
        });
      }
    });

    test(`${name} is pending for 30 s of virtual time, and not 1 ms more [fidelity: Payments platform › Successful delivery]`, async () => {
      const sandbox = await startSandbox({ settleTimeout: 50 });
      const shop = await startShop(sandbox, (await startHangingSubscriber()).url);
      await arrange(shop);
      await shop.pay();
      await sandbox.advance(29_999);
      expect((await sandbox.deliveries(shop.webhook.id)).map(({ status }) => status)).toEqual(["pending"]);
      expect((await shop.state()).last_delivery_at).toBeNull();
      await sandbox.advance(1);
      expect((await sandbox.deliveries(shop.webhook.id)).map(({ status }) => status)).toEqual(["failed"]);
      expect((await shop.state()).last_delivery_at).toBe(at(30));
    });
  }

  test("happens if the body of an answer does not end within 30 s [fidelity: Webhooks › Complete answer]", async () => {
    const sandbox = await startSandbox({ settleTimeout: "2s" });
    const subscriber = await startSubscriber(
      (_received, response) => void response.writeHead(200).write("…"),
    );
    const shop = await startShop(sandbox, subscriber.url);
    await shop.pay();
    await sandbox.advance("30s");
    expect((await sandbox.deliveries(shop.webhook.id))[0]).toMatchObject({
      status: "failed",
      error: "timeout",
      response_code: 200,
    });
  });
});

describe("a recovery", () => {
  test("at the third attempt ends the retries and sets the counter to 0", async () => {
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

  test("counts the delay from the end of each failed attempt, with mixed outcomes [fidelity: Webhooks › Delays]", async () => {
    const sandbox = await startSandbox();
    const shop = await startShop(sandbox, (await startSubscriber()).url);
    await shop.fault({ sequence: [500, "timeout", "refused", "timeout"] });
    await shop.pay();
    await sandbox.advance("1d");
    expect(await startsOf(sandbox, shop.webhook.id)).toEqual([0, 60, 690, 4290]);
  });

  test.each([200, 201, 202, 204, 299])(
    "needs a 2xx: an answer %d is a success [fidelity: Payments platform › Successful delivery]",
    async (status) => {
      const sandbox = await startSandbox();
      const shop = await startShop(sandbox, (await startSubscriber(status)).url);
      await shop.pay();
      await sandbox.advance("1d");
      expect((await sandbox.deliveries(shop.webhook.id)).map((delivery) => delivery.status)).toEqual([
        "success",
      ]);
    },
  );
});
