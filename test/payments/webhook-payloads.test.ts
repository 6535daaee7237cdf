import { describe, expect, test } from "vitest";
import { type Json, RECIPIENT, startSandbox, TOKEN } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at } from "../support/webhooks.ts";

const SENDER = "0x2222222222222222222222222222222222222222";

/** Starts a sandbox with one endpoint. `bodies` returns the payloads that it has received, in order. */
async function startListening(events: string[] = ["*"], config: Parameters<typeof startSandbox>[0] = {}) {
  const sandbox = await startSandbox(config);
  const subscriber = await startSubscriber(200);
  const webhook = await sandbox.createWebhook(subscriber.url, { events });
  const link = await sandbox.createLink({
    token_address: TOKEN,
    recipient_address: RECIPIENT,
    chain_id: 8453,
  });
  /** The payloads in the order in which they arrived. */
  const bodies = (): Json[] => subscriber.received.map(({ body }) => JSON.parse(body));
  return { sandbox, subscriber, webhook, link, bodies };
}

const text = expect.stringMatching(/\S/);
const WHOLE_FORM = {
  email: expect.stringMatching(/^[\w.]+@example\.(?:com|net|org)$/),
  shipping_address: { line1: text, city: text, state: text, zip: text },
};

const NO_PAYER = { clientReferenceId: null, metadata: {}, customerEmail: null, customerName: null };

const eventsOf = (bodies: Json[]): string[] => bodies.map(({ event }) => event);

describe("payment.completed", () => {
  test("payment.completed has the contract's fields, with the payer's input in the checkoutSession block [fidelity: Payments platform › Payload · Webhooks › Null in payments]", async () => {
    const { sandbox, webhook, link, bodies } = await startListening(["payment.completed"]);
    const { transaction } = await sandbox.pay({
      payment_link_id: link.id,
      sender_address: SENDER,
      client_reference_id: "order_42",
      metadata: { cart: "7", gift: "yes" },
      customer_email: "ada@example.com",
      customer_name: "Ada",
      form_data: {
        shipping_address: { line1: "1 Main Street", city: "Springfield", state: "OR", zip: "97477" },
      },
    });
    expect(bodies()).toEqual([
      {
        event: "payment.completed",
        webhook_id: webhook.id,
        timestamp: at(0),
        data: {
          id: transaction.id,
          payment_link_id: link.id,
          amount: "2500000",
          token_address: TOKEN,
          chain_id: 8453,
          sender_address: SENDER,
          recipient_address: RECIPIENT,
          tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          status: "completed",
          form_data: {
            email: "ada@example.com",
            shipping_address: { line1: "1 Main Street", city: "Springfield", state: "OR", zip: "97477" },
          },
          discount_code: null,
          created_at: at(0),
          completed_at: at(0),
          checkoutSession: {
            clientReferenceId: "order_42",
            metadata: { cart: "7", gift: "yes" },
            customerEmail: "ada@example.com",
            customerName: "Ada",
          },
        },
      },
    ]);
  });

  test("payment.completed has a checkoutSession block even without input from the payer [fidelity: Payments platform › Payload · Webhooks › checkoutSession · Webhooks › Null in payments · Simulated › form_data]", async () => {
    const { sandbox, link, bodies } = await startListening(["payment.completed"]);
    const pay = async (fields: Json): Promise<Json> => {
      await sandbox.pay(fields);
      return bodies().at(-1).data;
    };
    const nothing = await pay({ payment_link_id: link.id });
    expect(nothing.checkoutSession).toEqual(NO_PAYER);
    expect(nothing.form_data).toEqual(WHOLE_FORM);

    const session = await sandbox.openSession({
      client_reference_id: "ref-1",
      metadata: { a: "b" },
      customer_email: "bob@example.com",
      customer_name: "Bob",
    });
    expect(await pay({ session_id: session.id })).toMatchObject({
      payment_link_id: null,
      amount: "1000",
      checkoutSession: {
        clientReferenceId: "ref-1",
        metadata: { a: "b" },
        customerEmail: "bob@example.com",
        customerName: "Bob",
      },
    });

    const line1 = "1 Main Street";
    const shipped = { size: "M", shipping_address: { line1, line2: "Flat 4" } };
    expect((await pay({ payment_link_id: link.id, form_data: shipped })).form_data).toEqual({
      ...WHOLE_FORM,
      size: "M",
      shipping_address: { ...WHOLE_FORM.shipping_address, line1, line2: "Flat 4" },
    });
    const email = { customer_email: "ada@example.com", form_data: { email: "bob@example.com" } };
    expect((await pay({ payment_link_id: link.id, ...email })).form_data).toEqual({
      ...WHOLE_FORM,
      email: "bob@example.com",
    });

    const half = { code: "HALF", discount_type: "percentage", discount_value: 50 };
    expect((await sandbox.api("POST", "/discount-codes", { body: half })).status).toBe(201);
    expect(await pay({ payment_link_id: link.id, discount_code: "HALF" })).toMatchObject({
      discount_code: "HALF",
      amount: "1250000",
    });
  });

  test("payment.completed is sent when the payment is confirmed, and contains the times of creation and completion", async () => {
    const { sandbox, link, bodies } = await startListening(["payment.completed"], {
      payments: { confirmationDelay: "20s" },
    });
    await sandbox.pay({ payment_link_id: link.id });
    expect(bodies()).toEqual([]);
    await sandbox.advance("20s");
    expect(bodies()[0]).toMatchObject({
      timestamp: at(20),
      data: { created_at: at(0), completed_at: at(20), status: "completed" },
    });
  });
});

describe("payment.failed", () => {
  test("payment.failed contains the requested reason, or the one implied by the sender's address [fidelity: Webhooks › payment.failed · Webhooks › checkoutSession · Webhooks › Null in payments]", async () => {
    const { sandbox, link, bodies } = await startListening();
    const senderOf = (ending: string) => ({ sender_address: `0x${"1".repeat(36)}${ending}` });
    const cases: [Record<string, unknown>, string][] = [
      ...["reverted", "timed_out", "insufficient_funds", "rejected"].map(
        (reason): [Record<string, unknown>, string] => [
          { outcome: "failed", failure_reason: reason },
          reason,
        ],
      ),
      [senderOf("0bad"), "timed_out"],
      [senderOf("beef"), "insufficient_funds"],
      [senderOf("DEAD"), "reverted"],
    ];
    for (const [fields] of cases) await sandbox.pay({ payment_link_id: link.id, ...fields });
    const sent = bodies();
    expect(eventsOf(sent)).toEqual(cases.map(() => "payment.failed"));
    for (const [index, [, reason]] of cases.entries())
      expect(sent[index].data).toMatchObject({
        status: "failed",
        failure_reason: reason,
        completed_at: null,
        form_data: WHOLE_FORM,
        checkoutSession: NO_PAYER,
      });
    expect(sent.at(-1).data.sender_address).toBe(`0x${"1".repeat(36)}dead`);
  });

  test("a session stays active after payment.failed, and a second payment completes it", async () => {
    const { sandbox, bodies } = await startListening();
    const session = await sandbox.openSession();
    await sandbox.pay({ session_id: session.id, outcome: "failed" });
    await sandbox.pay({ session_id: session.id });
    expect(eventsOf(bodies())).toEqual(["payment.failed", "payment.completed", "checkout.completed"]);
  });
});

describe("checkout events", () => {
  test("checkout.completed follows payment.completed and contains the session [fidelity: Webhooks › Order · Webhooks › checkout.*]", async () => {
    const { sandbox, link, bodies } = await startListening();
    const { transaction, session } = await sandbox.pay({
      payment_link_id: link.id,
      client_reference_id: "order_9",
    });
    const sent = bodies();
    expect(eventsOf(sent)).toEqual(["payment.completed", "checkout.completed"]);
    expect(sent[1].data).toEqual(session);
    expect(sent[1].data).toMatchObject({
      object: "checkout_session",
      status: "completed",
      transaction_id: transaction.id,
      client_reference_id: "order_9",
      completed_at: at(0),
    });
  });

  test.each([
    ["on time", 300],
    ["on request", 10],
  ])(
    "checkout.expired contains the session that expired %s [fidelity: Webhooks › checkout.*]",
    async (how, second) => {
      const { sandbox, bodies } = await startListening();
      const session = await sandbox.openSession({ expires_in: 300, metadata: { k: "v" } });
      await sandbox.advance(`${second}s`);
      if (how === "on request") await sandbox.api("POST", `/checkout-sessions/${session.id}/expire`);
      await sandbox.advance(0);
      const sent = bodies();
      expect(eventsOf(sent)).toEqual(["checkout.expired"]);
      expect(sent[0]).toMatchObject({
        timestamp: at(second),
        data: { id: session.id, status: "expired", expired_at: at(second), metadata: { k: "v" }, url: null },
      });
      expect(sent[0].data).toEqual((await sandbox.api("GET", `/checkout-sessions/${session.id}`)).body);
    },
  );
});

describe("subscriptions", () => {
  const everything = ["payment.failed", "payment.completed", "checkout.completed", "checkout.expired"];
  test("each endpoint gets exactly the events that it subscribes to, with its own id in the body [fidelity: Payments platform › Webhook events]", async () => {
    const { sandbox, subscriber, link } = await startListening(["checkout.completed"]);
    const asked: [string[] | undefined, string[]][] = [
      [["*"], everything],
      [undefined, everything],
      [everything, everything],
      [["checkout.completed"], ["checkout.completed"]],
      [
        ["payment.failed", "checkout.expired"],
        ["payment.failed", "checkout.expired"],
      ],
    ];
    const ids: string[] = [];
    for (const [events] of asked) ids.push((await sandbox.createWebhook(subscriber.url, { events })).id);
    const other = await startSubscriber(200);
    const body = { url: other.url };
    expect((await sandbox.api("POST", "/webhooks", { key: sandbox.keys.other, body })).status).toBe(201);
    const session = await sandbox.openSession({ expires_in: 600 });
    await sandbox.pay({ session_id: session.id, outcome: "failed" });
    await sandbox.pay({ payment_link_id: link.id });
    await sandbox.advance("1h");
    const sent: Json[] = subscriber.received.map((request) => JSON.parse(request.body));
    for (const [index, [, expected]] of asked.entries())
      expect(eventsOf(sent.filter(({ webhook_id: id }) => id === ids[index]))).toEqual(expected);
    expect(other.received).toHaveLength(0);
  });

  test("a change to an endpoint's events applies from the next event on", async () => {
    const { sandbox, webhook, link, bodies } = await startListening(["payment.completed"]);
    await sandbox.pay({ payment_link_id: link.id });
    await sandbox.api("PATCH", `/webhooks/${webhook.id}`, { body: { events: ["checkout.completed"] } });
    await sandbox.pay({ payment_link_id: link.id });
    expect(eventsOf(bodies())).toEqual(["payment.completed", "checkout.completed"]);
  });
});
