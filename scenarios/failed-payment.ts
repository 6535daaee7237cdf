import { defineScenario } from "sandglass";

/** Wallets whose payments always fail, so a test needs no control API call. Their requests are not rejected. */
const MAGIC_SENDERS = {
  reverted: "0x000000000000000000000000000000000000dead",
  timed_out: "0x0000000000000000000000000000000000000bad",
  insufficient_funds: "0x000000000000000000000000000000000000beef",
  rejected: null,
} as const;

export default defineScenario({
  name: "failed-payment",
  title: "A payment fails, and the customer tries again",
  description:
    "A failed payment ends nothing: it is announced with its reason, and the checkout stays open. The payment that succeeds is another transaction of the same session, so a shop keeps its order open until payment.completed, and never counts a failure as the end.",
  seed: "empty",
  params: {
    reason: {
      default: "insufficient_funds",
      description: "why it fails",
      choices: ["reverted", "timed_out", "insufficient_funds", "rejected"],
    },
  },
  async run({ sandbox, step, expect, params }) {
    const inbox = sandbox.inbox("shop");
    const told = async () =>
      (await inbox.messages()).map(({ body }) => {
        const { event, data } = JSON.parse(body);
        return {
          event,
          id: data.id,
          reason: data.failure_reason,
          order: data.checkoutSession.clientReferenceId,
        };
      });

    const session = await step(
      "A shop that takes webhooks of payments opens a checkout for an order",
      async () => {
        await sandbox.payments.createLink({
          name: "Coffee beans, 1 kg",
          short_code: "coffee",
          amount: "18000000",
        });
        await sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed", "payment.failed"] });
        return sandbox.payments.openSession("coffee", { client_reference_id: "order-1042" });
      },
    );

    const failed = await step(`The payment fails: ${params.reason}`, async () => {
      const { transaction } = await sandbox.payments.pay(session.id, {
        outcome: "failed",
        failure_reason: params.reason,
      });
      expect(transaction).toMatchObject({
        status: "failed",
        failure_reason: params.reason,
        completed_at: null,
      });
      expect(await told()).toEqual([
        { event: "payment.failed", id: transaction.id, reason: params.reason, order: "order-1042" },
      ]);
      return transaction;
    });

    await step("The checkout is still open, and the link not used", async () => {
      expect(await sandbox.payments.session(session.id)).toMatchObject({
        status: "active",
        transaction_id: null,
      });
      expect((await sandbox.payments.link("coffee")).current_uses).toBe(0);
    });

    const sender = MAGIC_SENDERS[params.reason];
    if (sender !== null)
      await step(
        `A wallet that ends in ${sender.slice(-4)} fails the same way, wherever it pays`,
        async () => {
          const { transaction } = await sandbox.payments.pay(session.id, { sender_address: sender });
          expect(transaction).toMatchObject({ status: "failed", failure_reason: params.reason });
        },
      );

    await step("Twenty minutes later the customer pays from another wallet", async () => {
      await sandbox.clock.advance("20m");
      const before = (await told()).length;
      const { transaction } = await sandbox.payments.pay(session.id);
      expect(transaction.status).toBe("completed");
      expect(transaction.id).not.toBe(failed.id);
      expect((await told()).slice(before)).toEqual([
        { event: "payment.completed", id: transaction.id, reason: undefined, order: "order-1042" },
      ]);
      expect(await sandbox.payments.session(session.id)).toMatchObject({
        status: "completed",
        transaction_id: transaction.id,
      });
    });

    await step("The failed payment stays what it was; the checkout does not expire any more", async () => {
      await sandbox.clock.advance("1h");
      expect(await sandbox.payments.transaction(failed.id)).toMatchObject({ status: "failed" });
      expect(await sandbox.payments.session(session.id)).toMatchObject({
        status: "completed",
        expired_at: null,
      });
    });
  },
});
