import { expect, test as sandboxTest } from "sandglass/vitest";
import { startShop } from "./start-shop.js";

const test = sandboxTest.extend({
  shop: async ({ sandbox }, use) => {
    const shop = await startShop(sandbox);
    await use(shop);
    shop.close();
  },
});

test("an order is paid and exactly one receipt is sent even if webhooks fail for ten minutes", async ({
  sandbox,
  shop,
}) => {
  const { session, order } = await shop.buy("WELCOME");
  expect(shop.orders.find(order)).toMatchObject({ status: "open", amount: 14_400_000 });
  await sandbox.webhooks.fail(shop.endpoint, { status: 503, times: 4 });
  await sandbox.payments.pay(session);
  expect(shop.orders.find(order).status).toBe("open");

  await sandbox.clock.advance("1h");
  await shop.mails.flush();
  expect(shop.orders.find(order).status).toBe("paid");
  expect(shop.sent.map(({ address }) => address)).toEqual(["ada@example.com"]);
});

test("an expired session cancels the order and releases its discount code", async ({ sandbox, shop }) => {
  const { order } = await shop.buy("LAST");
  expect(shop.orders.usesLeft("LAST")).toBe(0);
  await expect(shop.buy("LAST")).rejects.toThrow("The code LAST cannot be used.");

  await sandbox.clock.advance("30m");
  expect(shop.orders.find(order).status).toBe("cancelled");
  expect(shop.orders.usesLeft("LAST")).toBe(1);
});

test("an unknown discount code does not create an order", async ({ shop }) => {
  await expect(shop.buy("FREE")).rejects.toThrow("The code FREE cannot be used.");
});
