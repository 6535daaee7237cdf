import { expect, test as sandboxTest } from "sandglass/playwright";
import { startShop } from "./start-shop.js";

const test = sandboxTest.extend({
  shop: async ({ sandbox }, use) => {
    const shop = await startShop(sandbox);
    await use(shop);
    shop.close();
  },
});

async function buy(page, shop) {
  await page.goto(shop.url);
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("Discount code").fill("LAST");
  await page.getByRole("button", { name: "Buy" }).click();
}

test("a customer pays with a discount code and returns to a paid order", async ({ page, shop, checkout }) => {
  await buy(page, shop);
  await expect(page.getByRole("button", { name: "Pay 9" })).toBeVisible();
  await checkout.pay();
  await expect(checkout.heading).toHaveText("Paid");
  await checkout.backToShop();
  await expect(page.getByRole("status")).toContainText("Paid. Your beans are in the post.");
});

test("a customer who waits for half an hour finds the order cancelled", async ({
  page,
  sandbox,
  shop,
  checkout,
}) => {
  await buy(page, shop);
  await expect(checkout.timeLeft).toHaveText("30:00");
  await sandbox.clock.advance("30m");
  await expect(checkout.heading).toHaveText("This checkout has expired");
  await buy(page, shop);
  await expect(checkout.timeLeft).toHaveText("30:00");
});
