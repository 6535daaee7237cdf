import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

const styleOf = (of: Locator, property: string): Promise<string> =>
  of.evaluate(
    (element, name) => element.ownerDocument.defaultView!.getComputedStyle(element).getPropertyValue(name),
    property,
  );

/** How bright a colour is, 0 to 255. */
function brightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return (red + green + blue) / 3;
}

describe.skipIf(!BROWSER)("the page looks right", () => {
  test("in forced colours: what is chosen can be told from what is not", async () => {
    const sandbox = await startSandbox();
    const { page, go } = await openUi(sandbox.url, "#/activity/journal");
    await page.emulateMedia({ forcedColors: "active" });
    const choices = page.locator(".choice-one span");
    expect(await styleOf(choices.nth(0), "background-color")).not.toBe(
      await styleOf(choices.nth(1), "background-color"),
    );
    const tabs = page.locator(".tabs a");
    expect(await styleOf(tabs.nth(0), "border-bottom-color")).not.toBe(
      await styleOf(tabs.nth(1), "border-bottom-color"),
    );
    expect(await styleOf(page.locator(".nav a[aria-current]"), "outline-style")).toBe("solid");

    // axe cannot judge forced colours: it reads the ones that were replaced.
    await page.keyboard.press("Control+k");
    const options = page.getByRole("dialog").getByRole("option");
    expect(await styleOf(options.nth(0), "outline-style")).toBe("solid");
    expect(await styleOf(options.nth(1), "outline-style")).toBe("none");
    expect(await seriousFindings(page, "layout", "dialog")).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByTestId("menu-world").click();
    await page.locator(".world-list").getByRole("link", { name: "default" }).waitFor();
    expect(await seriousFindings(page, "layout", ".bar")).toEqual([]);

    const { id } = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await go(`#/webhooks/${id}`);
    expect(await styleOf(page.locator(".switch-knob"), "background-color")).not.toBe(
      await styleOf(page.locator(".switch-track"), "background-color"),
    );

    await go("#/");
    await page.getByRole("button", { name: "Run the demo" }).click();
    await page.locator(".demo").waitFor();
    expect(await styleOf(page.locator(".demo .main"), "background-color")).not.toBe(
      await styleOf(page.locator(".demo"), "background-color"),
    );
    expect(await seriousFindings(page, "layout", ".demo")).toEqual([]);
  });

  test("on paper: dark ink from a dark page too, nothing to press, no line cut off", async () => {
    const sandbox = await startSandbox();
    const { page, shot } = await openUi(sandbox.url, "#/connect", { colorScheme: "dark", width: 700 });
    await page.locator("main pre").first().waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator("nav, main button").filter({ visible: true }).count()).toBe(0);
    for (const text of [".face-time", ".bar-world b", "main h1", "main .note"])
      expect(brightness(await styleOf(page.locator(text).first(), "color")), text).toBeLessThan(110);
    const cut = await page
      .locator("main pre")
      .evaluateAll((lines) => lines.filter((line) => line.scrollWidth > line.clientWidth).length);
    expect(cut).toBe(0);
    await shot("print");
  });

  test("at 640 px: all steps of the clock in a line beside each other, and nothing wider than the window", async () => {
    const sandbox = await startSandbox();
    await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const { page, shot } = await openUi(sandbox.url, "#/overview", { width: 640 });
    const tops = await page
      .locator(".steps .step")
      .evaluateAll((steps) => steps.map((step) => step.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    expect(await page.locator("html").evaluate((root) => root.scrollWidth)).toBeLessThanOrEqual(640);
    await shot("narrow");
  });

  test("every column of a table has a name", async () => {
    const sandbox = await startSandbox();
    await sandbox.createLink({ name: "Tea" });
    const { page } = await openUi(sandbox.url, "#/payments/links");
    await page.getByRole("columnheader").first().waitFor();
    const names = await page.getByRole("columnheader").allTextContents();
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => name.trim() === "")).toEqual([]);
  });
});
