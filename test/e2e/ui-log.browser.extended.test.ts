import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("the log", () => {
  test("the log grows as entries are added, and sends no requests while the world is idle", async () => {
    const sandbox = await startSandbox();
    const { page, clock } = await openUi(sandbox.url, "#/log");
    const rows = page.locator(".log-row");
    await page.getByText("Nothing has happened yet.").waitFor();
    await sandbox.createLink();
    await expect
      .poll(() => rows.allTextContents())
      .toEqual([
        expect.stringContaining("201POST /payment-links"),
        expect.stringContaining("payment_link.created"),
      ]);
    await sandbox.advance("2h");
    await expect.poll(() => clock.textContent()).toContain("11:00:00");
    const requests: string[] = [];
    page.on("request", (request) => void requests.push(request.url()));
    const second = () => page.evaluate<number>("Math.floor(performance.now() / 1_000)");
    const before = await second();
    await expect.poll(second).toBeGreaterThan(before + 2);
    expect(requests).toEqual([]);
    await sandbox.api("GET", "/products");
    await rows.filter({ hasText: "GET /products" }).waitFor();

    await sandbox.control("POST", "/reset", {});
    await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining("world.reset")]);
  });

  test("the log renders only the visible rows out of 10,000, and restores its position after Back", async () => {
    const sandbox = await startSandbox();
    sandbox.sandbox.world.store.transaction(() => {
      for (let count = 1; count <= 10_000; count += 1)
        sandbox.sandbox.journal.append("product.created", { id: `prod_${count}` });
    });
    const { page, link, heading } = await openUi(sandbox.url, "#/log");
    const list = page.getByLabel("Log, latest first");
    const rows = page.locator(".log-row");
    const within = () => list.evaluate((box) => box.scrollTop);
    const seen = () => rows.last().getAttribute("href");
    await rows.first().waitFor();
    // Scrolling to the end of the list loads more, until everything is loaded.
    const readOn = async () => {
      await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
      return seen();
    };
    await expect.poll(readOn).toBe("#/log/entry/1");
    expect(await rows.count()).toBeLessThan(60);
    await expect.poll(() => page.getByRole("button", { name: "Read older entries" }).count()).toBe(0);
    await page.getByLabel("Search").fill("prod_77");
    await expect.poll(() => page.locator(".virtual li").first().getAttribute("aria-setsize")).toBe("111");
    await page.getByLabel("Search").fill("");
    await list.evaluate((box) => box.scrollTo(0, 7_000));
    await expect.poll(within).toBe(7_000);
    await link("Find a bug").click();
    await heading("Find a bug").waitFor();
    await page.goBack();
    await expect.poll(within).toBe(7_000);
  });
});
