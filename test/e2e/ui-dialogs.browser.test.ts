import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

const expectFocus = (of: Locator) =>
  expect.poll(() => of.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);

describe.skipIf(!BROWSER)("dialogs", () => {
  test("the first field has the focus, Enter submits, and the button has the focus again", async () => {
    const sandbox = await startSandbox();
    const { page, clock, menu } = await openUi(sandbox.url, "#/mail");
    const opener = page.getByTestId("menu-clock");
    const dialog = page.getByRole("dialog");
    await menu("clock");
    await page.getByTestId("advance-to").click();
    await expectFocus(dialog.locator("input:checked"));
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expectFocus(opener);

    const before = await clock.textContent();
    await page.keyboard.press("Enter");
    await page.getByTestId("advance-to").press("Enter");
    await expectFocus(dialog.locator("input:checked"));
    await dialog.getByRole("radio", { name: "By a duration" }).check();
    await dialog.getByRole("textbox").fill("1h");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => clock.textContent()).not.toBe(before);
    await expectFocus(opener);
  });

  test("a field of text is ready to be typed in, and so is what comes after it", async () => {
    const sandbox = await startSandbox();
    const { page, button } = await openUi(sandbox.url, "#/snapshots/worlds");
    await button("New world…").click();
    await expectFocus(page.getByRole("dialog").getByRole("textbox").first());
    await page.keyboard.type("trial");
    await page.keyboard.press("Enter");
    const made = page.getByRole("dialog", { name: "The world trial" });
    await expectFocus(made.getByRole("link", { name: "Open its page" }));
    await made.getByRole("button", { name: "Stay here" }).click();
    await expectFocus(button("New world…"));
  });

  test("a drag that ends outside does not close, a click there does", async () => {
    const sandbox = await startSandbox();
    const { page, button } = await openUi(sandbox.url, "#/snapshots/worlds");
    await button("New world…").click();
    const dialog = page.getByRole("dialog");
    const field = (await dialog.getByRole("textbox").first().boundingBox())!;
    await page.mouse.move(field.x + 20, field.y + field.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 700, { steps: 4 });
    await page.mouse.up();
    expect(await dialog.count()).toBe(1);
    await page.mouse.click(5, 700);
    await dialog.waitFor({ state: "detached" });
  });
});
