import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { openUi, startFailing } from "../support/ui.ts";

const scrolls = (page: Page) =>
  page.evaluate("document.documentElement.scrollHeight - document.documentElement.clientHeight");

/** Runs in the page: the font sizes of all visible texts. */
const SIZES = `[...new Set([...document.querySelectorAll("body *")]
  .filter((element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((element) => getComputedStyle(element).fontSize))].sort()`;

/** Runs in the page: the view's buttons that are filled with the action colour. */
const FILLED = `[...document.querySelectorAll("main .button")]
  .filter((button) => button.checkVisibility() && getComputedStyle(button).backgroundColor ===
    getComputedStyle(document.querySelector(".nav a[aria-current]")).color)
  .map((button) => button.textContent)`;

describe.skipIf(!BROWSER)("an endpoint's page", () => {
  test("an endpoint's page shows its timeline first at any size, with only one filled button", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, button } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, { height: 900 });
    const mark = page.locator(".stage .mark.bad").first();
    await mark.waitFor();
    expect(await page.evaluate(SIZES)).toEqual(["13px", "15px", "20px", "32px"]);
    expect(await page.evaluate(FILLED)).toEqual(["Send or pay"]);
    const box = async (name: string) => (await page.locator(name).boundingBox())!;
    for (const [width, height] of [
      [1440, 900],
      [1920, 1080],
      [1024, 768],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expect.poll(async () => (await box(".timeline")).height).toBeGreaterThanOrEqual(height * 0.6);
      const [bar, head, timeline] = await Promise.all([box(".bar"), box(".endpoint-head"), box(".timeline")]);
      if (width > 1024) expect(head.height).toBe(48);
      expect(timeline.y - (bar.y + bar.height)).toBeLessThanOrEqual(200);
      expect(timeline.y + timeline.height).toBeLessThanOrEqual(height);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    // Browsers scroll to text that is searched for and to elements that get the focus. The drawing must still stay
    // aligned with its labels.
    await mark.evaluate((one) => one.scrollIntoView({ block: "start" }));
    expect(await page.locator(".stage").evaluate((stage) => stage.scrollTop)).toBe(0);
    await mark.click();
    await button("Retry now").waitFor();
    expect(await page.evaluate(FILLED)).toEqual(["Retry now"]);
    await page.keyboard.press("Escape");
    await sandbox.control("POST", `/webhooks/${hook.id}/disable`);
    await button("Fix, enable and retry").waitFor();
    expect(await page.evaluate(FILLED)).toEqual(["Fix, enable and retry"]);
  });

  test("an attempt's details open next to its mark, and switching to the next attempt does not move the layout", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, heading, button } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, {
      width: 1920,
      height: 1080,
      presenting: true,
    });
    await page.locator(".stage .mark.bad").first().click();
    await heading(/^Failed: returned 503/).waitFor();
    const drawer = page.locator(".beside");
    const [mark, details] = await Promise.all([
      page.locator(".stage .mark[aria-current]").boundingBox(),
      drawer.boundingBox(),
    ]);
    expect(mark!.x + mark!.width).toBeLessThanOrEqual(details!.x);
    expect(details!.y + details!.height).toBeLessThanOrEqual(1080);
    await sandbox.control("DELETE", `/webhooks/${hook.id}/fault`);
    await page.evaluate(`window.emptied = new Promise((resolve) => {
      const watch = new MutationObserver(() => {
        const sheet = document.querySelector(".beside .sheet");
        if (!sheet) resolve(true);
        else if (sheet.querySelector("h2.success")) resolve(false);
      });
      watch.observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
    }), undefined`);
    await button("Retry now").click();
    expect(await page.evaluate("window.emptied")).toBe(false);
    expect(await scrolls(page)).toBe(0);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
  });
});

describe.skipIf(!BROWSER)("presentation mode", () => {
  test("presentation mode never scrolls and shows the whole date and summary", async () => {
    const { sandbox, hook } = await startFailing();
    const options = { width: 1280, height: 720, presenting: true };
    const { page, button, shot } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, options);
    await page.getByText("Thu 15 Jan 2026").waitFor();
    await page.getByTestId("advance-1d").click();
    await page.getByText("Fri 16 Jan 2026").waitFor();
    const line = page.locator(".summary-line");
    await line.getByText(/attempts failed/).waitFor();
    const mark = page.locator(".stage .mark.bad").first();
    for (const [width, height, scale] of [
      [1280, 720, 1.3],
      [1920, 1080, 2],
    ] as const) {
      await page.setViewportSize({ width, height });
      // The marks are drawn as large as the stage allows.
      await expect.poll(async () => (await mark.boundingBox())!.height).toBeGreaterThan(22 * scale);
      expect(await line.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
      expect(await scrolls(page)).toBe(0);
      const stage = (await page.locator(".stage").boundingBox())!;
      expect(stage.height).toBeGreaterThanOrEqual(height * 0.6);
      await shot(`presentation-${width}`, "seen");
      await page.getByRole("link", { name: "Send or pay" }).click();
      const beside = page.locator(".beside");
      // The panel grows once it has loaded the items that can be paid.
      const pay = await button("Paid").boundingBox();
      const around = await beside.boundingBox();
      expect(pay!.y + pay!.height).toBeLessThanOrEqual(around!.y + around!.height);
      expect(await scrolls(page)).toBe(0);
      await page.keyboard.press("Escape");
      await beside.waitFor({ state: "detached" });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await scrolls(page)).toBe(0);
  });
});

describe.skipIf(!BROWSER)("the page layout", () => {
  test("a message does not make the page longer, and a restored world appears without animation", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, clock } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.locator(".stage .mark.bad").first().waitFor();
    const before = await scrolls(page);
    await page.getByRole("radio", { name: "Works" }).check({ force: true });
    await page.getByTestId("undo").click();
    await page.getByText("Undone.").waitFor();
    expect(await scrolls(page)).toBe(before);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await sandbox.control("POST", "/clock/advance", { by: "1h" });
    await sandbox.control("POST", "/snapshots", { name: "later" });
    await sandbox.control("POST", "/reset");
    await page.getByText("The world was reset").waitFor();
    await page.evaluate(`window.seen = []; new MutationObserver(() => {
      if (document.documentElement.hasAttribute("data-playing")) window.seen.push("played");
      if (!document.body.textContent.includes("The world was reset")) window.back = true;
      else if (window.back) window.seen.push("gone");
    }).observe(document.documentElement, { subtree: true, childList: true, attributes: true }), undefined`);
    await sandbox.control("POST", "/snapshots/later/restore");
    await page.locator(".stage .mark.bad").first().waitFor();
    await expect.poll(() => clock.textContent()).toContain("10:00:00");
    expect(await page.evaluate("window.seen")).toEqual([]);
  });
});
