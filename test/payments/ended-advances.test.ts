import { describe, expect, test } from "vitest";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { at, seconds, startHeldSubscriber, startShop } from "../support/webhooks.ts";
import { end } from "./ended-advances.ts";

const clockOf = async (sandbox: TestSandbox): Promise<string> =>
  (await sandbox.control("GET", "/clock")).body.now;

/** A shop whose subscriber fails at first, so the payment's event is due again after 60 s, 660 s and 4260 s. */
async function startHeldShop() {
  const sandbox = await startSandbox();
  const subscriber = await startHeldSubscriber();
  const shop = await startShop(sandbox, subscriber.url);
  await shop.fault({ kind: "status", status: 500, times: 1 });
  await shop.pay();
  return { sandbox, subscriber, ...shop };
}

/**
 * Asks to stop the advance in progress. Once the sandbox has received this request, resolves with a promise for its
 * response.
 */
async function askForEnd(sandbox: TestSandbox) {
  const ended = end(sandbox);
  await expect.poll(() => sandbox.sandbox.world.scheduler.progress()?.ending).toBe(true);
  return { ended };
}

/** Makes an advance that was stopped while the attempt at 60 s was still open. */
async function endAtFirstRetry(request: Json) {
  const shop = await startHeldShop();
  const advancing = shop.sandbox.advance(request);
  await shop.subscriber.arrived(1);
  const { ended } = await askForEnd(shop.sandbox);
  shop.subscriber.open[0]!.answer(500);
  return { ...shop, result: await advancing, ended: await ended };
}

describe("cancelled advances", () => {
  test("a cancelled advance finishes everything due at the current time and returns what happened so far", async () => {
    const { sandbox, result, ended } = await endAtFirstRetry("1d");
    expect(result).toMatchObject({ from: at(0), to: at(60), reached: false, cancelled: true });
    expect(result.ledger.map(({ type, at: instant }: Json) => [type, seconds(instant)])).toEqual([
      ["delivery.started", 60],
      ["delivery.failed", 60],
    ]);
    expect(ended).toEqual({ cancelled: true, now: at(60) });
    expect(await clockOf(sandbox)).toBe(at(60));
  });

  test.each([{ until: "idle" }, { until: "webhook.disabled" }])(
    "an advance with the options %o can also be cancelled",
    async (request) => {
      const { result } = await endAtFirstRetry(request);
      expect(result).toMatchObject({ to: at(60), reached: false, cancelled: true });
    },
  );

  test("cancelling an advance does not cancel those queued behind it", async () => {
    const shop = await startHeldShop();
    const { sandbox, subscriber } = shop;
    const first = sandbox.advance("1d");
    await subscriber.arrived(1);
    const second = sandbox.advance("1m");
    const { ended } = await askForEnd(sandbox);
    subscriber.open[0]!.answer(200);
    expect(await first).toMatchObject({ to: at(60), cancelled: true });
    expect(await second).toMatchObject({ from: at(60), to: at(120), reached: true, cancelled: false });
    await ended;
  });

  test("cancelling an advance started by PUT /clock makes that call fail with a conflict", async () => {
    const { sandbox, subscriber } = await startHeldShop();
    const setting = sandbox.control("PUT", "/clock", { now: at(3600), mode: "live" });
    await subscriber.arrived(1);
    const { ended } = await askForEnd(sandbox);
    subscriber.open[0]!.answer(200);
    expect(await setting).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
    await ended;
    expect((await sandbox.control("GET", "/clock")).body).toMatchObject({ mode: "paused", now: at(60) });
  });
});

test("cancelling has no effect if no advance is in progress", async () => {
  const sandbox = await startSandbox();
  await sandbox.openSession({ expires_in: 300 });
  expect(await end(sandbox)).toEqual({ cancelled: false, now: at(0) });
  expect(await sandbox.advance("5m")).toMatchObject({ to: at(300), reached: true, cancelled: false });
});

test("the sandbox serves every other call while an advance waits for a response", async () => {
  const { sandbox, subscriber, link, webhook } = await startHeldShop();
  const other = await sandbox.makeWorld({ name: "other" });
  const advancing = sandbox.advance("1h");
  await subscriber.arrived(1);
  expect((await sandbox.control("GET", "/status")).body.clock.now).toBe(at(60));
  expect((await sandbox.api("GET", `/payment-links/${link.id}`)).status).toBe(200);
  expect((await sandbox.createLink({ name: "Made meanwhile" })).created_at).toBe(at(60));
  expect((await sandbox.timeline(webhook.id)).attempts).toHaveLength(2);
  expect((await sandbox.call("GET", "/data/insights/v1/tokens/lookup?symbol=USDC")).status).toBe(200);
  expect(await other.advance("1d")).toMatchObject({ reached: true });
  subscriber.open[0]!.answer(200);
  expect(await advancing).toMatchObject({ to: at(3600) });
});
