import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("the world menu", () => {
  test("the world menu opens a fork with a different look, and a new world with its own date", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, menu, button, link, fill, clock } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await menu("world");
    await button("Fork default").click();
    await page.waitForURL(/\/w\/[^/]+\/#\/webhooks\//);
    await page.locator("html[data-world]").waitFor();
    const steps = page.locator(".steps");
    expect(await steps.evaluate((row) => row.scrollWidth - row.clientWidth)).toBe(0);
    await expect.poll(() => page.locator(".stage .mark.good").count()).toBe(2);
    await link("Back to default").click();
    await page.waitForURL(`${sandbox.url}/#/webhooks/${hook.id}`);

    await menu("world");
    await button("New world…").click();
    await fill("Name", "later");
    await fill("Start date", "2030-05-01T12:00:00Z");
    await button("Create and open").click();
    await page.waitForURL(`${sandbox.url}/w/later/`);
    await expect.poll(() => clock.textContent()).toContain("12:00:00");
    await page.getByText("Wed 1 May 2030").waitFor();
    await sandbox.control("DELETE", "/worlds/later");
    await page.getByText("The world later has ended.").waitFor();
    await page.getByRole("alert").getByText("This world has ended").waitFor();
    expect(await page.locator(".bar").getByRole("button").count()).toBe(0);
    await link("The default world").click();
    await page.waitForURL(`${sandbox.url}/#/webhooks/${hook.id}`);
  });
});
