import { describe, expect, test } from "vitest";
import type { Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import {
  at,
  followJournal,
  startHangingSubscriber,
  startHeldSubscriber,
  startShop,
} from "../support/webhooks.ts";

/** Starts an endpoint for which the test sends the responses in any order. Until then, requests stay open. */
async function startHeldShop(clock: "live" | "paused", fields: Record<string, unknown> = {}) {
  const sandbox = await startSandbox({ clock: { mode: clock } });
  const subscriber = await startHeldSubscriber();
  return { sandbox, ...subscriber, ...(await startShop(sandbox, subscriber.url, fields)) };
}

/** Makes `count` first attempts fail through a fault, so the next request really reaches the subscriber. */
async function failFirst(shop: Awaited<ReturnType<typeof startHeldShop>>, count: number): Promise<void> {
  await shop.fault({ kind: "status", status: 500, times: count });
  await shop.pay(count);
}

const failThenSucceed = { status: "disabled", consecutive_failures: 0 };
const succeedThenFail = { status: "enabled", consecutive_failures: 1 };

describe("a success that races the tenth failure", () => {
  test.each([
    ["the failure arrives first", [500, 200], failThenSucceed, 1],
    ["the success arrives first", [200, 500], succeedThenFail, 0],
  ] as const)(
    "a success and the tenth failure on a live clock count in the order of their arrival: %s",
    async (_name, statuses, expected, mails) => {
      const shop = await startHeldShop("live");
      const journal = await followJournal(shop.sandbox);
      await failFirst(shop, 9);
      const first = shop.pay();
      await shop.arrived(1);
      const second = shop.pay();
      await shop.arrived(2);
      for (const [index, status] of statuses.entries()) {
        shop.open[index]!.answer(status);
        if (status === 200) await journal.until("delivery.succeeded");
        else await journal.until("delivery.failed", 10);
      }
      await Promise.all([first, second]);
      expect(await shop.state()).toMatchObject(expected);
      expect(await shop.sandbox.mail()).toHaveLength(mails);
      expect(await shop.sandbox.journal("webhook.disabled")).toHaveLength(mails);
      expect(
        (await shop.sandbox.deliveries(shop.webhook.id)).filter(({ status }) => status === "pending"),
      ).toEqual([]);
    },
  );

  test.each([
    [
      "the failing request is sent first and gets the last response",
      { a: 500, b: 200 },
      "ba",
      failThenSucceed,
    ],
    [
      "the failing request is sent last and gets the first response",
      { a: 200, b: 500 },
      "ba",
      succeedThenFail,
    ],
  ] as const)(
    "a success and the tenth failure on a paused clock count in the order in which they were sent: %s [fidelity: Webhooks › Order]",
    async (_name, status, order, expected) => {
      const shop = await startHeldShop("paused");
      await failFirst(shop, 9);
      await shop.sandbox.api("PATCH", `/webhooks/${shop.webhook.id}`, { body: { events: ["*"] } });
      const paying = shop.pay();
      await shop.arrived(2);
      for (const which of order) shop.open[which === "a" ? 0 : 1]!.answer(status[which as "a" | "b"]);
      await paying;
      expect(await shop.state()).toMatchObject(expected);
      const events = (await shop.sandbox.journal("delivery.succeeded,delivery.failed")).slice(-2);
      expect(events.map(({ data }) => data.event)).toEqual(["payment.completed", "checkout.completed"]);
    },
  );
});

describe("an endpoint disabled or deleted during an attempt", () => {
  test.each([
    [500, "failed"],
    [200, "success"],
  ])(
    "a response with status %d after the endpoint was disabled or deleted is recorded as %s and not retried [fidelity: Webhooks › Disabled endpoint · Webhooks › Deleted endpoint]",
    async (status, recorded) => {
      for (const end of ["disable", "remove"] as const) {
        const shop = await startHeldShop("paused");
        const paying = shop.pay();
        await shop.arrived(1);
        expect((await shop[end]()).status, end).toBe(200);
        shop.open[0]!.answer(status);
        await paying;
        await shop.sandbox.advance("1d");
        const { attempts, planned, skipped, status: state } = await shop.timeline();
        expect(attempts, end).toMatchObject([
          { status: recorded, response_code: status, next_attempt_at: null },
        ]);
        expect(planned, end).toEqual([]);
        if (end === "disable")
          expect(skipped.map(({ attempt, reason }: Json) => [attempt, reason])).toEqual(
            status === 200 ? [] : [[2, "endpoint_disabled"]],
          );
        expect(state).toBe(end === "disable" ? "disabled" : "deleted");
        expect(shop.open, end).toHaveLength(1);
      }
    },
  );

  test("an attempt that times out after its endpoint was disabled is recorded and not retried", async () => {
    const sandbox = await startSandbox({ settleTimeout: "2s" });
    const subscriber = await startHangingSubscriber();
    const shop = await startShop(sandbox, subscriber.url);
    await shop.pay();
    await sandbox.advance("10s");
    await shop.disable();
    await sandbox.advance("1d");
    expect((await shop.timeline()).attempts).toEqual([
      expect.objectContaining({ status: "failed", error: "timeout", ended_at: at(30) }),
    ]);
    expect(subscriber.received).toHaveLength(1);
  });
});

describe("deleted endpoints", () => {
  test("deleting an endpoint cancels its planned retries and preserves its history [fidelity: Webhooks › Deleted endpoint · Deliveries › endpoint_deleted]", async () => {
    const shop = await startHeldShop("paused");
    await failFirst(shop, 3);
    expect(await shop.remove()).toMatchObject({ status: 200, body: { id: shop.webhook.id, deleted: true } });
    const { ledger } = await shop.sandbox.advance("1d");
    expect(ledger).toEqual([]);
    const { status, attempts, planned, skipped, changes } = await shop.timeline();
    expect(status).toBe("deleted");
    expect(attempts).toHaveLength(3);
    expect(planned).toEqual([]);
    expect(skipped.map(({ reason }: Json) => reason)).toEqual(Array(3).fill("endpoint_deleted"));
    expect(changes.map(({ type }: Json) => type)).toEqual(["created", "deleted"]);
    expect(shop.open).toHaveLength(0);
  });

  test("the tenth failure of a deleted endpoint has no effect and sends no e-mail", async () => {
    const shop = await startHeldShop("paused");
    await failFirst(shop, 9);
    const paying = shop.pay();
    await shop.arrived(1);
    await shop.remove();
    shop.open[0]!.answer(500);
    await paying;
    expect(await shop.sandbox.mail()).toEqual([]);
    expect(await shop.sandbox.journal("webhook.disabled")).toEqual([]);
    expect((await shop.timeline()).status).toBe("deleted");
  });

  test("a deleted endpoint gets no new events and is unknown to the API", async () => {
    const shop = await startHeldShop("paused");
    await shop.remove();
    const [{ deliveries }] = (await shop.pay()) as [Json];
    expect([deliveries, shop.open]).toEqual([[], []]);
    expect(await shop.test()).toMatchObject({ status: 404, body: { error: { code: "resource_not_found" } } });
  });
});
