import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("the keyboard", () => {
  test("goes through a timeline, from attempt to attempt, and opens one", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
      events: ["payment.completed"],
    });
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await sandbox.advance("5m");
    const { page, heading } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.locator(".stage .mark.bad").first().waitFor();
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
    const before = (await sandbox.control("GET", "/clock")).body.now;

    await page.locator(".stage").focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused).toMatch(/^Attempt 1 of payment.completed failed with 503/);
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused).toMatch(/^Attempt 2/);
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused).toMatch(/^Attempt 3 of payment.completed, planned at 09:11:00, in 6 min/);
    await page.keyboard.press("End");
    await expect.poll(focused).toMatch(/^Attempt 4 of payment.completed would follow/);
    await page.keyboard.press("Home");
    await expect.poll(focused).toMatch(/^Attempt 1/);
    await page.keyboard.press("Enter");
    await heading("Failed: answered 503 after 0 ms").waitFor();
    expect((await sandbox.control("GET", "/clock")).body.now).toBe(before);

    const span = () => page.locator(".zoom-span").textContent();
    const fitted = await span();
    await page.locator(".stage").focus();
    await page.keyboard.press("+");
    await expect.poll(span).not.toBe(fitted);
    await page.keyboard.press("0");
    await expect.poll(span).toBe(fitted);

    const part = page.getByRole("slider", { name: "The part of the time that is shown" });
    const shown = () => part.getAttribute("aria-valuetext");
    const place = await shown();
    await part.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(shown).not.toBe(place);

    // Along the axis to the endpoint as it was, and back.
    const counter = () => page.locator(".endpoint-head .counter-text b").textContent();
    await expect.poll(counter).toBe("2");
    const time = page.getByRole("slider", { name: "Time to look at" });
    await time.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(counter).toBe("1");
    await page.getByText("As it was at 09:00:00").waitFor();
    await page.locator(".stage .mark.planned", { hasText: "" }).first().waitFor();
    expect(await page.locator(".stage .mark.attempt").count()).toBe(1);
    await page.keyboard.press("Escape");
    await expect.poll(counter).toBe("2");
  });
});
