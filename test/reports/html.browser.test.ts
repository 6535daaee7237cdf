import { describe, expect, test } from "vitest";
import { scenarioHtml } from "../../src/reports/html.ts";
import { overflow, seriousFindings } from "../support/axe.ts";
import { BROWSER, openPage } from "../support/browser.ts";
import { open, run, unfold } from "./html.ts";

describe.skipIf(!BROWSER)("HTML reports in a browser", () => {
  test("an HTML report is readable in light and dark mode and on a phone, and loads no other resources", async () => {
    const { page, shot } = await openPage();
    const { asked, heard } = await open(page, "run", scenarioHtml(run));
    for (const [name, colorScheme, width, rules] of [
      ["light", "light", 1200, "all"],
      ["dark", "dark", 1200, "colours"],
      ["narrow", "light", 360, "layout"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await shot(`report-${name}`);
      await unfold(page);
      expect(await seriousFindings(page, rules)).toEqual([]);
      expect(await overflow(page)).toBe(0);
    }
    expect(asked).toEqual([]);
    expect(heard).toEqual([]);
  });
});
