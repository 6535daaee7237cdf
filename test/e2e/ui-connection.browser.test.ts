import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startBuiltProcess } from "../support/built.ts";
import { startSandbox } from "../support/sandbox.ts";
import { connected, openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("the page while its server is away", () => {
  test("a server that hangs is shown as not answering, and the clock does not run on", async () => {
    const { url, process } = await startBuiltProcess(["--port", "0", "--seed", "empty"]);
    const { page, clock } = await openUi(url, "#/webhooks");
    process.kill("SIGSTOP");
    await page.getByRole("alert").getByText("The sandbox is not answering").waitFor();
    const held = await clock.textContent();
    // A whole second passes for the page itself.
    const second = () => page.evaluate<number>("Math.floor(performance.now() / 1_000)");
    const before = await second();
    await expect.poll(second).toBeGreaterThan(before + 1);
    expect(await clock.textContent()).toBe(held);
    process.kill("SIGCONT");
    await connected(page);
    await expect.poll(() => clock.textContent()).not.toBe(held);
  });

  test("a view first opened meanwhile is there when the server is, with its styles", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandglass-ui-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const start = (port: string) =>
      startBuiltProcess(["--port", port, "--data-dir", folder, "--seed", "empty", "--paused"]);
    const first = await start("0");
    const { page } = await openUi(first.url, "#/overview");
    first.process.kill("SIGKILL");
    await first.ended;
    await page.getByText(/Connection lost/).waitFor();
    await page.evaluate('void (location.hash = "#/payments")');
    await page.locator("main .problem").getByText("The sandbox does not answer.").waitFor();
    await start(new URL(first.url).port);
    await page.getByRole("heading", { name: "Payments", exact: true }).waitFor({ timeout: 20_000 });
    const sheets = () => page.evaluate("[...document.styleSheets].map(({ href }) => href).join()");
    await expect.poll(sheets).toMatch(/payments-[^/]*\.css/);
    await connected(page);
    await expect.poll(() => page.getByText(/does not answer|is not answering/).count()).toBe(0);
  });

  test("an ended world says so, and leads to those there are", async () => {
    const sandbox = await startSandbox();
    await sandbox.control("POST", "/worlds", { name: "demo" });
    const { page } = await openUi(`${sandbox.url}/w/demo`, "#/webhooks");
    await sandbox.control("DELETE", "/worlds/demo");
    await page.getByText("The world demo has ended.").waitFor();
    await page.getByRole("alert").getByText("This world has ended").waitFor();
    expect(await page.locator(".bar").getByRole("button").count()).toBe(0);
    await page.getByRole("link", { name: "All worlds" }).click();
    await page.getByRole("list", { name: "Worlds" }).getByText("default").waitFor();
    expect(page.url()).toBe(`${sandbox.url}/#/snapshots/worlds`);
  });
});
