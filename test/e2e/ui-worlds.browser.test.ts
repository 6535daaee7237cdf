import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("the world menu", () => {
  test("the world menu saves, restores and resets the world, and each can be undone", async () => {
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
    await fill("Snapshot name", "before");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await undo(/^The world is saved as before/);
    await expect.poll(snapshots).toEqual([]);
    await choose("Save…");
    await fill("Snapshot name", "before");
    await page.keyboard.press("Enter");
    await page.getByText(/^The world is saved as before/).waitFor();
    await choose("Save…");
    await fill("Snapshot name", "before");
    await page.keyboard.press("Enter");
    await dialog.getByText("There is already a snapshot before. Choose another name.").waitFor();
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
});
