import { expect, test } from "vitest";
import type { Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at, followJournal, seconds, startShop } from "../support/webhooks.ts";

/** Expects each attempt to start no earlier than the time for which the previous attempt planned it. */
function expectDelaysKept(attempts: Json[], delays: number[]): void {
  for (const [index, delay] of delays.entries()) {
    const [before, after] = [attempts[index], attempts[index + 1]];
    // Use whole milliseconds, because fractions of seconds do not add up exactly.
    const passed = Math.round((seconds(after.started_at) - seconds(before.ended_at)) * 1_000);
    expect(passed).toBeGreaterThanOrEqual(Math.round(delay * 1_000));
  }
}

test("a live clock sends retries without an advance", async () => {
  const sandbox = await startSandbox({
    clock: { mode: "live" },
    webhooks: { retryDelays: ["1ms", "2ms", "3ms"] },
  });
  const subscriber = await startSubscriber(500);
  const shop = await startShop(sandbox, subscriber.url);
  const journal = await followJournal(sandbox);
  await shop.pay();
  await subscriber.arrived(4);
  await journal.until("delivery.exhausted");
  const { attempts, planned } = await shop.timeline();
  expect(attempts.map(({ attempt, error }: Json) => [attempt, error])).toEqual([
    [1, "status"],
    [2, "status"],
    [3, "status"],
    [4, "status"],
  ]);
  expectDelaysKept(attempts, [0.001, 0.002, 0.003]);
  expect(planned).toEqual([]);
});

test("ten failures on a scaled clock disable the endpoint once, without an advance", async () => {
  const sandbox = await startSandbox({ clock: { mode: "scaled", rate: 100_000 } });
  const shop = await startShop(sandbox, (await startSubscriber(500)).url);
  const journal = await followJournal(sandbox);
  await Promise.all([shop.pay(), shop.pay(), shop.pay()]);
  await journal.until("mail.sent");
  expect((await shop.state()).status).toBe("disabled");
  expect(await sandbox.mail()).toHaveLength(1);
});

test("a session on a scaled clock expires without an advance, and its event is sent", async () => {
  const sandbox = await startSandbox({ clock: { mode: "scaled", rate: 100_000 } });
  const subscriber = await startSubscriber(200);
  await sandbox.createWebhook(subscriber.url);
  const session = await sandbox.openSession({ expires_in: 300 });
  await subscriber.arrived(1);
  expect(JSON.parse(subscriber.received[0]!.body)).toMatchObject({
    event: "checkout.expired",
    data: { id: session.id, status: "expired" },
  });
});

test("a paused clock sends nothing until resumed, and a scaled clock runs a whole retry schedule", async () => {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber(500);
  const shop = await startShop(sandbox, subscriber.url);
  const journal = await followJournal(sandbox);
  await shop.pay();
  const clock = { mode: "scaled", rate: 100_000 };
  expect((await sandbox.control("PUT", "/clock", clock)).body).toMatchObject(clock);
  await subscriber.arrived(4);
  await journal.until("delivery.exhausted");
  expectDelaysKept((await shop.timeline()).attempts, [60, 600, 3_600]);
  const { body: stopped } = await sandbox.control("POST", "/clock/pause");
  expect(stopped).toMatchObject({ mode: "paused", rate: 100_000 });
  expect((await sandbox.control("GET", "/clock")).body).toEqual(stopped);
  expect((await sandbox.control("POST", "/clock/resume")).body).toMatchObject(clock);
});

test("an advance on a live clock jumps forward, and the clock continues from there", async () => {
  const sandbox = await startSandbox({ clock: { mode: "live" } });
  const subscriber = await startSubscriber(500);
  const shop = await startShop(sandbox, subscriber.url);
  await shop.pay();
  const { from, to, ledger } = await sandbox.advance("2h");
  expect(seconds(to) - seconds(from)).toBeCloseTo(7_200, 3);
  expect(ledger.filter(({ type }: Json) => type === "delivery.failed")).toHaveLength(3);
  const { body } = await sandbox.control("GET", "/clock");
  expect(body.mode).toBe("live");
  expect(seconds(body.now)).toBeGreaterThanOrEqual(seconds(to));
});

test("an invalid clock change is rejected and has no effect", async () => {
  const sandbox = await startSandbox();
  for (const change of [
    { rate: 0 },
    { rate: -1 },
    { rate: 1_000_001 },
    { mode: "fast" },
    { mode: "live", rate: 7, now: at(3600) },
  ]) {
    const answer = await sandbox.control("PUT", "/clock", change);
    expect([answer.status, answer.body.error.code], JSON.stringify(change)).toEqual([400, "bad_request"]);
  }
  expect((await sandbox.control("GET", "/clock")).body).toEqual({ mode: "paused", rate: 1, now: at(0) });
});
