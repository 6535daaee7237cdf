import { defineScenario, verifySignature } from "sandglass";

export default defineScenario({
  name: "payment-end-to-end",
  title: "A customer pays, and the shop hears of it once it is sure",
  description:
    "An order from its checkout to its webhooks. The shop's own reference goes into the checkout session and comes back in every event. A payment is announced when it is confirmed, not when it is sent: here that takes two minutes.",
  seed: "empty",
  config: { payments: { confirmationDelay: "2m" } },
  async run({ sandbox, step, expect }) {
    const inbox = sandbox.inbox("shop");

    const webhook = await step("The shop sells coffee by a payment link, and takes webhooks", async () => {
      await sandbox.payments.createLink({
        name: "Coffee beans, 1 kg",
        short_code: "coffee",
        amount: "18000000",
      });
      return sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed", "checkout.completed"] });
    });

    const session = await step(
      "A customer opens its checkout, which carries the order's number",
      async () => {
        const opened = await sandbox.payments.openSession("coffee", {
          client_reference_id: "order-1042",
          metadata: { gift: "yes" },
          customer_email: "ada@example.com",
        });
        expect(opened).toMatchObject({ status: "active", amount: "18000000" });
        expect(opened.expires_at).toBe("2026-01-15T09:30:00.000Z");
        return opened;
      },
    );

    const transaction = await step(
      "She pays; nothing is announced, as the chain has not confirmed it",
      async () => {
        const paid = await sandbox.payments.pay(session.id);
        expect(paid.transaction.status).toBe("pending");
        expect(paid.session.status).toBe("active");
        expect(await inbox.messages()).toEqual([]);
        return paid.transaction;
      },
    );

    await step("A minute later it is confirming, another minute later it is completed", async () => {
      await sandbox.clock.advance("1m");
      expect(await sandbox.payments.transaction(transaction.id)).toMatchObject({ status: "confirming" });
      await sandbox.clock.advance("1m");
      expect(await sandbox.payments.transaction(transaction.id)).toMatchObject({
        status: "completed",
        completed_at: "2026-01-15T09:02:00.000Z",
      });
    });

    await step("The shop gets one event for the payment and one for the checkout, both signed", async () => {
      const messages = await inbox.messages();
      for (const { body, headers } of messages)
        expect(verifySignature(body, headers["x-platform-signature"], webhook.secret)).toBe(true);
      // The two events are sent at the same time, so either may arrive first.
      const events = messages.map(({ body }) => JSON.parse(body) as { event: string; data: object });
      expect(events.map(({ event }) => event).sort()).toEqual(["checkout.completed", "payment.completed"]);
      expect(events.find(({ event }) => event === "payment.completed")!.data).toMatchObject({
        id: transaction.id,
        amount: "18000000",
        status: "completed",
        checkoutSession: {
          clientReferenceId: "order-1042",
          metadata: { gift: "yes" },
          customerEmail: "ada@example.com",
        },
      });
    });

    await step("It cannot be paid twice, and a day later nothing more has come", async () => {
      await expect(sandbox.payments.pay(session.id)).rejects.toMatchObject({
        code: "invalid_status_transition",
      });
      await sandbox.clock.advance("1d");
      expect(await inbox.messages()).toHaveLength(2);
      expect(await sandbox.payments.session(session.id)).toMatchObject({
        status: "completed",
        transaction_id: transaction.id,
      });
      expect((await sandbox.payments.link("coffee")).current_uses).toBe(1);
    });
  },
});
