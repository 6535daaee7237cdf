import { describe, expect, test } from "vitest";
import type { Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at, startShop } from "../support/webhooks.ts";

async function startFailingShop(config: Parameters<typeof startSandbox>[0] = {}) {
  const sandbox = await startSandbox(config);
  const subscriber = await startSubscriber(500);
  return { sandbox, subscriber, ...(await startShop(sandbox, subscriber.url)) };
}

describe("the failure counter", () => {
  test("an endpoint stays enabled after nine failures, a success and nine more failures [fidelity: Webhooks › Failure counter]", async () => {
    const shop = await startFailingShop();
    const counter = { consecutive_failures: 0, threshold: 10, counts: "attempts" };
    expect((await shop.timeline()).counter).toEqual(counter);
    await shop.pay(9);
    const timeline = await shop.timeline();
    expect(timeline).toMatchObject({ status: "enabled", counter: { ...counter, consecutive_failures: 9 } });
    shop.subscriber.answer = 200;
    await shop.pay();
    expect((await shop.state()).consecutive_failures).toBe(0);
    shop.subscriber.answer = 500;
    await shop.pay(9);
    expect(await shop.state()).toMatchObject({
      status: "enabled",
      consecutive_failures: 9,
      disabled_at: null,
      disabled_reason: null,
    });
    expect(await shop.sandbox.mail()).toEqual([]);
  });

  test("the failure counter includes all of an endpoint's events and retries, but no test deliveries [fidelity: Webhooks › Failure counter]", async () => {
    const shop = await startFailingShop();
    const other = await shop.sandbox.createWebhook((await startSubscriber(200)).url);
    await shop.pay(2);
    await shop.test();
    shop.subscriber.answer = 200;
    await shop.pay();
    shop.subscriber.answer = 500;
    await shop.pay();
    const { attempts } = await shop.timeline();
    expect(attempts.map((attempt: Json) => attempt.consecutive_failures)).toEqual([1, 2, null, 0, 1]);
    await shop.sandbox.advance("11m");
    expect((await shop.state()).consecutive_failures).toBe(7);
    expect((await shop.sandbox.webhook(other.id)).consecutive_failures).toBe(0);
  });
});

describe("the tenth failure in a row", () => {
  test("the tenth failure in a row disables the endpoint, sends one e-mail and skips every retry [fidelity: Payments platform › Disabling · Webhooks › Disabled endpoint · Simulated › Mail]", async () => {
    const shop = await startFailingShop();
    await shop.pay(10);
    expect(await shop.state()).toMatchObject({
      status: "disabled",
      consecutive_failures: 10,
      disabled_at: at(0),
      disabled_reason: "consecutive_failures",
    });
    const { planned, skipped, forecast } = await shop.timeline();
    expect(planned).toEqual([]);
    expect(forecast).toEqual({ attempts: [], disabled_at: null });
    expect(skipped).toHaveLength(10);
    for (const entry of skipped)
      expect(entry).toMatchObject({ attempt: 2, reason: "endpoint_disabled", at: at(0) });
    expect(await shop.sandbox.journal("retry.skipped")).toHaveLength(10);
    await shop.sandbox.advance("5m");
    const [{ deliveries }] = (await shop.pay()) as [Json];
    expect(deliveries).toEqual([]);
    await shop.sandbox.advance("1d");
    expect(shop.subscriber.received).toHaveLength(10);
    expect((await shop.timeline()).skipped.at(-1)).toMatchObject({
      event: "payment.completed",
      attempt: 1,
      reason: "endpoint_disabled",
      at: at(300),
    });
    const [entry] = await shop.sandbox.journal("delivery.skipped");
    expect(entry!.data).toMatchObject({ webhook_id: shop.webhook.id, reason: "endpoint_disabled" });
    const mail = await shop.sandbox.mail();
    expect(mail).toHaveLength(1);
    expect(mail[0]).toEqual({
      id: expect.stringMatching(/^mail_/),
      organization: expect.stringMatching(/^org_/),
      to: "ines@northlight.example",
      subject: "Webhook endpoint disabled after 10 failed deliveries",
      text: expect.stringContaining(shop.webhook.id),
      webhook_id: shop.webhook.id,
      created_at: at(0),
    });
    expect(mail[0].text).toContain(shop.subscriber.url);
    expect(await shop.sandbox.journal("webhook.disabled")).toHaveLength(1);
  });

  test("the timeline shows an endpoint's changes in journal order", async () => {
    const shop = await startFailingShop();
    const enable = () => shop.sandbox.control("POST", `/webhooks/${shop.webhook.id}/enable`);
    await shop.pay(10);
    await enable();
    await shop.sandbox.control("POST", `/webhooks/${shop.webhook.id}/disable`);
    await enable();
    await shop.pay(10);
    const names = {
      created: "webhook.created",
      disabled: "webhook.disabled",
      mail: "mail.sent",
      enabled: "webhook.enabled",
    };
    const drawn = (await shop.timeline()).changes.map(({ type }: Json) => names[type as keyof typeof names]);
    const written = (await shop.sandbox.journal()).map(({ type }) => type);
    expect(drawn).toEqual(written.filter((type) => Object.values(names).includes(type)));
    expect(drawn).toHaveLength(8);
  });

  test("skipped retries retain their time and reason after later manual retries [fidelity: Webhooks › Disabled endpoint]", async () => {
    const shop = await startFailingShop();
    await shop.pay(10);
    await shop.sandbox.advance("5m");
    const { skipped } = await shop.timeline();
    expect(new Set(skipped.map((one: Json) => one.at))).toEqual(new Set([at(0)]));
    const retryAll = async () => {
      await shop.sandbox.control("POST", "/deliveries/retry", { since: "1h" });
      expect((await shop.timeline()).skipped).toEqual(skipped);
      await shop.sandbox.advance("5m");
    };
    await retryAll();
    await shop.enable();
    await retryAll();
    shop.subscriber.answer = 200;
    await retryAll();
    await shop.sandbox.api("DELETE", `/webhooks/${shop.webhook.id}`);
    expect((await shop.timeline()).skipped).toEqual(skipped);
    const { body } = await shop.sandbox.control("GET", `/payments/${skipped[0].event_id}`);
    const [endpoint] = body.events.find(({ id }: Json) => id === skipped[0].event_id).endpoints;
    expect(endpoint).toMatchObject({ state: "delivered", reason: null });
  });

  test("several failures at the same instant disable the endpoint once", async () => {
    const shop = await startFailingShop();
    await shop.pay(9);
    await shop.sandbox.advance("60s");
    expect(shop.subscriber.received).toHaveLength(18);
    expect(await shop.state()).toMatchObject({ status: "disabled", consecutive_failures: 18 });
    expect(await shop.sandbox.journal("webhook.disabled")).toHaveLength(1);
    const mail = await shop.sandbox.mail();
    expect(mail.map(({ subject }) => subject)).toEqual([
      "Webhook endpoint disabled after 10 failed deliveries",
    ]);
    expect(await shop.sandbox.journal("retry.skipped")).toHaveLength(9);
  });

  test("enabling an endpoint resets its counter to 0 but restores no retries [fidelity: Payments platform › Disabling · Webhooks › Enabled again]", async () => {
    const shop = await startFailingShop();
    await shop.pay(11);
    const answer = await shop.enable();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: "enabled",
      consecutive_failures: 0,
      disabled_at: null,
      disabled_reason: null,
    });
    await shop.sandbox.advance("1d");
    expect(shop.subscriber.received).toHaveLength(10);
    await shop.pay();
    expect((await shop.timeline()).counter.consecutive_failures).toBe(1);
    await shop.pay(8);
    expect((await shop.state()).status).toBe("enabled");
    await shop.pay();
    expect((await shop.state()).status).toBe("disabled");
    expect(await shop.sandbox.mail()).toHaveLength(2);
  });

  test("disabling an endpoint in the dashboard sends no e-mail, records the reason and cannot be done twice", async () => {
    const shop = await startFailingShop();
    const invalid = { status: 409, body: { error: { code: "invalid_state" } } };
    expect(await shop.enable()).toMatchObject(invalid);
    await shop.pay();
    expect((await shop.disable()).status).toBe(200);
    expect(await shop.disable()).toMatchObject(invalid);
    expect(await shop.state()).toMatchObject({ status: "disabled", disabled_reason: "dashboard" });
    expect(await shop.sandbox.mail()).toEqual([]);
    expect((await shop.timeline()).skipped).toMatchObject([{ attempt: 2, reason: "endpoint_disabled" }]);
  });
});

describe("the forecast", () => {
  test.each([
    [2, null, 6],
    [3, 4260, 7],
    [9, 60, 1],
  ])(
    "the forecast for %d failed events predicts when the endpoint is disabled",
    async (events, disabledAt, left) => {
      const shop = await startFailingShop();
      await shop.pay(events);
      const { forecast, attempts } = await shop.timeline();
      expect(forecast.disabled_at).toBe(disabledAt === null ? null : at(disabledAt));
      expect(forecast.attempts).toHaveLength(left);

      const { reached, to } = await shop.sandbox.advance({ until: "webhook.disabled" });
      expect(reached).toBe(disabledAt !== null);
      if (disabledAt !== null) expect(to).toBe(at(disabledAt));
      const made = (await shop.timeline()).attempts.slice(attempts.length, attempts.length + left);
      expect(made.map((mark: Json) => [mark.event_id, mark.attempt, mark.started_at])).toEqual(
        forecast.attempts.map((mark: Json) => [mark.event_id, mark.attempt, mark.due_at]),
      );
    },
  );
});

test("disableAfter sets the number of failures that disable an endpoint, and can count only events that ran out of attempts [fidelity: Webhooks › Failure counter]", async () => {
  const shop = await startFailingShop({
    webhooks: { disableAfter: { consecutive: 2, count: "exhausted" } },
  });
  await shop.pay(2);
  await shop.sandbox.advance("4259s");
  expect((await shop.timeline()).counter.consecutive_failures).toBe(0);
  await shop.sandbox.advance("1s");
  expect(await shop.state()).toMatchObject({ status: "disabled", consecutive_failures: 2 });
  expect(shop.subscriber.received).toHaveLength(8);
});
