import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { writeManyAttempts } from "../support/many-attempts.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { openUi, settled } from "../support/ui.ts";

const MANY = 10_000;
/** The page reads no more attempts at a time. */
const PART = 1_000;

describe.skipIf(!BROWSER)("an endpoint with 10,000 attempts", () => {
  test("is read part by part and panned without drawing more than is seen", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    writeManyAttempts(sandbox.sandbox.world, hook.id, MANY);
    const { page, shot, problems, go } = await openUi(sandbox.url, "#/log");
    const parts: number[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/timeline?")) parts.push((await response.json()).attempts.length);
    });
    await go(`#/webhooks/${hook.id}`);
    await page.locator(".stage .mark").first().waitFor();
    await settled(page);
    expect(parts).toEqual([500, PART]);
    const older = page.locator(".endpoint-list .note");
    expect(await older.textContent()).toBe("8,500 older attempts: scroll down to read them.");
    expect(await page.locator(".beyond.left").textContent()).toMatch(/^‹ 9\d{3}$/);
    await shot("many", "seen");

    // The end of the list reads on, and a search reads all of it.
    await page.locator(".virtual").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await expect.poll(() => older.textContent()).toContain("7,500 older attempts");
    expect(await page.locator(".virtual li").count()).toBeLessThan(60);
    await page.getByLabel("Event, code or time").fill("del_0");
    await expect.poll(() => page.locator(".virtual li").count()).toBe(1);
    await expect.poll(() => parts.length).toBe(11);
    expect(Math.max(...parts)).toBe(PART);
    await page.getByLabel("Event, code or time").fill("");

    for (const zoom of ["7 days", "1 day", "1 h"]) {
      await page.getByTestId("menu-zoom").click();
      await page.locator(".zoom").getByRole("button", { name: zoom, exact: true }).click();
      const { drawn, most } = await page.evaluate(pan);
      expect({ zoom, few: most < 500 }).toEqual({ zoom, few: true });
      expect({ zoom, little: drawn < 1_250 }).toEqual({ zoom, little: true });
    }
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await expect.poll(() => page.locator(".beyond").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("shows a time and an attempt that are far back", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    writeManyAttempts(sandbox.sandbox.world, hook.id, MANY);
    const { attempts } = (
      await sandbox.control("GET", `/webhooks/${hook.id}/timeline?before=del_8000&limit=8`)
    ).body;
    const { delivery_id: id, started_at: begun } = attempts.find(({ status }: Json) => status === "failed");
    const at = Date.parse(begun);
    const hour = (hours: number) => new Date(at + hours * 3_600_000).toISOString();
    const { page, problems } = await openUi(
      sandbox.url,
      `#/webhooks/${hook.id}/${id}?time=linear&from=${hour(-1)}&to=${hour(2)}`,
    );
    await page.locator('.stage .mark[aria-current="true"]').waitFor();
    await page.getByText("It arrived later, at").waitFor();
    await expect.poll(() => page.locator(".zoom-span").textContent()).toBe("3 h");
    expect(problems).toEqual([]);
  });
});

/** Runs in the page: pans by the wheel over some views. The most marks at a time, and how many nodes were drawn anew. */
async function pan(): Promise<{ most: number; drawn: number }> {
  // biome-ignore lint/suspicious/noExplicitAny: the test's own types have no DOM
  const page = globalThis as any;
  const stage = page.document.querySelector(".stage");
  let drawn = 0;
  let most = 0;
  const observer = new page.MutationObserver((records: { addedNodes: { length: number } }[]) => {
    for (const { addedNodes } of records) drawn += addedNodes.length;
  });
  observer.observe(stage, { childList: true, subtree: true });
  for (let index = 0; index < 30; index += 1) {
    stage.dispatchEvent(new page.WheelEvent("wheel", { deltaX: -60, cancelable: true, bubbles: true }));
    await new Promise((resolve) => page.requestAnimationFrame(resolve));
    most = Math.max(most, stage.querySelectorAll(".mark").length);
  }
  observer.disconnect();
  return { most, drawn };
}
