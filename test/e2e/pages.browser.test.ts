import { describe, expect, test } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { BROWSER, openPage } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";

describe.skipIf(!BROWSER)("pages in a browser", () => {
  test("a payer opens a link, the first payment fails, and the second attempt shows a receipt", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({
      name: "House espresso, 1 kg",
      amount: "13500000",
      return_url: "https://shop.example/thanks",
    });
    const { page, shot } = await openPage();
    await page.goto(`${link.url}?client_reference_id=order_7&metadata[cart]=blue`);
    await shot("checkout");
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.textContent("body")).toContain("13.50");

    await page.fill('[name="customer_email"]', "ada@example.com");
    await page.click('button[value="insufficient_funds"]');
    await page.locator(".notice", { hasText: "insufficient_funds" }).waitFor();
    await shot("checkout-failed");

    await page.click('button[value="completed"]');
    await page.getByRole("heading", { name: "Paid" }).waitFor();
    await shot("receipt");
    expect(await seriousFindings(page)).toEqual([]);
    const { data } = (await sandbox.api("GET", "/checkout-sessions")).body;
    expect(data).toMatchObject([
      {
        status: "completed",
        client_reference_id: "order_7",
        metadata: { cart: "blue" },
        customer_email: "ada@example.com",
      },
    ]);
    const transactions = (await sandbox.api("GET", "/transactions?sort=created_at")).body.data;
    expect(transactions.map(({ status }: { status: string }) => status).sort()).toEqual([
      "completed",
      "failed",
    ]);
  });
});
