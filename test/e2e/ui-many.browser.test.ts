import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

const MANY = 10_000;

describe.skipIf(!BROWSER)("an endpoint with 10,000 attempts", () => {
  test("is panned without drawing more than is seen", { timeout: 90_000 }, async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const { store, clock } = sandbox.sandbox.world;
    const insert = store.sql(
      `insert into webhook_deliveries (id, org, webhook_id, event_id, event, status, attempt, trigger, url, error, response_code,
         request_headers, duration_ms, started_at, ended_at, created_at)
       values (?, 'org', ?, ?, 'payment.completed', ?, ?, 'automatic', '', ?, ?, '{}', 12, ?, ?, ?)`,
    );
    store.transaction(() => {
      for (let index = 0; index < MANY; index += 1) {
        const attempt = (index % 4) + 1;
        const at = clock.now() - (MANY - index) * 20_000;
        const ok = attempt === 4;
        insert.run(
          `del_${index}`,
          hook.id,
          `evt_${Math.floor(index / 4)}`,
          ok ? "success" : "failed",
          attempt,
          ok ? null : "status",
          ok ? 200 : 503,
          at,
          at + 12,
          at,
        );
      }
    });

    const { page, shot, problems } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.locator(".stage .mark").first().waitFor();
    await shot("many", "seen");
    for (const zoom of ["7 days", "1 day", "1 h"]) {
      await page.locator(".zoom").getByRole("button", { name: zoom, exact: true }).click();
      const { drawn, most } = await page.evaluate(pan);
      expect({ zoom, few: most < 1_500 }).toEqual({ zoom, few: true });
      expect({ zoom, little: drawn < 2_500 }).toEqual({ zoom, little: true });
    }
    expect(await page.locator(".virtual li").count()).toBeLessThan(60);
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
  for (let index = 0; index < 60; index += 1) {
    stage.dispatchEvent(new page.WheelEvent("wheel", { deltaX: -60, cancelable: true, bubbles: true }));
    await new Promise((resolve) => page.requestAnimationFrame(resolve));
    most = Math.max(most, stage.querySelectorAll(".mark").length);
  }
  observer.disconnect();
  return { most, drawn };
}
