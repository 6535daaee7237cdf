import { defineScenario } from "sandglass";
import { startShop } from "../test/start-shop.js";

export default defineScenario({
  name: "late-expiry",
  title: "A code stays used if the expiry of an earlier session arrives after the payment",
  seed: "empty",
  async run({ sandbox, step, expect }) {
    const shop = await startShop(sandbox);
    try {
      const { session, order } = await step("A customer buys with the last use of a code", () =>
        shop.buy("LAST"),
      );
      await step("The session expires, and the shop is down when it is notified", async () => {
        await sandbox.webhooks.fail(shop.endpoint, { status: 503, times: 1 });
        await sandbox.payments.expire(session);
      });
      await step("The customer pays for the order in a second session, before the retry", async () => {
        const body = { amount: "9000000", client_reference_id: order };
        const second = await sandbox.platform.call("POST", "/checkout-sessions", body);
        await sandbox.payments.pay(second.id);
        await sandbox.clock.advance("1h");
      });
      await step("The order is paid, and the code is used", () => {
        expect(shop.orders.find(order).status).toBe("paid");
        expect(shop.orders.usesLeft("LAST")).toBe(0);
      });
    } finally {
      shop.close();
    }
  },
});
