import { describe, expect, test } from "vitest";
import { BROWSER, openPage } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";

describe.skipIf(!BROWSER)("the countdown of the hosted checkout", () => {
  test("the checkout's countdown follows the clock until the session ends, whether paused, advanced or scaled", async () => {
    const sandbox = await startSandbox();
    const { short_code } = await sandbox.createLink();
    const { page } = await openPage();
    await page.goto(`${sandbox.url}/platform/pay/${short_code}`);
    const left = page.locator(".reading b");
    expect(await left.textContent()).toBe("30:00");
    // The page uses its own font and no other.
    const fonts =
      "document.fonts.ready.then((fonts) => [...fonts].map(({ family, status }) => [family, status]))";
    expect(await page.evaluate(fonts)).toEqual([["Inter Variable", "loaded"]]);

    await sandbox.advance("10m");
    await expect.poll(() => left.textContent()).toBe("20:00");
    await page.getByText("The sandbox clock reads 2026-01-15 09:10:00 UTC.").waitFor();
    const reading = () => page.waitForResponse((response) => response.url().endsWith("/clock"));
    await reading();
    await reading();
    expect(await left.textContent()).toBe("20:00");

    await sandbox.control("PUT", "/clock", { mode: "scaled", rate: 60 });
    await expect.poll(() => left.textContent()).not.toBe("20:00");
    await page.fill("#customer_name", "Ada");
    await reading();
    expect(await page.inputValue("#customer_name")).toBe("Ada");
    await sandbox.advance("1h");
    await page.getByRole("heading", { name: "This checkout has expired" }).waitFor();
    const { data } = (await sandbox.control("GET", "/requests")).body;
    expect(data.filter(({ path }: { path: string }) => path.endsWith("/clock"))).toEqual([]);

    // A session that was paid in another window shows its receipt.
    await page.goto(`${sandbox.url}/platform/pay/${short_code}`);
    await sandbox.control("POST", "/payments", { session_id: page.url().split("/").at(-1)! });
    await page.getByRole("heading", { name: "Paid" }).waitFor();
  });
});
