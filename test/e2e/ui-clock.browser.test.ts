import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("the clock", () => {
  test("the clock stays paused while a speed is being chosen, and then runs at that speed", async () => {
    const sandbox = await startSandbox();
    const { page, button, menu } = await openUi(sandbox.url, "#/log");
    const clock = async () => (await sandbox.control("GET", "/clock")).body;
    await menu("clock");
    await page.getByLabel("Speed").selectOption("600");
    await expect.poll(clock).toMatchObject({ mode: "paused", rate: 600 });
    await button("Resume").waitFor();
    expect(await page.getByLabel("Speed").inputValue()).toBe("600");
    await button("Resume").click();
    await expect.poll(clock).toMatchObject({ mode: "scaled", rate: 600 });
    await menu("clock");
    await page.getByLabel("Speed").selectOption("1");
    await expect.poll(clock).toMatchObject({ mode: "live", rate: 1 });
  });
});
