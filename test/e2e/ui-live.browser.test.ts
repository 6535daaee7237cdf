import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startBuiltProcess } from "../support/built.ts";
import { clientOf, startSandbox } from "../support/sandbox.ts";
import { connected, openUi } from "../support/ui.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-ui-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const start = (folder: string, port = "0") =>
  startBuiltProcess(["--port", port, "--data-dir", folder, "--seed", "empty", "--paused"]);

/** Tries at once; the page may just have done so by itself. */
async function reconnect(page: Page): Promise<void> {
  const retry = page.getByRole("button", { name: "Try now" });
  if (await retry.isVisible()) await retry.click({ timeout: 1_000 }).catch(() => undefined);
  await connected(page);
}

describe.skipIf(!BROWSER)("the page hears what happens", () => {
  test("as it happens, wherever it comes from", async () => {
    const sandbox = await startSandbox();
    const { page, clock, go } = await openUi(sandbox.url, "#/activity/journal");
    await page.getByText("Nothing happened yet.").waitFor();
    await sandbox.createLink();
    await page.locator(".entry-row", { hasText: "payment_link.created" }).waitFor();
    await sandbox.advance("2h");
    await expect.poll(() => clock.textContent()).toContain("11:00:00");
    await sandbox.control("PUT", "/clock", { mode: "scaled", rate: 60 });
    await page.getByText("60 times real time").waitFor();

    await go("#/activity/calls");
    await page.locator(".call-row").first().waitFor();
    await page.getByRole("button", { name: "Pause feed" }).click();
    const rows = await page.locator(".call-row").count();
    await sandbox.api("GET", "/products");
    await page.getByRole("button", { name: "Resume feed (1 new)" }).click();
    await expect.poll(() => page.locator(".call-row").count()).toBe(rows + 1);
  });

  test("after a reset, the world that is there now", async () => {
    const sandbox = await startSandbox();
    const { page, go, clock } = await openUi(sandbox.url, "#/webhooks");
    await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.advance("1d");
    await page.locator(".board-row").first().waitFor();
    await sandbox.control("POST", "/reset", {});
    await page.getByText("You have no endpoints yet.").waitFor();
    await expect.poll(() => clock.textContent()).toContain("09:00:00");
    await go("#/activity/journal");
    await expect.poll(() => page.locator(".entry-row").count()).toBe(1);
    await sandbox.createLink();
    await expect.poll(() => page.locator(".entry-row").count()).toBe(2);
  });

  test("after a lost connection, each entry once", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const port = new URL(first.url).port;
    const before = clientOf(first.url);
    for (let count = 0; count < 5; count += 1) await before.createLink({ name: `Before ${count}` });
    const { page } = await openUi(first.url, "#/activity/journal");
    await expect.poll(() => page.locator(".entry-row").count()).toBe(5);

    first.process.kill("SIGKILL");
    await first.ended;
    await page.getByText(/Connection lost, trying again/).waitFor();
    const second = await start(folder, port);
    const after = clientOf(second.url);
    for (let count = 0; count < 3; count += 1) await after.createLink({ name: `Meanwhile ${count}` });
    await reconnect(page);
    await after.createLink({ name: "Afterwards" });
    await expect.poll(() => page.locator(".entry-row").count()).toBe(9);
    const seqs = await page
      .locator(".entry-row")
      .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("href")?.split("/").at(-1))));
    expect(seqs).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);

    // Another world in its place, whose journal is as long: nothing of the old one stays.
    second.process.kill("SIGKILL");
    await second.ended;
    await page.getByText(/Connection lost/).waitFor();
    const third = await start(temporaryFolder(), port);
    const other = clientOf(third.url);
    for (let count = 0; count < 9; count += 1) await other.createWebhook(`${third.url}/_sandbox/inbox/x`);
    await reconnect(page);
    await expect.poll(() => page.locator(".entry-row", { hasText: "Endpoint created" }).count()).toBe(9);
    expect(await page.locator(".entry-row").count()).toBe(9);
  });
});
