import { defineScenario } from "sandglass";

export default defineScenario({
  name: "duplicate-delivery",
  title: "The answer to a webhook is lost, and the event comes twice",
  description:
    "A subscriber does its work and answers, but its answer never arrives: a proxy gives up, a connection breaks. To the platform that is a failure like any other, so it sends the event again. The retry has another delivery id; event and data.id stay. A handler that keeps what it handled by those two ships once.",
  seed: "empty",
  params: {
    lost: {
      default: "reset",
      description: "what the platform sees in place of the answer",
      choices: ["reset", "timeout", "status", "truncated"],
    },
  },
  async run({ sandbox, step, expect, params, subscriber, log }) {
    const inbox = sandbox.inbox("shop");

    const { id } = await step(
      "Something between the platform and the shop swallows the next answer",
      async () => {
        await sandbox.payments.createLink({
          name: "Coffee beans, 1 kg",
          short_code: "coffee",
          amount: "18000000",
        });
        const webhook = await sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"] });
        // The shop is really called, but its response is dropped and the fault is recorded instead.
        const fault = params.lost === "status" ? { status: 504 } : { kind: params.lost };
        await sandbox.webhooks.fail(webhook.id, { ...fault, times: 1, passThrough: true });
        return webhook;
      },
    );

    await step("A customer pays: the shop ships, and the platform believes that it failed", async () => {
      await sandbox.payments.pay("coffee", { client_reference_id: "order-1042" });
      if (subscriber === null)
        expect((await inbox.messages()).map(({ answered }) => answered)).toEqual([200]);
      await sandbox.clock.advance("30s");
      const { attempts, planned } = await sandbox.webhooks.timeline(id);
      expect(attempts.map(({ status }) => status)).toEqual(["failed"]);
      expect(planned).toHaveLength(1);
    });

    const requests = await step("The retry delivers the same event again", async () => {
      await sandbox.clock.advance("1h");
      const [second, first, ...more] = await sandbox.webhooks.deliveries(id);
      expect(more).toEqual([]);
      expect(first).toMatchObject({ attempt: 1, status: "failed" });
      expect(second).toMatchObject({ attempt: 2, status: "success", event_id: first!.event_id });
      expect(second!.request_body).toBe(first!.request_body);
      return [first!, second!];
    });

    await step("A handler that trusts in getting each event once ships twice", () => {
      const shipped: string[] = [];
      for (const { request_body: body } of requests) shipped.push(JSON.parse(body).data.id);
      expect(shipped).toHaveLength(2);
    });

    await step("A handler that keeps the delivery ids ships twice, too: each attempt has its own", () => {
      const seen = new Set(requests.map(({ request_headers: headers }) => headers["X-Platform-Delivery-Id"]));
      expect(seen.size).toBe(2);
    });

    await step("A handler that keeps event and data.id ships once", () => {
      const handled = new Set<string>();
      const shipped: string[] = [];
      for (const { request_body: body } of requests) {
        const { event, data } = JSON.parse(body);
        const key = `${event} ${data.id}`;
        // A real shop would insert this into a table with a unique index, in the same transaction that ships the order.
        if (handled.has(key)) continue;
        handled.add(key);
        shipped.push(data.checkoutSession.clientReferenceId);
      }
      expect(shipped).toEqual(["order-1042"]);
      log(`Handled: ${[...handled].join(", ")}.`);
    });
  },
});
