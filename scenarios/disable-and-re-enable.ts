import { defineScenario } from "sandglass";

export default defineScenario({
  name: "disable-and-re-enable",
  title: "Ten failures in a row switch a webhook off; its owner brings it back",
  description:
    "Failed attempts add up over all events of an endpoint. The tenth in a row disables it: its owner gets one e-mail, planned retries are skipped, and new events are not sent at all. Enabling it starts the counter anew and brings nothing back; what was missed is retried by hand, or looked up.",
  seed: "empty",
  async run({ sandbox, step, expect }) {
    const inbox = sandbox.inbox("shop");
    const pay = async (order: string) => {
      const { transaction } = await sandbox.payments.pay("coffee", { client_reference_id: order });
      return transaction;
    };

    const { id } = await step("After a deployment, a shop's webhook handler answers 500", async () => {
      await sandbox.payments.createLink({
        name: "Coffee beans, 1 kg",
        short_code: "coffee",
        amount: "18000000",
      });
      const webhook = await sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"] });
      await sandbox.webhooks.fail(webhook.id, { kind: "status", status: 500 });
      return webhook;
    });

    const foretold = await step(
      "Three customers pay within a quarter of an hour; seven attempts fail",
      async () => {
        await pay("order-1");
        await sandbox.clock.advance("5m");
        await pay("order-2");
        await sandbox.clock.advance("9m");
        await pay("order-3");
        await sandbox.clock.advance("1m");
        const { counter, planned, forecast } = await sandbox.webhooks.timeline(id);
        expect(counter).toMatchObject({ consecutive_failures: 7, threshold: 10 });
        expect(planned).toHaveLength(3);
        return forecast.disabled_at;
      },
    );

    await step(
      "The shop stays down. The tenth failure disables the endpoint, when the timeline said it would",
      async () => {
        const { to, reached } = await sandbox.clock.advance({ until: "webhook.disabled" });
        expect(reached).toBe(true);
        expect(to).toBe(foretold);
        const { status, attempts, skipped } = await sandbox.webhooks.timeline(id);
        expect(status).toBe("disabled");
        expect(attempts).toHaveLength(10);
        expect(skipped.map(({ reason }) => reason)).toEqual(["endpoint_disabled", "endpoint_disabled"]);
      },
    );

    await step("The owner gets one e-mail", async () => {
      const mail = await sandbox.mail();
      expect(mail).toHaveLength(1);
      expect(mail[0]!.subject).toContain("disabled after 10 failed deliveries");
    });

    const unsent = await step("The next payment is not announced at all", async () => {
      const paid = await pay("order-4");
      await sandbox.clock.advance("1d");
      expect((await sandbox.webhooks.timeline(id)).attempts).toHaveLength(10);
      return paid;
    });

    await step(
      "The handler is fixed. A test delivery gets through, though the webhook is still disabled",
      async () => {
        await sandbox.webhooks.work(id);
        expect(await sandbox.webhooks.test(id)).toMatchObject({ success: true });
        expect(await sandbox.webhooks.timeline(id)).toMatchObject({
          status: "disabled",
          counter: { consecutive_failures: 10 },
        });
      },
    );

    await step("Enabling it sets the counter to 0, and brings nothing back", async () => {
      await sandbox.webhooks.enable(id);
      await sandbox.clock.advance("1d");
      const { status, counter, planned, attempts } = await sandbox.webhooks.timeline(id);
      expect(status).toBe("enabled");
      expect(counter.consecutive_failures).toBe(0);
      expect(planned).toEqual([]);
      expect(attempts.filter(({ trigger }) => trigger === "automatic")).toHaveLength(10);
    });

    await step(
      "What was tried is retried by hand; what was not is found in the list of payments",
      async () => {
        const failed = (await sandbox.webhooks.deliveries(id)).filter(({ status }) => status === "failed");
        const lastOfEach = new Map(failed.reverse().map((delivery) => [delivery.event_id, delivery.id]));
        for (const delivery of lastOfEach.values())
          expect((await sandbox.webhooks.retry(id, delivery)).status).toBe("success");
        const told = (await inbox.messages())
          .filter(({ headers }) => headers["x-platform-test"] === undefined)
          .map(({ body }) => JSON.parse(body).data.checkoutSession.clientReferenceId);
        expect(told).toEqual(["order-1", "order-2", "order-3"]);
        const { data } = await sandbox.platform.call<{ data: { id: string }[] }>("GET", "/transactions");
        expect(data.map((one) => one.id)).toContain(unsent.id);
      },
    );
  },
});
