import { describe, expect, test } from "vitest";
import { overflow, seriousFindings, THEMES } from "../support/axe.ts";
import { BROWSER, openPage } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";

describe.skipIf(!BROWSER)("pages in a browser", () => {
  test("the checkout shows hostile names as text, in both themes and on a phone", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({
      name: '<img src=x onerror="document.title=1"> مرحبا 🧨'.padEnd(200, "w"),
      description: "<script>document.title='2'</script>",
    });
    const { page, shot } = await openPage({ width: 390 });
    await page.goto(link.url);
    expect(await page.title()).not.toMatch(/^[12]$/);
    expect(await overflow(page)).toBe(0);
    for (const [colorScheme, rules] of THEMES) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page, rules)).toEqual([]);
      await shot(`checkout-hostile-${colorScheme}`);
    }
  });

  test("the reference pages load no resources from other hosts and have no accessibility violations", async () => {
    const sandbox = await startSandbox();
    const { page, shot } = await openPage();
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(sandbox.url)) foreign.push(request.url());
    });
    const problems: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && problems.push(message.text())));
    for (const path of ["platform", "_sandbox", "data"]) {
      await page.goto(`${sandbox.url}/${path}/reference`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await shot(`reference-${path}`);
    }
    // The same generator draws all the reference pages, so check only the smallest one.
    expect(await seriousFindings(page)).toEqual([]);
    expect(foreign).toEqual([]);
    expect(problems.filter((text) => !text.includes("favicon"))).toEqual([]);
  });
});
