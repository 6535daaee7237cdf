import { describe, expect, test } from "vitest";
import type { Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startShop, startsOf } from "../support/webhooks.ts";

async function startFaultyShop(fault?: Record<string, unknown>) {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber(200);
  const shop = await startShop(sandbox, subscriber.url);
  if (fault) expect((await shop.fault(fault)).status).toBe(200);
  /** The result of each attempt: the response's status, or the error. */
  const outcomes = async () =>
    (await shop.timeline()).attempts.map((mark: Json) => mark.response_code ?? mark.error);
  return { sandbox, subscriber, outcomes, ...shop };
}

test("every kind of fault is recorded with its error and code, and only passThrough calls the subscriber [fidelity: Time › Durations]", async () => {
  const cases: [Record<string, unknown>, string | null, number | null][] = [
    [{ kind: "status", status: 503 }, "status", 503],
    [{ kind: "status" }, "status", 500],
    [{ status: 410 }, "status", 410],
    [{ kind: "status", status: 204 }, null, 204],
    [{ kind: "status", status: 301 }, "redirect", 301],
    [{ kind: "timeout" }, "timeout", null],
    [{ kind: "refused" }, "connection_refused", null],
    [{ kind: "reset" }, "connection_reset", null],
    [{ kind: "dns" }, "dns", null],
    [{ kind: "tls" }, "tls", null],
    [{ kind: "redirect" }, "redirect", 302],
    [{ kind: "slow_body" }, "timeout", 200],
    [{ kind: "truncated" }, "invalid_response", 200],
    [{ kind: "garbage" }, "invalid_response", null],
    [{ kind: "status", status: 503, passThrough: true }, "status", 503],
    [{ kind: "reset", passThrough: true }, "connection_reset", null],
    [{ kind: "timeout", passThrough: true }, "timeout", null],
  ];
  const { sandbox, subscriber } = await startFaultyShop({ status: 200 });
  const shops = [];
  for (const [index, [fault]] of cases.entries()) {
    const shop = await startShop(sandbox, `${subscriber.url}/${index}`);
    expect((await shop.fault(fault)).status).toBe(200);
    shops.push(shop);
  }
  await shops[0]!.pay();
  await sandbox.advance("30s");
  for (const [index, [fault, error, code]] of cases.entries()) {
    const shop = shops[index]!;
    const name = JSON.stringify(fault);
    const [record, ...others] = await sandbox.deliveries(shop.webhook.id);
    expect(others, name).toEqual([]);
    expect(record, name).toMatchObject({
      status: error === null ? "success" : "failed",
      error,
      response_code: code,
      response_body: null,
      ...(fault.passThrough ? {} : { duration_ms: error === "timeout" ? 30_000 : 0 }),
    });
    if (error !== null) expect(record.error_detail, name).toMatch(/\S.*simulated|^Returned \d+/);
    expect((await shop.state()).consecutive_failures, name).toBe(error === null ? 0 : 1);
    const called = subscriber.received.filter(({ path }) => path.endsWith(`/${index}`));
    expect(called, name).toHaveLength(fault.passThrough ? 1 : 0);
  }
});

describe("faults", () => {
  test("a fault without a limit affects every attempt until it is cleared", async () => {
    const shop = await startFaultyShop({ kind: "refused" });
    await shop.pay(4);
    await shop.works();
    await shop.pay();
    expect(await shop.outcomes()).toEqual([...Array(4).fill("connection_refused"), 200]);
  });

  test("a fault affects as many attempts as its times field says, and then the subscriber responds again", async () => {
    const shop = await startFaultyShop({ kind: "status", status: 503, times: 2 });
    await shop.pay();
    await shop.sandbox.advance("1d");
    expect(await shop.outcomes()).toEqual([503, 503, 200]);
    expect(await startsOf(shop.sandbox, shop.webhook.id)).toEqual([0, 60, 660]);
    expect((await shop.sandbox.control("GET", `/webhooks/${shop.webhook.id}/fault`)).body.spec).toBe(null);
  });

  test("a fault with a sequence applies its steps in order, and then the subscriber responds", async () => {
    const shop = await startFaultyShop({ sequence: ["reset", 429, 200] });
    await shop.pay();
    await shop.sandbox.advance("1d");
    expect(await shop.outcomes()).toEqual(["connection_reset", 429, 200]);
    expect(shop.subscriber.received).toHaveLength(0);
    expect((await shop.sandbox.control("GET", `/webhooks/${shop.webhook.id}/fault`)).body.spec).toBe(null);
    await shop.pay();
    expect(await shop.outcomes()).toEqual(["connection_reset", 429, 200, 200]);
    expect(shop.subscriber.received).toHaveLength(1);
  });

  test.each([
    [0, Array(12).fill(200)],
    [1, Array(9).fill(500)],
  ])("a fault with a rate of %d applies to every attempt or to none", async (rate, expected) => {
    const shop = await startFaultyShop({ kind: "status", rate });
    await shop.pay(expected.length);
    expect(await shop.outcomes()).toEqual(expected);
    const { body } = await shop.sandbox.control("GET", `/webhooks/${shop.webhook.id}/fault`);
    expect(body).toMatchObject({ asked: expected.length, hit: rate === 0 ? 0 : expected.length });
  });

  test("a fault with a rate of 0.5 affects some attempts, and the same ones for the same seed", async () => {
    const run = async () => {
      const shop = await startFaultyShop({ kind: "status", rate: 0.5 });
      await shop.pay(24);
      return shop.outcomes();
    };
    const [first, second] = [await run(), await run()];
    expect(second).toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 500]));
  });

  test("each step of a fault's sequence applies to one attempt, whether hit or skipped by the rate", async () => {
    const sequence = Array.from({ length: 24 }, (_, index) => 500 + index);
    const shop = await startFaultyShop({ sequence, rate: 0.5 });
    // The first attempt for each payment is a step of the sequence; no retry becomes due.
    await shop.pay(30);
    const outcomes: number[] = await shop.outcomes();
    const passed = outcomes.slice(0, 24).filter((outcome) => outcome === 200).length;
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(24);
    for (const [index, outcome] of outcomes.entries())
      expect([200, sequence[index] ?? 200]).toContain(outcome);
    expect((await shop.sandbox.control("GET", `/webhooks/${shop.webhook.id}/fault`)).body.spec).toBe(null);
  });

  test("the journal records each fault that is set, used up or cleared, and deleting an endpoint removes its fault", async () => {
    const shop = await startFaultyShop({ kind: "status", status: 500, times: 1 });
    await shop.pay();
    await shop.fault({ kind: "tls" });
    await shop.works();
    await shop.fault({ kind: "refused" });
    const faultsNow = async () => (await shop.sandbox.control("GET", "/faults")).body;
    expect(JSON.stringify(await faultsNow())).toContain(shop.webhook.id);
    await shop.remove();
    expect(JSON.stringify(await faultsNow())).not.toContain(shop.webhook.id);
    const entries = await shop.sandbox.journal("fault.*");
    expect(entries.map(({ type }) => type)).toEqual(Array(3).fill(["fault.set", "fault.cleared"]).flat());
    expect(entries.at(-1)!.data).toMatchObject({ target: `webhook:${shop.webhook.id}` });
  });

  test("a new fault replaces the endpoint's previous one and does not affect other endpoints", async () => {
    const shop = await startFaultyShop({ kind: "status", status: 500 });
    const other = await startShop(shop.sandbox, shop.subscriber.url);
    await shop.fault({ kind: "dns", times: 1 });
    await shop.pay(2);
    expect(await shop.outcomes()).toEqual(["dns", 200]);
    expect((await other.state()).consecutive_failures).toBe(0);
    expect(shop.subscriber.received).toHaveLength(3);
  });
});

describe("steps of a fault's sequence", () => {
  test('the step "deliver" lets the subscriber respond to the attempt', async () => {
    const shop = await startFaultyShop({ sequence: ["deliver", "refused", "deliver", 503] });
    await shop.pay(2);
    await shop.sandbox.advance("1d");
    expect(await shop.outcomes()).toEqual([200, "connection_refused", 200]);
    expect(shop.subscriber.received).toHaveLength(2);
    const { body } = await shop.sandbox.control("GET", `/webhooks/${shop.webhook.id}/fault`);
    expect(body).toMatchObject({ asked: 3 });
  });

  test("a step of a sequence overrides the fault's own fields", async () => {
    const shop = await startFaultyShop({
      status: 429,
      sequence: [{ kind: "reset", passThrough: true }, { passThrough: true }, { status: 503 }],
    });
    await shop.pay();
    await shop.sandbox.advance("1d");
    expect(await shop.outcomes()).toEqual(["connection_reset", 429, 503, 200]);
    expect(shop.subscriber.received).toHaveLength(3);
  });
});

describe("overlapping requests", () => {
  test("a fault with overlap sends the held request at the same time as its retry", async () => {
    const shop = await startFaultyShop({ sequence: [{ kind: "timeout", overlap: true }] });
    const { subscriber } = shop;
    const open: (() => void)[] = [];
    subscriber.answer = (_received, response) => {
      open.push(() => void response.writeHead(200).end());
      if (open.length === 2) for (const answer of open) answer();
    };
    await shop.pay();
    expect(subscriber.received).toHaveLength(0);
    await shop.sandbox.advance("10m");
    expect(subscriber.received).toHaveLength(2);
    expect(await shop.outcomes()).toEqual(["timeout", 200]);
    expect(await startsOf(shop.sandbox, shop.webhook.id)).toEqual([0, 90]);
  });

  test("a simultaneous event does not release a request held by overlap", async () => {
    const shop = await startFaultyShop();
    const both = await startShop(shop.sandbox, `${shop.subscriber.url}/both`, {
      events: ["payment.completed", "checkout.completed"],
    });
    await both.fault({ sequence: ["deliver", { kind: "timeout", overlap: true }] });
    await both.pay();
    const arrived = () => shop.subscriber.received.filter(({ path }) => path.endsWith("/both"));
    expect(arrived()).toHaveLength(1);
    await shop.sandbox.advance("10m");
    expect(arrived()).toHaveLength(3);
  });

  test("a held request that is not followed by a retry is sent on its own", async () => {
    const shop = await startFaultyShop({
      sequence: ["refused", "refused", "refused", { kind: "reset", overlap: true }],
    });
    await shop.pay();
    await shop.sandbox.advance("1d");
    await shop.subscriber.arrived(1);
    expect(await shop.outcomes()).toHaveLength(4);
  });

  test("a restore discards a held request", async () => {
    const shop = await startFaultyShop();
    await shop.sandbox.control("POST", "/snapshots", { name: "before" });
    await shop.fault({ kind: "timeout", overlap: true });
    await shop.pay();
    await shop.sandbox.control("POST", "/snapshots/before/restore");
    await shop.pay();
    expect(shop.subscriber.received).toHaveLength(1);
  });
});

describe("interrupted deliveries", () => {
  test("an interrupted delivery is sent again under the same id, and the second response counts [fidelity: Deliveries › Interrupted]", async () => {
    const shop = await startFaultyShop({ kind: "interrupted", passThrough: true, times: 1 });
    await shop.pay();
    const { received } = shop.subscriber;
    expect(received.map(({ headers }) => headers["x-platform-delivery-id"])).toEqual(
      Array(2).fill(received[0]!.headers["x-platform-delivery-id"]),
    );
    expect(received[1]!.body).toBe(received[0]!.body);
    expect(await shop.sandbox.deliveries(shop.webhook.id)).toEqual([
      expect.objectContaining({ status: "success", attempt: 1, response_code: 200 }),
    ]);
    expect((await shop.sandbox.journal("delivery.*")).map(({ type }) => type)).toEqual([
      "delivery.started",
      "delivery.resumed",
      "delivery.succeeded",
    ]);
  });

  test("a fault without passThrough never sends the first request of an interrupted delivery", async () => {
    const shop = await startFaultyShop({ kind: "interrupted" });
    await shop.pay();
    expect(shop.subscriber.received).toHaveLength(1);
    expect(await shop.outcomes()).toEqual([200]);
  });
});

test("an invalid fault is rejected with a hint and has no effect", async () => {
  const shop = await startFaultyShop();
  const wrong: Record<string, unknown>[] = [
    { kind: "flood" },
    { kind: "status", status: 99 },
    { kind: "status", rate: 1.5 },
    { kind: "status", rate: -0.1 },
    { kind: "status", times: 0 },
    { sequence: [] },
    { sequence: [500, "flood"] },
    { sequence: [{}] },
    { sequence: [{ kind: "reset", times: 2 }] },
    { kind: "status", colour: "red" },
    { kind: "timeout", status: 503 },
    { sequence: [500, { kind: "reset", status: 503 }] },
  ];
  for (const fault of wrong) {
    const answer = await shop.fault(fault);
    const name = JSON.stringify(fault);
    expect([answer.status, answer.body.error.code], name).toEqual([400, "bad_request"]);
    expect(answer.body.error.hint, name).toMatch(/\S/);
  }
  await shop.pay();
  expect(await shop.outcomes()).toEqual([200]);
  const answer = await shop.sandbox.control("PUT", "/webhooks/wh_0000000000000000/fault", { kind: "dns" });
  expect([answer.status, answer.body.error.code]).toEqual([404, "not_found"]);
});
