import { describe, expect, test } from "vitest";
import type { Json, TestSandbox } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import {
  at,
  followJournal,
  START,
  seconds,
  startHangingSubscriber,
  startHeldSubscriber,
  startShop,
} from "../support/webhooks.ts";

async function startFailingShop() {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber(500);
  return { sandbox, subscriber, ...(await startShop(sandbox, subscriber.url)) };
}

const clockOf = async (sandbox: TestSandbox): Promise<string> =>
  (await sandbox.control("GET", "/clock")).body.now;
const attemptsIn = (ledger: Json[]) =>
  ledger.filter(({ type }) => type === "delivery.started").map(({ at: instant }) => seconds(instant));

describe("the summary of an advance", () => {
  test("an advance lists what it caused, in order, with virtual and wall time", async () => {
    const shop = await startFailingShop();
    await shop.pay();
    const result = await shop.sandbox.advance("2h");
    expect(result).toMatchObject({ from: at(0), to: at(7200), reached: true });
    expect(result.ledger.map(({ type, at: instant }: Json) => [type, seconds(instant)])).toEqual([
      ["delivery.started", 60],
      ["delivery.failed", 60],
      ["delivery.started", 660],
      ["delivery.failed", 660],
      ["delivery.started", 4260],
      ["delivery.failed", 4260],
      ["delivery.exhausted", 4260],
    ]);
    for (const { wall } of result.ledger) expect(Number.isNaN(Date.parse(wall))).toBe(false);
    expect(await shop.sandbox.journal()).toEqual(expect.arrayContaining(result.ledger));
  });
});

describe("concurrent calls during an advance", () => {
  test("an advance reaches its target even if a subscriber hangs [fidelity: Time › Real requests]", async () => {
    const sandbox = await startSandbox({ settleTimeout: 50 });
    const shop = await startShop(sandbox, (await startHangingSubscriber()).url);
    const paying = shop.pay();
    const { to, ledger } = await sandbox.advance("1h");
    await paying;
    expect(to).toBe(at(3600));
    expect(attemptsIn(ledger).filter((second) => second > 0)).toEqual([90, 720]);
    expect(ledger.find(({ type }: Json) => type === "delivery.failed")).toMatchObject({ at: at(30) });
  });

  test("an advance waits for a request in flight, but not longer than settleTimeout", async () => {
    const sandbox = await startSandbox({ settleTimeout: "2s" });
    const subscriber = await startHangingSubscriber();
    const shop = await startShop(sandbox, subscriber.url);
    const paying = shop.pay();
    await subscriber.arrived(1);
    await sandbox.advance("10s");
    await paying;
    const { attempts } = await shop.timeline();
    expect(attempts).toEqual([
      expect.objectContaining({ status: "pending", consecutive_failures: null, started_at: at(0) }),
    ]);
    const [entry] = await sandbox.journal("delivery.unanswered");
    expect(entry!.data).toMatchObject({ times_out_at: at(30) });
  });

  test("concurrent advances run one after another, and their durations add up", async () => {
    const shop = await startFailingShop();
    await shop.pay();
    const [first, second] = await Promise.all([shop.sandbox.advance("10m"), shop.sandbox.advance("2h")]);
    const [earlier, later] = first.from === at(0) ? [first, second] : [second, first];
    expect(earlier.from).toBe(at(0));
    expect(later.from).toBe(earlier.to);
    expect(later.to).toBe(at(7800));
    expect(await clockOf(shop.sandbox)).toBe(at(7800));
    expect([...attemptsIn(earlier.ledger), ...attemptsIn(later.ledger)]).toEqual([60, 660, 4260]);
  });

  test("calls during an advance are served and see its current virtual time", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startHeldSubscriber();
    const shop = await startShop(sandbox, subscriber.url);
    await shop.fault({ kind: "status", status: 500, times: 1 });
    await shop.pay();
    const journal = await followJournal(sandbox);
    const advancing = sandbox.advance("1h");
    await subscriber.arrived(1);

    expect(await clockOf(sandbox)).toBe(at(60));
    const link = await sandbox.createLink({ name: "Made meanwhile" });
    expect(link.created_at).toBe(at(60));
    expect((await sandbox.api("GET", "/payment-links")).body.total_count).toBe(2);
    const paying = sandbox.pay({ payment_link_id: link.id });
    await journal.until("payment.completed", 2);
    subscriber.open[0]!.answer(200);
    await subscriber.arrived(2);
    subscriber.open[1]!.answer(200);
    await paying;

    const { to, ledger } = await advancing;
    expect(to).toBe(at(3600));
    expect(attemptsIn(ledger)).toEqual([60, 60]);
    expect((await sandbox.deliveries(shop.webhook.id)).map(({ status }) => status).sort()).toEqual([
      "failed",
      "success",
      "success",
    ]);
  });
});

describe("the until option of an advance", () => {
  test('"until: next" advances to the next timer and fires everything due at that time', async () => {
    const shop = await startFailingShop();
    await shop.pay(2);
    const stops: [string, number][] = [];
    for (let stop = 0; stop < 4; stop += 1) {
      const { to, ledger } = await shop.sandbox.advance({ until: "next" });
      stops.push([to, attemptsIn(ledger).length]);
    }
    expect(stops).toEqual([
      [at(60), 2],
      [at(660), 2],
      [at(4260), 2],
      [at(4260), 0],
    ]);
  });

  test('"until: idle" fires everything that is due and stops at the last timer', async () => {
    const shop = await startFailingShop();
    await shop.pay();
    await shop.sandbox.openSession({ expires_in: 86_400 });
    const { to, ledger, reached } = await shop.sandbox.advance({ until: "idle" });
    expect([to, reached]).toEqual([at(86_400), true]);
    expect(ledger.at(-1)).toMatchObject({ type: "checkout.expired" });
    const again = await shop.sandbox.advance({ until: "idle" });
    expect(again).toMatchObject({ from: at(86_400), to: at(86_400), ledger: [] });
  });

  test(`"until: idle" ignores timers due after the latest time that the clock supports`, async () => {
    const sandbox = await startSandbox();
    const last = "9999-12-31T23:59:59.999Z";
    await sandbox.advance({ to: last });
    await sandbox.openSession();
    for (const until of ["next", "idle", "checkout.expired"]) {
      const { body } = await sandbox.control("POST", "/clock/advance", { until, dryRun: true });
      expect(body, until).toMatchObject({ to: last, would_fire: [] });
      expect(await sandbox.advance({ until }), until).toMatchObject({ from: last, to: last, ledger: [] });
    }
    expect(await clockOf(sandbox)).toBe(last);
  });

  test("advancing to an event stops at that event's time, once everything else due then has run", async () => {
    const shop = await startFailingShop();
    await shop.pay(4);
    const result = await shop.sandbox.advance({ until: "webhook.disabled" });
    expect(result).toMatchObject({ to: at(660), reached: true });
    expect(attemptsIn(result.ledger)).toEqual([60, 60, 60, 60, 660, 660, 660, 660]);
    expect((await shop.state()).status).toBe("disabled");
  });

  test("advancing to an event works even if it is the first thing that happens", async () => {
    const sandbox = await startSandbox();
    for (const seconds of [300, 600]) await sandbox.openSession({ expires_in: seconds });
    const { to, reached, ledger } = await sandbox.advance({ until: "checkout.expired" });
    expect([ledger[0].type, to, reached]).toEqual(["checkout.expired", at(300), true]);
  });

  test("advancing to an event that never happens returns reached: false once nothing more is due", async () => {
    const shop = await startFailingShop();
    await shop.pay();
    const result = await shop.sandbox.advance({ until: "webhook.disabled" });
    expect(result).toMatchObject({ to: at(4260), reached: false });
    expect(attemptsIn(result.ledger)).toEqual([60, 660, 4260]);
    const again = await shop.sandbox.advance({ until: "webhook.disabled" });
    expect(again).toMatchObject({ from: at(4260), to: at(4260), reached: false, ledger: [] });
  });
});

test("advancing to a past event waits only for your own timers, and returns happened_at", async () => {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const shop = await startShop(sandbox, (await startSubscriber(500)).url);
  await shop.pay(4);
  const first = await sandbox.advance({ until: "webhook.disabled" });
  expect(first).toMatchObject({ reached: true });
  expect(first).not.toHaveProperty("happened_at");
  const happened = first.ledger.find(({ type }: Json) => type === "webhook.disabled").at;
  await sandbox.advance("2h");
  const due = (await sandbox.control("POST", "/clock/advance", { until: "idle", dryRun: true })).body;
  expect(due.would_fire.length).toBeGreaterThan(0);

  const again = { until: "webhook.disabled" };
  const now = await clockOf(sandbox);
  const dry = (await sandbox.control("POST", "/clock/advance", { ...again, dryRun: true })).body;
  expect(dry).toMatchObject({ from: now, to: now, would_fire: [] });
  expect(await sandbox.advance(again)).toMatchObject({
    from: now,
    to: now,
    reached: false,
    happened_at: happened,
    ledger: [],
  });
  await sandbox.openSession({ expires_in: 300 });
  const { to, happened_at: earlier } = await sandbox.advance(again);
  expect([Date.parse(to) - Date.parse(now) >= 300_000, earlier]).toEqual([true, happened]);
});

describe("advances", () => {
  test("an advance to a given time fires everything due by then, as PUT /clock does", async () => {
    const shop = await startFailingShop();
    await shop.pay();
    const result = await shop.sandbox.advance({ to: "2026-01-15T11:30:00+02:00" });
    expect(result.to).toBe(at(1800));
    expect(attemptsIn(result.ledger)).toEqual([60, 660]);
    const answer = await shop.sandbox.control("PUT", "/clock", { now: START + 7_200_000 });
    expect(answer.body).toEqual({ mode: "paused", rate: 1, now: at(7200) });
    expect(shop.subscriber.received).toHaveLength(4);
    for (const by of [0, "0s", "PT0S"])
      expect(await shop.sandbox.advance({ by })).toMatchObject({ from: at(7200), to: at(7200), ledger: [] });
  });

  test("a dry run lists what would fire without changing anything", async () => {
    const shop = await startFailingShop();
    await shop.pay();
    const before = [await shop.timeline(), await shop.sandbox.journal()];
    const result = await shop.sandbox.advance({ by: "3h", dryRun: true });
    expect(result).toMatchObject({ from: at(0), to: at(10_800), dry_run: true });
    expect(result.would_fire).toEqual([
      expect.objectContaining({ due_at: at(60), kind: "webhooks.attempt" }),
    ]);
    expect([await shop.timeline(), await shop.sandbox.journal()]).toEqual(before);
    expect(await clockOf(shop.sandbox)).toBe(at(0));
    expect(shop.subscriber.received).toHaveLength(1);
  });
});

test("the clock rejects an invalid request with a message and a hint, and stays unchanged", async () => {
  const wrong: [body: unknown, code: string][] = [
    [{}, "bad_request"],
    [{ by: "1h", to: at(3600) }, "bad_request"],
    [{ by: "1h", until: "next" }, "bad_request"],
    [{ by: -1 }, "invalid_duration"],
    [{ by: "-1h" }, "invalid_duration"],
    [{ by: "1x" }, "invalid_duration"],
    [{ by: "" }, "invalid_duration"],
    [{ by: "P1M" }, "invalid_duration"],
    [{ by: "4000000d" }, "invalid_duration"],
    [{ by: "2920000d" }, "invalid_time"],
    [{ to: "2026-01-15T08:59:59.999Z" }, "invalid_time"],
    [{ to: "2026-02-30" }, "invalid_time"],
    [{ to: "tomorrow" }, "invalid_time"],
    [{ until: "" }, "bad_request"],
    [{ until: "nonsense" }, "bad_request"],
    [{ until: "webhook.disable", dryRun: true }, "bad_request"],
    [{ by: "1h", until_: "next" }, "bad_request"],
    [{ by: "1h", dryRun: "yes please" }, "bad_request"],
    [{ dryRun: true }, "bad_request"],
    [[], "bad_request"],
    ['"1h"', "bad_request"],
    ['{"by": ', "bad_request"],
  ];
  const { sandbox } = await startFailingShop();
  for (const [body, code] of wrong) {
    const answer = await sandbox.control("POST", "/clock/advance", body);
    const name = JSON.stringify(body);
    expect([answer.status, answer.body.error.code], name).toEqual([400, code]);
    expect(answer.body.error.message, name).toMatch(/\.$/);
    expect(answer.body.error.hint, name).toMatch(/\S/);
  }
  const answer = await sandbox.control("PUT", "/clock", { now: at(-1) });
  expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_time"]);
  expect(await clockOf(sandbox)).toBe(at(0));
});
