import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startBuiltProcess } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { openUi } from "../support/ui.ts";

const REPORT = `<!doctype html><title>Mine</title><h1>A paid order stays open</h1>
<script>top.document.title = "run"; document.body.append("run")</script><img src=x onerror="top.document.title = 'run'">`;

describe.skipIf(!BROWSER)('the "Find a bug" page', () => {
  test("the \"Find a bug\" page shows the demo's report and then the project's own, without running its scripts", async () => {
    const folder = folderOf();
    const { url } = await startBuiltProcess(["--port", "0", "--seed", "empty", "--paused"], { cwd: folder });
    const { page, heading } = await openUi(url, "#/bug");
    await heading("Find a bug").waitFor();
    await page.getByText(/^npx sandglass test /).waitFor();
    const demo = page.frameLocator('iframe[title="The demo’s report"]');
    await demo.getByRole("heading", { name: "A paid order ends up cancelled" }).waitFor();

    mkdirSync(join(folder, "sandglass/findings"), { recursive: true });
    writeFileSync(join(folder, "sandglass/findings/report.html"), REPORT);
    await page.evaluate("void dispatchEvent(new Event('focus'))");
    const own = page.frameLocator('iframe[title="This project’s report"]');
    await own.getByRole("heading", { name: "A paid order stays open" }).waitFor();
    await page.getByText(/^sandglass\/findings\/report\.html, written/).waitFor();
    expect(await page.title()).not.toContain("run");
    expect(await own.locator("body").textContent()).not.toContain("run\n");
    const { headers } = await fetch(`${url}/_sandbox/report`);
    expect(headers.get("x-sandbox-report")).toBe("project");
    expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
  });
});
