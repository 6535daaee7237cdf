import { describe, expect, test } from "vitest";
import type { Answer, Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at, seconds, startHangingSubscriber, startHeldSubscriber, startShop } from "../support/webhooks.ts";

async function startFailingShop() {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber(500);
  const shop = await startShop(sandbox, subscriber.url);
  /** The attempts so far, as `[second, trigger, status]`. */
  const made = async () =>
    (await shop.timeline()).attempts.map(({ started_at: start, trigger, status }: Json) => [
      seconds(start),
      trigger,
      status,
    ]);
  /** Makes a payment, and returns the id of the failed first delivery. */
  const fail = async (): Promise<string> => (await shop.pay())[0].deliveries[0].id;
  return { sandbox, subscriber, made, fail, ...shop };
}

const refused = (answer: Answer) => [answer.status, answer.body.error.type, answer.body.error.code];
const NOT_ALLOWED = [400, "invalid_request_error", "invalid_status_transition"];

describe("a manual retry before the next automatic attempt", () => {
  test("a manual retry that succeeds returns the new delivery and cancels the planned retry [fidelity: Webhooks › Manual retry]", async () => {
    const shop = await startFailingShop();
    const id = await shop.fail();
    await shop.sandbox.advance("30s");
    shop.subscriber.answer = 200;
    const answer = await shop.retry(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      object: "webhook_delivery",
      status: "success",
      trigger: "manual",
      retry_of: id,
      attempt: 1,
      response_code: 200,
      created_at: at(30),
    });
    expect(answer.body.id).not.toBe(id);
    const [first, second] = shop.subscriber.received;
    expect(second!.body).toBe(first!.body);
    expect(second!.headers["x-platform-timestamp"]).toBe(at(30));
    expect(second!.headers["x-platform-delivery-id"]).toBe(answer.body.id);
    expect((await shop.timeline()).planned).toEqual([]);
    expect((await shop.state()).consecutive_failures).toBe(0);
    const [cancelled, ...more] = await shop.sandbox.journal("retry.cancelled");
    expect(cancelled!.data).toMatchObject({ attempt: 2, due_at: at(60), reason: "delivered" });
    expect(more).toEqual([]);
    await shop.sandbox.advance("1d");
    expect(await shop.made()).toEqual([
      [0, "automatic", "failed"],
      [30, "manual", "success"],
    ]);
  });

  test("a manual retry that fails counts as a failure and leaves the retry schedule unchanged [fidelity: Webhooks › Manual retry · Webhooks › Failure counter]", async () => {
    const shop = await startFailingShop();
    const id = await shop.fail();
    await shop.sandbox.advance("30s");
    expect((await shop.retry(id)).body).toMatchObject({ status: "failed", next_attempt_at: null });
    expect((await shop.state()).consecutive_failures).toBe(2);
    expect((await shop.timeline()).planned).toEqual([
      expect.objectContaining({ attempt: 2, due_at: at(60) }),
    ]);
    await shop.sandbox.advance("1d");
    expect(await shop.made()).toEqual([
      [0, "automatic", "failed"],
      [30, "manual", "failed"],
      [60, "automatic", "failed"],
      [660, "automatic", "failed"],
      [4260, "automatic", "failed"],
    ]);
    expect((await shop.state()).consecutive_failures).toBe(5);
  });
});

describe("a manual retry during an automatic attempt", () => {
  async function startRace() {
    const sandbox = await startSandbox();
    const subscriber = await startHeldSubscriber();
    const shop = await startShop(sandbox, subscriber.url);
    await shop.fault({ kind: "status", status: 500, times: 1 });
    const [{ deliveries }] = (await shop.pay()) as [Json];
    const advancing = sandbox.advance("1d");
    await subscriber.arrived(1);
    const retrying = shop.retry(deliveries[0].id);
    await subscriber.arrived(2);
    const [automatic, manual] = subscriber.open;
    return { shop, advancing, retrying, automatic: automatic!, manual: manual!, open: subscriber.open };
  }

  test("a manual retry that succeeds during an automatic attempt ends the retry schedule", async () => {
    const { shop, advancing, retrying, automatic, manual, open } = await startRace();
    manual.answer(200);
    expect((await retrying).body.status).toBe("success");
    automatic.answer(500);
    await advancing;
    expect(open).toHaveLength(2);
    const { planned, counter } = await shop.timeline();
    expect(planned).toEqual([]);
    expect(counter.consecutive_failures).toBe(1);
  });

  test("an automatic attempt that succeeds during a manual retry ends the retry schedule", async () => {
    const { shop, advancing, retrying, automatic, manual, open } = await startRace();
    automatic.answer(200);
    manual.answer(500);
    expect((await retrying).body.status).toBe("failed");
    await advancing;
    expect(open).toHaveLength(2);
    expect((await shop.timeline()).planned).toEqual([]);
  });

  test("if a simultaneous manual retry and automatic attempt both fail, one retry follows, timed from the automatic attempt", async () => {
    const { shop, advancing, retrying, automatic, manual, open } = await startRace();
    manual.answer(500);
    expect((await retrying).body.status).toBe("failed");
    await shop.fault({ kind: "status", status: 500 });
    automatic.answer(500);
    await advancing;
    expect(open).toHaveLength(2);
    const { attempts } = await shop.timeline();
    expect(attempts.map((mark: Json) => [seconds(mark.started_at), mark.trigger])).toEqual([
      [0, "automatic"],
      [60, "automatic"],
      [60, "manual"],
      [660, "automatic"],
      [4260, "automatic"],
    ]);
  });
});

describe("a manual retry after the last automatic attempt", () => {
  test("a manual retry can repeat any failed attempt, and its success resets the failure counter [fidelity: Payments platform › Retries · Webhooks › Failure counter]", async () => {
    const shop = await startFailingShop();
    await shop.fail();
    await shop.sandbox.advance("2h");
    const { attempts } = await shop.timeline();
    const { body } = await shop.retry(attempts[3].delivery_id);
    expect(body).toMatchObject({ status: "failed", trigger: "manual" });
    expect((await shop.state()).consecutive_failures).toBe(5);
    shop.subscriber.answer = 204;
    expect((await shop.retry(body.id)).body).toMatchObject({
      status: "success",
      response_code: 204,
      retry_of: body.id,
    });
    expect((await shop.state()).consecutive_failures).toBe(0);
    await shop.sandbox.advance("1d");
    expect(shop.subscriber.received).toHaveLength(6);
  });
});

describe("manual retries", () => {
  test("a second manual retry is rejected during the first and accepted afterwards [fidelity: Webhooks › Manual retry]", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startHeldSubscriber();
    const shop = await startShop(sandbox, subscriber.url);
    await shop.fault({ kind: "status", status: 500, times: 1 });
    const [{ deliveries }] = (await shop.pay()) as [Json];
    const first = shop.retry(deliveries[0].id);
    await subscriber.arrived(1);
    expect(refused(await shop.retry(deliveries[0].id))).toEqual(NOT_ALLOWED);
    subscriber.open[0]!.answer(500);
    expect((await first).body.status).toBe("failed");
    expect(subscriber.open).toHaveLength(1);

    const third = shop.retry(deliveries[0].id);
    await subscriber.arrived(2);
    subscriber.open[1]!.answer(200);
    expect((await third).body.status).toBe("success");
  });

  test("a manual retry is rejected while the previous one waits for its timeout [fidelity: Time › Paused clock]", async () => {
    const sandbox = await startSandbox({ settleTimeout: 50 });
    const shop = await startShop(sandbox, (await startHangingSubscriber()).url);
    await shop.fault({ kind: "status", status: 500, times: 1 });
    await shop.pay();
    await sandbox.advance(0);
    const deliveries = await sandbox.deliveries(shop.webhook.id);
    const { body } = await shop.retry(deliveries[0].id);
    expect(body).toMatchObject({ status: "pending", trigger: "manual" });
    expect(refused(await shop.retry(deliveries[0].id))).toEqual(NOT_ALLOWED);
    const statusNow = async () =>
      (await sandbox.deliveries(shop.webhook.id)).find(({ id }: Json) => id === body.id).status;
    await sandbox.advance("29999ms");
    expect(await statusNow()).toBe("pending");
    await sandbox.advance("1ms");
    expect(await statusNow()).toBe("failed");
    expect((await shop.retry(deliveries[0].id)).status).toBe(200);
  });

  test("a manual retry is rejected for successful and pending deliveries, tests, failed resends and unknown ids [fidelity: Webhooks › Manual retry · Webhooks › Retry of a test]", async () => {
    const shop = await startFailingShop();
    const other = await startShop(shop.sandbox, (await startSubscriber(200)).url);
    const UNKNOWN = [404, "not_found_error", "resource_not_found"];
    expect(refused(await shop.retry("del_0000000000000000"))).toEqual(UNKNOWN);
    expect(refused(await other.retry(await shop.fail()))).toEqual(UNKNOWN);
    const { body: test } = await shop.test();
    expect(refused(await shop.retry(test.delivery_id))).toEqual(NOT_ALLOWED);
    shop.subscriber.answer = 200;
    const delivered = (await shop.pay())[0].deliveries.find(
      ({ webhook_id: id }: Json) => id === shop.webhook.id,
    ).id;
    expect(refused(await shop.retry(delivered))).toEqual(NOT_ALLOWED);
    shop.subscriber.answer = 500;
    const { body } = await shop.sandbox.control("POST", `/deliveries/${delivered}/resend`);
    expect(body.data).toMatchObject([{ trigger: "resend", status: "failed" }]);
    expect(refused(await shop.retry(body.data[0].id))).toEqual(NOT_ALLOWED);
    await shop.fault({ kind: "timeout" });
    expect(refused(await shop.retry(await shop.fail()))).toEqual(NOT_ALLOWED);
  });
});

describe("a manual retry on a disabled endpoint", () => {
  test("a manual retry on a disabled endpoint is sent, and its success does not enable the endpoint [fidelity: Webhooks › Disabled endpoint]", async () => {
    const shop = await startFailingShop();
    const id = await shop.fail();
    await shop.disable();
    expect((await shop.retry(id)).body.status).toBe("failed");
    shop.subscriber.answer = 200;
    expect((await shop.retry(id)).body.status).toBe("success");
    expect(await shop.state()).toMatchObject({ status: "disabled", consecutive_failures: 0 });
    await shop.sandbox.advance("1d");
    expect(shop.subscriber.received).toHaveLength(3);
  });
});

test("a manual retry that is the tenth failure disables the endpoint and skips each planned retry once", async () => {
  const shop = await startFailingShop();
  const paid = await shop.pay(9);
  expect((await shop.retry(paid[0].deliveries[0].id)).body.status).toBe("failed");
  expect(await shop.state()).toMatchObject({ status: "disabled", consecutive_failures: 10 });
  expect(await shop.sandbox.mail()).toHaveLength(1);
  const skipped = (await shop.sandbox.journal("retry.skipped")).map(({ data }) => data.event_id);
  expect(skipped).toHaveLength(9);
  expect(new Set(skipped).size).toBe(9);
  expect((await shop.timeline()).skipped).toHaveLength(9);
  await shop.retry(paid[1].deliveries[0].id);
  expect(await shop.state()).toMatchObject({ status: "disabled", consecutive_failures: 11 });
  expect(await shop.sandbox.mail()).toHaveLength(1);
  await shop.sandbox.advance("1d");
  expect(shop.subscriber.received).toHaveLength(11);
});
