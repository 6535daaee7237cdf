import { describe, expect, test } from "vitest";
import type { Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at, seconds, startHangingSubscriber, startShop } from "../support/webhooks.ts";

async function startStory(answer: number) {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber(answer);
  const shop = await startShop(sandbox, subscriber.url);
  return {
    sandbox,
    subscriber,
    ...shop,
    /** Makes a payment and returns the first delivery. */
    deliver: async (): Promise<Json> => (await shop.pay())[0]!.deliveries[0],
    resend: (id: string, body: Json = {}) => sandbox.control("POST", `/deliveries/${id}/resend`, body),
    retryOne: (id: string) => sandbox.control("POST", `/deliveries/${id}/retry`),
    retryFailed: (body: Json = {}) => sandbox.control("POST", "/deliveries/retry", body),
    /** The attempts so far, as `[second, trigger, status]`. */
    made: async () =>
      (await shop.timeline()).attempts.map(({ started_at: start, trigger, status }: Json) => [
        seconds(start),
        trigger,
        status,
      ]),
  };
}

describe("resends", () => {
  test("a resend delivers the same bytes in a new delivery with resend_of [fidelity: Webhooks › Resend]", async () => {
    const story = await startStory(200);
    const { id, event_id: eventId } = await story.deliver();
    await story.sandbox.advance("30s");
    const { status, body } = await story.resend(id);
    expect(status).toBe(200);
    const [again, ...others] = body.data;
    expect(others).toEqual([]);
    expect(again).toMatchObject({
      trigger: "resend",
      resend_of: id,
      retry_of: null,
      event_id: eventId,
      attempt: 1,
      status: "success",
      created_at: at(30),
    });
    expect(again.id).not.toBe(id);
    const [first, second] = story.subscriber.received;
    expect(second!.body).toBe(first!.body);
    expect(second!.headers["x-platform-delivery-id"]).toBe(again.id);
    const [entry] = await story.sandbox.journal("delivery.resent");
    expect(entry!.data).toMatchObject({ id: again.id, resend_of: id, event_id: eventId });
  });

  test("a resend changes neither the failure counter nor the retry schedule, and is never retried", async () => {
    const story = await startStory(500);
    const first = await story.deliver();
    await story.sandbox.advance("30s");
    story.subscriber.answer = 200;
    await story.retry(first.id);
    story.subscriber.answer = 500;
    await story.deliver();
    const before = await story.timeline();
    expect((await story.resend(first.event_id)).body.data).toMatchObject([
      { trigger: "resend", status: "failed", next_attempt_at: null },
    ]);
    const after = await story.timeline();
    expect(after.planned).toEqual(before.planned);
    expect(after.counter).toEqual(before.counter);
    story.subscriber.answer = 200;
    await story.resend(first.event_id);
    expect((await story.timeline()).counter).toEqual(before.counter);
    story.subscriber.answer = 500;
    const [resent] = after.attempts.filter(({ trigger }: Json) => trigger === "resend");
    expect(resent.consecutive_failures).toBeNull();
    await story.sandbox.advance("1d");
    expect((await story.made()).filter(([, trigger]: Json) => trigger === "resend")).toHaveLength(2);
    const retried = await story.retry(resent.delivery_id);
    expect(retried.body.error.message).toBe("A resend is not retried; resend the event again instead.");
    expect((await story.resend(resent.delivery_id)).body.data).toMatchObject([
      { resend_of: resent.delivery_id },
    ]);
  });

  test("a resend that times out changes neither the failure counter nor the retry schedule", async () => {
    const sandbox = await startSandbox({ settleTimeout: "200ms" });
    const hanging = await startHangingSubscriber();
    const shop = await startShop(sandbox, hanging.url);
    await shop.fault({ status: 200, times: 1 });
    const [paid] = await shop.pay();
    const { body } = await sandbox.control("POST", `/deliveries/${paid!.deliveries[0].id}/resend`, {});
    expect(body.data).toMatchObject([{ status: "pending", trigger: "resend" }]);
    await sandbox.advance("1m");
    const { attempts, counter, planned } = await shop.timeline();
    expect(attempts.at(-1)).toMatchObject({ trigger: "resend", status: "failed", error: "timeout" });
    expect([counter.consecutive_failures, planned]).toEqual([0, []]);
  });

  test("resending an event reaches all its endpoints or only a given one, and resending a delivery reaches only its own endpoint", async () => {
    const story = await startStory(200);
    const other = await startSubscriber(200);
    const second = await story.sandbox.createWebhook(other.url, { events: ["payment.completed"] });
    const { event_id: eventId } = await story.deliver();
    const { data } = (await story.resend(eventId)).body;
    expect(data.map(({ webhook_id: id }: Json) => id)).toEqual([story.webhook.id, second.id]);
    const one = await story.resend(eventId, { webhook_id: second.id });
    expect(one.body.data).toMatchObject([{ webhook_id: second.id }]);
    expect([story.subscriber.received.length, other.received.length]).toEqual([2, 3]);
    const wrong = await story.resend(data[0].id, { webhook_id: second.id });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, "bad_request"]);
  });

  test("undelivered events, tests and unknown ids cannot be resent", async () => {
    const story = await startStory(500);
    const failed = await story.deliver();
    story.subscriber.answer = 200;
    const test = (await story.test()).body;
    const { event_id: testEvent } = (await story.sandbox.deliveries(story.webhook.id)).at(-1)!;
    for (const [id, message] of [
      [failed.id, `The delivery ${failed.id} is failed, so there is nothing to resend.`],
      [failed.event_id, `The event ${failed.event_id} was not delivered.`],
      [test.delivery_id, `The delivery ${test.delivery_id} is a test, and tests cannot be resent.`],
      [testEvent, `The event ${testEvent} was not delivered.`],
      ["del_none", "There is no delivery del_none."],
    ] as const) {
      const { status, body } = await story.resend(id);
      expect([status, body.error.message]).toEqual([id === "del_none" ? 404 : 409, message]);
      expect(body.error.hint).not.toBe("");
    }
  });
});

describe("retrying everything that failed", () => {
  test("POST /deliveries/retry makes one attempt for each undelivered event, oldest first [fidelity: Webhooks › Retry of all]", async () => {
    const story = await startStory(500);
    const first = await story.deliver();
    const second = await story.deliver();
    const arrived = await story.deliver();
    await story.sandbox.advance("5s");
    story.subscriber.answer = 200;
    await story.retry(arrived.id);
    const { body } = await story.retryFailed({ since: "2h" });
    expect(body).toMatchObject({
      since: expect.any(String),
      retried: 2,
      succeeded: 2,
      failed: 0,
      pending: 0,
    });
    expect(body.data).toMatchObject([
      { trigger: "manual", retry_of: first.id, event_id: first.event_id },
      { trigger: "manual", retry_of: second.id, event_id: second.event_id },
    ]);
    expect((await story.timeline()).planned).toEqual([]);
    expect((await story.retryFailed()).body).toMatchObject({ retried: 0, data: [] });
  });

  test("POST /deliveries/retry repeats the latest failed attempt and counts as a manual retry", async () => {
    const story = await startStory(500);
    const { event_id: eventId } = await story.deliver();
    await story.sandbox.advance("2m");
    const latest = (await story.timeline()).attempts.at(-1);
    const { body } = await story.retryFailed();
    expect(body).toMatchObject({ retried: 1, failed: 1 });
    expect(body.data).toMatchObject([{ event_id: eventId, retry_of: latest.delivery_id, attempt: 2 }]);
    expect((await story.state()).consecutive_failures).toBe(3);
    expect((await story.timeline()).planned).toMatchObject([{ attempt: 3 }]);
  });

  test("POST /deliveries/retry respects since and webhook_id", async () => {
    const story = await startStory(500);
    const gone = await startSubscriber(500);
    const other = await story.sandbox.createWebhook(gone.url, { events: ["payment.completed"] });
    await story.deliver();
    await story.sandbox.advance("2d");
    expect((await story.retryFailed({ since: "1h" })).body.retried).toBe(0);
    expect((await story.retryFailed({ since: at(0), webhook_id: other.id })).body.data).toMatchObject([
      { webhook_id: other.id },
    ]);
    await story.sandbox.api("DELETE", `/webhooks/${other.id}`);
    expect((await story.retryFailed({ since: "9d" })).body.data).toMatchObject([
      { webhook_id: story.webhook.id },
    ]);
    const wrong = await story.retryFailed({ since: "3x" });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, "invalid_duration"]);
    expect((await story.retryFailed({ webhook_id: "wh_none" })).status).toBe(404);
  });

  test("POST /deliveries/retry skips test deliveries and manual resends", async () => {
    const story = await startStory(500);
    await story.test();
    story.subscriber.answer = 200;
    const delivered = await story.deliver();
    story.subscriber.answer = 500;
    await story.resend(delivered.id);
    expect((await story.retryFailed()).body.retried).toBe(0);
  });
});

test("retrying a single delivery counts as the platform's manual retry, and is rejected after a success", async () => {
  const story = await startStory(500);
  const { id } = await story.deliver();
  story.subscriber.answer = 200;
  const { body } = await story.retryOne(id);
  expect(body).toMatchObject({ trigger: "manual", retry_of: id, resend_of: null, status: "success" });
  const refused = await story.retryOne(body.id);
  expect([refused.status, refused.body.error.message]).toEqual([
    409,
    `The delivery ${body.id} succeeded, so there is nothing to retry.`,
  ]);
  expect(refused.body.error.hint).toContain(`/_sandbox/deliveries/${body.id}/resend`);
});
