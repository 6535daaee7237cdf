import { describe, expect, expectTypeOf, test } from "vitest";
import { createSandbox, readWebhook, type WebhookEvent, type WebhookHeaders } from "../../src/index.ts";
import type { EVENTS, EventType } from "../../src/payments/webhooks/event-types.ts";
import { sign } from "../../src/payments/webhooks/signature.ts";

const SECRET = "whsec_test";
const signed = (body: string) => ({ "x-platform-signature": sign(body, SECRET) });

async function receivedOf(play: "pay" | "fail" | "expire") {
  await using sandbox = await createSandbox({ port: false });
  const inbox = sandbox.inbox("shop");
  const { secret } = await sandbox.webhooks.create(inbox.url);
  if (play === "expire") await sandbox.payments.expire((await sandbox.payments.openSession("coffee")).id);
  else await sandbox.payments.pay("coffee", play === "fail" ? { outcome: "failed" } : {});
  return (await inbox.messages()).map(({ body, headers }) => readWebhook(body, headers, secret));
}

describe("readWebhook", () => {
  test("readWebhook returns the events payment.completed and checkout.completed as sent", async () => {
    const events = await receivedOf("pay");
    expect(events.map(({ event }) => event)).toEqual(["payment.completed", "checkout.completed"]);
    const [paid] = events;
    if (paid?.event !== "payment.completed") throw new Error("not a payment");
    expect(paid.data.checkoutSession).toHaveProperty("clientReferenceId");
  });

  test.each(["fail", "expire"] as const)("readWebhook returns the event for the outcome %s", async (play) => {
    const [message] = await receivedOf(play);
    if (message?.event === "payment.failed") expect(message.data.failure_reason).toBe("reverted");
    else expect(message).toMatchObject({ event: "checkout.expired", data: { status: "expired" } });
  });

  test("readWebhook accepts bytes, Fetch headers, a different prefix and an unknown event type", () => {
    const body = JSON.stringify({
      event: "payment.refunded",
      webhook_id: "wh_1",
      timestamp: "now",
      data: {},
    });
    expect(readWebhook(Buffer.from(body), new Headers(signed(body)), SECRET).event).toBe("payment.refunded");
    const headers = { "X-Acme-Signature": [sign(body, SECRET)] };
    expect(readWebhook(body, headers, SECRET, { headerPrefix: "X-Acme-" }).event).toBe("payment.refunded");
  });
});

describe("requests that readWebhook rejects", () => {
  const event = '{"event":"payment.completed","webhook_id":"wh_1","timestamp":"now","data":{}}';
  const without = event.replace('"data":{}', '"data":null');
  const twice = Object.values(signed(event));
  test.each<[string, string, WebhookHeaders, number, string]>([
    ["no signature", event, {}, 401, "The request has no X-Platform-Signature header."],
    ["an invalid signature", event, { "X-Platform-Signature": "abc" }, 401, "not 'abc'"],
    ["another body", `${event} `, signed(event), 401, "X-Platform-Signature does not match the body."],
    ["a body that is not JSON", "{", signed("{"), 400, "The signed body is not JSON."],
    ["a body that is not an event", "[]", signed("[]"), 400, "lacks event, webhook_id, timestamp or data"],
    [
      "an event whose data is null",
      without,
      signed(without),
      400,
      "lacks event, webhook_id, timestamp or data",
    ],
    ["a null body", "null", signed("null"), 400, "lacks event, webhook_id, timestamp or data"],
    ["two signatures", event, { "x-platform-signature": [...twice, ...twice] }, 401, `not '${twice}, `],
  ])("readWebhook rejects a request with %s", (_what, body, headers, status, message) => {
    expect(() => readWebhook(body, headers, SECRET)).toThrow(
      expect.objectContaining({ status, message: expect.stringContaining(message) }),
    );
  });
});

test("the published type of every event has exactly the fields that are sent", () => {
  type Published = { [Type in EventType]: keyof Extract<WebhookEvent, { event: Type }>["data"] };
  type Sent = { [Type in EventType]: keyof ReturnType<(typeof EVENTS)[Type]["data"]> };
  expectTypeOf<Sent>().toEqualTypeOf<Published>();
});
