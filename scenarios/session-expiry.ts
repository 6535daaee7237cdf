import { defineScenario } from "sandglass";

export default defineScenario({
  name: "session-expiry",
  title: "A checkout is left open, and expires to the second",
  description:
    "A checkout session is open for half an hour by default; expires_in sets five minutes to a day. It expires at its second, with an event; afterwards it can neither be paid nor completed. The payment link is not touched: the customer who comes back gets a new session.",
  seed: "empty",
  params: {
    minutes: { default: 30, description: "how long the checkout is open", choices: [5, 30, 1440] },
  },
  async run({ sandbox, step, expect, params }) {
    const inbox = sandbox.inbox("shop");

    await step("A shop wants to hear of abandoned checkouts", async () => {
      await sandbox.payments.createLink({
        name: "Coffee beans, 1 kg",
        short_code: "coffee",
        amount: "18000000",
      });
      await sandbox.webhooks.create({ url: inbox.url, events: ["checkout.expired"] });
    });

    const session = await step("A customer opens a checkout, and is called away", async () => {
      const opened = await sandbox.payments.openSession("coffee", {
        expires_in: params.minutes * 60,
        client_reference_id: "cart-77",
      });
      const open = Date.parse(opened.expires_at) - Date.parse(opened.created_at);
      expect(open).toBe(params.minutes * 60_000);
      return opened;
    });

    await step("A second before its time it can still be paid", async () => {
      await sandbox.clock.advance({ to: Date.parse(session.expires_at) - 1000 });
      expect(await sandbox.payments.session(session.id)).toMatchObject({ status: "active" });
      expect(await inbox.messages()).toEqual([]);
    });

    await step("At its second it expires, and the shop is told", async () => {
      await sandbox.clock.advance("1s");
      expect(await sandbox.payments.session(session.id)).toMatchObject({
        status: "expired",
        expired_at: session.expires_at,
        url: null,
      });
      const messages = await inbox.messages();
      expect(messages).toHaveLength(1);
      expect(JSON.parse(messages[0]!.body)).toMatchObject({
        event: "checkout.expired",
        timestamp: session.expires_at,
        data: { id: session.id, status: "expired", client_reference_id: "cart-77" },
      });
    });

    await step("The customer is back too late: paying is refused, and nothing can complete it", async () => {
      await expect(sandbox.payments.pay(session.id)).rejects.toMatchObject({
        code: "invalid_status_transition",
      });
      await expect(
        sandbox.platform.call("PATCH", `/checkout-sessions/${session.id}`, { status: "completed" }),
      ).rejects.toMatchObject({ code: "invalid_status_transition" });
      expect((await sandbox.payments.link("coffee")).current_uses).toBe(0);
    });

    await step("The link opens a new session, which is paid in time and never expires", async () => {
      const fresh = await sandbox.payments.openSession("coffee", { client_reference_id: "cart-77" });
      await sandbox.payments.pay(fresh.id);
      await sandbox.clock.advance("2d");
      expect(await sandbox.payments.session(fresh.id)).toMatchObject({ status: "completed" });
      expect(await inbox.messages()).toHaveLength(1);
    });
  },
});
