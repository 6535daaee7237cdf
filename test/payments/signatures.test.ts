import { createHmac } from "node:crypto";
import { verify } from "@octokit/webhooks-methods";
import { describe, expect, test } from "vitest";
import { verifySignature } from "../../src/index.ts";
import { sign } from "../../src/payments/webhooks/signature.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at, startShop } from "../support/webhooks.ts";

async function startFailingShop(webhooks: NonNullable<Parameters<typeof startSandbox>[0]>["webhooks"] = {}) {
  const sandbox = await startSandbox({ webhooks: { ...webhooks } });
  const subscriber = await startSubscriber(500);
  return { sandbox, subscriber, ...(await startShop(sandbox, subscriber.url)) };
}

const header = (shop: { subscriber: { received: { headers: Record<string, unknown> }[] } }, name: string) =>
  shop.subscriber.received.map(({ headers }) => headers[name]);

describe("delivery headers", () => {
  test("a delivery has six platform headers, and a test delivery has a seventh [fidelity: Payments platform › Headers]", async () => {
    const shop = await startFailingShop();
    const [{ deliveries }] = await shop.pay();
    await shop.test();
    const [real, trial] = shop.subscriber.received;
    expect(real!.method).toBe("POST");
    expect(real!.headers).toMatchObject({
      "content-type": "application/json",
      "x-platform-signature": expect.stringMatching(/^[0-9a-f]{64}$/),
      "x-platform-webhook-id": shop.webhook.id,
      "x-platform-delivery-id": deliveries[0].id,
      "x-platform-event": "payment.completed",
      "x-platform-timestamp": at(0),
    });
    expect(real!.headers["x-platform-test"]).toBeUndefined();
    expect(trial!.headers["x-platform-test"]).toBe("true");
  });

  test("attempts of an event have different delivery ids and virtual timestamps, but identical bodies [fidelity: Webhooks › Delivery records · Webhooks › Bytes]", async () => {
    const shop = await startFailingShop();
    await shop.pay();
    await shop.sandbox.advance("2h");
    expect(header(shop, "x-platform-timestamp")).toEqual([at(0), at(60), at(660), at(4260)]);
    expect(new Set(shop.subscriber.received.map(({ body }) => body)).size).toBe(1);
    const { headers, body } = shop.subscriber.received[0]!;
    expect(JSON.parse(body).timestamp).toBe(at(0));
    const ids = header(shop, "x-platform-delivery-id");
    expect(new Set(ids).size).toBe(4);
    const records = await shop.sandbox.deliveries(shop.webhook.id);
    expect(records.map(({ id }) => id)).toEqual(ids);
    expect(records[0].request_body).toBe(body);
    for (const [name, value] of Object.entries(records[0].request_headers))
      expect(headers[name.toLowerCase()]).toBe(value);
  });

  test('deliveryId "event" gives all attempts of an event the same delivery id [fidelity: Webhooks › Delivery records]', async () => {
    const shop = await startFailingShop({ deliveryId: "event" });
    const [first] = await shop.pay();
    await shop.retry(first.deliveries[0].id);
    await shop.sandbox.advance("2h");
    await shop.pay();
    const ids = header(shop, "x-platform-delivery-id");
    expect(new Set(ids.slice(0, 5))).toEqual(new Set([first.deliveries[0].id]));
    expect(ids[5]).not.toBe(ids[0]);
  });

  test("headerPrefix renames the delivery headers, and the built-in inbox recognizes them [fidelity: Webhooks › Header names]", async () => {
    const sandbox = await startSandbox({ webhooks: { headerPrefix: "Acme-" } });
    const subscriber = await startSubscriber(200);
    await startShop(sandbox, subscriber.url);
    const shop = await startShop(sandbox, `${sandbox.url}/_sandbox/inbox/shop`);
    await shop.pay();
    await shop.test();
    const { headers } = subscriber.received[0]!;
    for (const name of ["signature", "webhook-id", "delivery-id", "event", "timestamp"])
      expect(headers[`acme-${name}`]).toEqual(expect.any(String));
    expect(Object.keys(headers).filter((name) => name.startsWith("x-platform-"))).toEqual([]);
    const { body } = await sandbox.control("GET", "/inbox/shop");
    expect(body.data.map((message: { signature: string }) => message.signature)).toEqual(["valid", "valid"]);
    expect(body.data[1].headers["acme-test"]).toBe("true");
  });
});

describe("signatures", () => {
  test("a signature is the HMAC-SHA256 of the raw bytes, keyed with the endpoint's secret [fidelity: Payments platform › Signature · Webhooks › Secret]", async () => {
    const shop = await startFailingShop();
    const other = await startShop(shop.sandbox, shop.subscriber.url);
    expect(other.webhook.secret).not.toBe(shop.webhook.secret);
    await shop.sandbox.pay({
      payment_link_id: shop.link.id,
      customer_name: "Zoë Ωmega 🫖",
      metadata: { note: 'a "quoted" line\nand \\ more  ' },
    });
    await shop.sandbox.advance("2h");
    await shop.test();
    expect(shop.webhook.secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(shop.subscriber.received).toHaveLength(9);
    for (const { headers, body } of shop.subscriber.received) {
      const signature = String(headers["x-platform-signature"]);
      const bytes = Buffer.from(body);
      const isOther = headers["x-platform-webhook-id"] === other.webhook.id;
      const [own, wrong] = isOther ? [other, shop] : [shop, other];
      const { secret } = own.webhook;
      expect(createHmac("sha256", secret).update(bytes).digest("hex")).toBe(signature);
      expect(await verify(secret, body, `sha256=${signature}`)).toBe(true);
      expect(await verify(secret, `${body} `, `sha256=${signature}`)).toBe(false);
      expect(verifySignature(bytes, signature, secret)).toBe(true);
      expect(verifySignature(bytes, signature, wrong.webhook.secret)).toBe(false);
    }
  });

  // The test cases from RFC 4231, "Identifiers and Test Vectors for HMAC-SHA-…", whose keys are text.
  test.each([
    [1, "\x0b".repeat(20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
    [
      2,
      "Jefe",
      "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
    [
      4,
      String.fromCharCode(...Array.from({ length: 25 }, (_, index) => index + 1)),
      new Uint8Array(50).fill(0xcd),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ],
  ])("a signature matches test case %d of RFC 4231", (_case, key, data, digest) => {
    expect(sign(data, key)).toBe(digest);
    expect(verifySignature(data, digest, key)).toBe(true);
    expect(verifySignature(data, digest.toUpperCase(), key)).toBe(true);
  });

  test.each([
    undefined,
    null,
    "",
    "b0344c61",
    "sha256=b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    "z".repeat(64),
    sign("other", "secret"),
    sign("body", "other"),
  ])("the signature %j is rejected", (signature) => {
    expect(verifySignature("body", signature, "secret")).toBe(false);
  });
});
