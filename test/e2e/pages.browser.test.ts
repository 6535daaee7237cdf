import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER, openPage } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serious findings of axe-core on a page. */
async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself on the page's globals
    const { violations } = await (globalThis as any).axe.run();
    return violations
      .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
  });
}

describe.skipIf(!BROWSER)("in a browser", () => {
  test("a payer opens a link, fails, tries again and gets a receipt", async () => {
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
    expect(await page.textContent("body")).toMatch(/insufficient/i);
    await shot("checkout-failed");

    await page.click('button[value="completed"]');
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

  test("hostile names are text, in both themes and on a phone", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({
      name: '<img src=x onerror="document.title=1"> مرحبا 🧨'.padEnd(200, "w"),
      description: "<script>document.title='2'</script>",
    });
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, shot } = await openPage({ colorScheme, width: 390 });
      await page.goto(link.url);
      expect(await page.title()).not.toMatch(/^[12]$/);
      const [content, window] = (await page.evaluate(
        "[document.documentElement.scrollWidth, innerWidth]",
      )) as [number, number];
      expect(content).toBeLessThanOrEqual(window);
      expect(await seriousFindings(page)).toEqual([]);
      await shot(`checkout-hostile-${colorScheme}`);
    }
  });

  test("the landing and reference pages load nothing from elsewhere and break no rule of access", async () => {
    const sandbox = await startSandbox();
    const { page, shot } = await openPage();
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(sandbox.url)) foreign.push(request.url());
    });
    const problems: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && problems.push(message.text())));
    for (const [path, name] of [
      ["/", "landing"],
      ["/platform/reference", "reference-platform"],
      ["/_sandbox/reference", "reference-control"],
    ] as const) {
      await page.goto(sandbox.url + path);
      await shot(name);
      expect(await seriousFindings(page)).toEqual([]);
    }
    expect(foreign).toEqual([]);
    expect(problems.filter((text) => !text.includes("favicon"))).toEqual([]);
  });
});
