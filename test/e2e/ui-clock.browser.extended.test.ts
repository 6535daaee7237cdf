import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { drawn, openUi, startFailing } from "../support/ui.ts";
import { at, startHeldSubscriber } from "../support/webhooks.ts";

describe.skipIf(!BROWSER)("the preview of an advance", () => {
  test("the preview of an advance counts exactly what the advance then causes", async () => {
    const sandbox = await startSandbox();
    const failing = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/failing`);
    await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/working`);
    await sandbox.control("PUT", `/webhooks/${failing.id}/fault`, { kind: "status", status: 503 });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await sandbox.openSession();
    const { page } = await openUi(sandbox.url, "#/log");
    const preview = page.locator(".preview-head");
    const ledger = page.locator(".summary-line");

    await page.getByTestId("advance-10m").hover();
    await preview.getByText("2 attempts in 10 min").waitFor();
    await page.getByTestId("advance-10m").click();
    await ledger.getByText("2 attempts failed.").waitFor();

    // The session expires. Two endpoints receive its event, one of them repeatedly.
    await page.getByTestId("advance-1h").hover();
    await preview.getByText("1 session expired, 6 attempts in 1 h").waitFor();
    await page.getByTestId("advance-1h").click();
    await ledger.getByText("5 attempts failed, 1 session expired, 1 attempt delivered.").waitFor();
  });

  test("the preview of an advance shows a range if the count depends on responses", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook("http://127.0.0.1:9/", { events: ["payment.completed"] });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await expect.poll(() => sandbox.deliveries(hook.id)).toMatchObject([{ status: "failed" }]);
    const { page, menu } = await openUi(sandbox.url, "#/log");
    await page.getByTestId("advance-1h").hover();
    await page.locator(".preview-head").getByText("1 to 2 attempts in 1 h").waitFor();
    await menu("clock");
    await page.getByTestId("advance-idle").hover();
    await page.locator(".preview-head").getByText("1 to 3 attempts", { exact: true }).waitFor();
  });
});

describe.skipIf(!BROWSER)("the summary of an advance", () => {
  test("the entries in an advance's summary name their endpoint and cover no other content, at any size and in presentation mode", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, button, shot } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.getByTestId("advance-1h").click();
    await button("Show entries").waitFor();
    await page.locator("main").focus();
    await page.keyboard.press("l");
    await page.locator(".ledger").waitFor();
    const lines = page.locator(".ledger li");
    for (const line of await lines.allTextContents()) expect(line).toMatch(/inbox\/shop$/);
    for (const [width, height, presenting] of [
      [1280, 800, false],
      [800, 600, false],
      [390, 844, false],
      [1280, 800, true],
    ] as const) {
      await page.setViewportSize({ width, height });
      if (presenting) await page.keyboard.press("f");
      await drawn(page);
      const name = `ledger-${width}${presenting ? "-presenting" : ""}`;
      await shot(name, "seen");
      for (const top of [0, 300, 100_000]) {
        const apart = await page.evaluate(`(() => {
          scrollTo(0, ${top});
          const ledger = document.querySelector(".ledger").getBoundingClientRect();
          const main = document.querySelector("main").getBoundingClientRect();
          const beside = ledger.right <= main.left || ledger.left >= main.right;
          return beside || ledger.bottom <= main.top || ledger.top >= main.bottom;
        })()`);
        expect(apart, `${name}, scrolled to ${top}`).toBe(true);
      }
      const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(wider, name).toBeLessThanOrEqual(0);
    }
  });

  test("the summary of an advance appears together with its attempts", async () => {
    const { sandbox, hook } = await startFailing();
    const { page } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await expect.poll(() => page.locator(".stage .mark.bad").count()).toBe(2);

    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: reading, resolve: held } = Promise.withResolvers<void>();
    await page.route(/\/timeline\?/, async (route) => {
      held();
      await released;
      await route.continue();
    });
    const answered = page.waitForResponse(/clock\/advance/);
    await page.getByTestId("advance-10m").click();
    await (await answered).finished();
    await reading;
    expect(await page.locator(".summary [role=status]").count()).toBe(0);
    await page.evaluate(`(() => {
      const watch = new MutationObserver(() => {
        if (!document.querySelector(".summary [role=status]")) return;
        watch.disconnect();
        document.body.dataset.failedWithLedger = String(
          document.querySelectorAll(".attempt-row .bad").length,
        );
      });
      watch.observe(document.body, { childList: true, subtree: true });
    })()`);
    release();
    await page.locator(".summary [role=status]").waitFor();
    expect(await page.locator("body").getAttribute("data-failed-with-ledger")).toBe("4");
  });
});

describe.skipIf(!BROWSER)("an advance in progress", () => {
  test("an advance in progress shows how far it is, no matter who started it, and can be cancelled", async () => {
    const sandbox = await startSandbox();
    // A session expires after ten minutes, and the response to its delivery is held back.
    const subscriber = await startHeldSubscriber();
    await sandbox.createWebhook(subscriber.url, { events: ["checkout.expired"] });
    await sandbox.openSession({ expires_in: 600 });
    const { page } = await openUi(sandbox.url, "#/log");
    const progress = page.getByRole("group", { name: "Advance in progress" });
    await page.getByTestId("advance-1h").click();
    await progress.getByText("10 min of 1 h: 2 entries, waiting for 1 response").waitFor();
    await progress.getByRole("button", { name: "Stop here" }).click();
    await progress.getByRole("button", { name: "Stopping…" }).waitFor();
    await expect.poll(() => sandbox.sandbox.world.scheduler.progress()?.ending).toBe(true);
    subscriber.open[0]!.answer(200);
    await page.getByText(/^Advanced 10 min in .*; it was stopped there\.$/).waitFor();
    await progress.waitFor({ state: "detached" });
    expect((await sandbox.control("GET", "/clock")).body.now).toBe(at(600));

    // Another client requests an advance.
    await sandbox.openSession({ expires_in: 600 });
    const advancing = sandbox.advance({ until: "idle" });
    await progress.getByText("10 min: 2 entries, waiting for 1 response").waitFor();
    subscriber.open.at(-1)!.answer(200);
    await advancing;
    await progress.waitFor({ state: "detached" });
  });
});
