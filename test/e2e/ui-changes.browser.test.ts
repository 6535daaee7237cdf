import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("the page in a hand", () => {
  test("two fingers zoom the timeline, and so does a wheel with Ctrl; messages cover nothing for good", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.advance("1h");
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, button } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, { width: 360, height: 740 });
    await page.locator(".stage .mark.good").first().waitFor();
    const span = () => page.locator(".zoom-span").textContent();
    const fitted = await span();
    await page.locator(".stage").scrollIntoViewIfNeeded();
    const box = (await page.locator(".stage").boundingBox())!;
    const touch = await page.context().newCDPSession(page);
    const fingers = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
      touch.send("Input.dispatchTouchEvent", {
        type,
        touchPoints:
          type === "touchEnd"
            ? []
            : [-apart, apart].map((dx, id) => ({
                id,
                x: box.x + box.width / 2 + dx,
                y: box.y + box.height / 2,
              })),
      });
    await fingers("touchStart", 30);
    for (const apart of [40, 60, 80, 100]) await fingers("touchMove", apart);
    await fingers("touchEnd", 0);
    await expect.poll(span).not.toBe(fitted);
    const pinched = await span();
    await page.mouse.move(box.x + 50, box.y + 50);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, 200);
    await page.keyboard.up("Control");
    await expect.poll(span).not.toBe(pinched);

    await page.getByTestId("advance-1d").click();
    await page.locator(".summary [role=status]").waitFor();
    await page.getByTestId("menu-endpoint").click();
    await button("Disable").click();
    await page.getByText("The endpoint is disabled.").waitFor();
    const free = await page.evaluate(`(() => {
      scrollTo(0, document.documentElement.scrollHeight);
      const content = document.querySelector(".endpoint-list").getBoundingClientRect().bottom;
      return document.querySelector(".toast").getBoundingClientRect().top - content;
    })()`);
    expect(free).toBeGreaterThanOrEqual(-1);
  });
});
