import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("the world menu", () => {
  test("saves, restores and resets the world, and each is undone", async () => {
    const sandbox = await startSandbox();
    const { page, menu, button, fill, clock, problems } = await openUi(sandbox.url, "#/log");
    const snapshots = async () => (await sandbox.control("GET", "/snapshots")).body.data;
    const dialog = page.getByRole("dialog");
    const undo = async (said: RegExp) => {
      await page.getByText(said).waitFor();
      await page.getByTestId("undo").click();
    };
    const choose = async (what: string) => {
      await menu("world");
      await button(what).click();
    };
    await choose("Save…");
    await fill("Name of the snapshot", "before");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await undo(/^The world is saved as before/);
    await expect.poll(snapshots).toEqual([]);
    await choose("Save…");
    await fill("Name of the snapshot", "before");
    await page.keyboard.press("Enter");
    await page.getByText(/^The world is saved as before/).waitFor();
    await choose("Save…");
    await fill("Name of the snapshot", "before");
    await page.keyboard.press("Enter");
    await dialog.getByText("There is a snapshot before already. Choose another name.").waitFor();
    await page.keyboard.press("Escape");

    await sandbox.advance("1h");
    await choose("Restore…");
    await button("Restore before").click();
    await expect.poll(() => clock.textContent()).toContain("09:00:00");
    await undo(/^The world was restored to before/);
    await expect.poll(() => clock.textContent()).toContain("10:00:00");

    await sandbox.createLink({ name: "Tea" });
    await choose("Reset");
    await expect.poll(() => clock.textContent()).toContain("09:00:00");
    await undo(/^The world was reset to the fixtures of the seed empty/);
    await page.locator(".log-row", { hasText: "payment_link.created" }).waitFor();
    expect(await snapshots()).toHaveLength(1);
    await choose("Restore…");
    await button("Delete before").click();
    await dialog.getByText("Nothing is saved yet.").waitFor();
    expect(problems).toEqual([]);
  });

  test("leads to other worlds: a fork looks different, and a new one has its own date", async () => {
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
