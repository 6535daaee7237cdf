import { describe, expect, test } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("what is changed from the page", () => {
  test("a reset can be undone, and adds no snapshot", async () => {
    const sandbox = await startSandbox();
    await sandbox.createLink({ name: "Tea" });
    const { page, go, button, problems } = await openUi(sandbox.url, "#/snapshots");
    const reset = async () => {
      await button("Reset the world…").click();
      await page.getByText("You can undo this").waitFor();
      expect(await seriousFindings(page, "all", "dialog")).toEqual([]);
      await page.getByRole("dialog").getByRole("button", { name: "Reset", exact: true }).click();
      await page.getByText(/The world was reset to the fixtures of the seed empty/).waitFor();
    };
    await reset();
    await go("#/payments/links");
    await page.getByText("There is no payment link yet.").waitFor();
    await page.getByTestId("undo").click();
    await page.getByRole("link", { name: "Tea", exact: true }).waitFor();
    await go("#/snapshots");
    await page.getByText("No snapshots yet.").waitFor();
    expect(problems).toEqual([]);
  });

  test("a payment link is edited, deactivated, and both are undone", async () => {
    const sandbox = await startSandbox();
    const { id } = await sandbox.createLink({ name: "Tea", amount: "2500000" });
    const { page, link, button, heading, fill, problems } = await openUi(
      sandbox.url,
      `#/payments/links/${id}`,
    );
    await link("Edit").click();
    expect(await page.getByLabel("Amount").inputValue()).toBe("2.50");
    expect(await seriousFindings(page, "all", "main")).toEqual([]);
    await fill("Name", "Green tea");
    await fill("Amount", "3.75");
    await fill("Expires", "soon");
    await button("Save").click();
    await page.locator(".field-error").waitFor();
    await fill("Expires", "");
    await button("Save").click();
    await heading("Green tea").waitFor();
    await page.getByText("3.75 USDC").waitFor();
    await page.getByTestId("undo").click();
    await heading("Tea").waitFor();

    await button("Deactivate").click();
    await page.getByText("inactive", { exact: true }).waitFor();
    expect(await page.getByTestId("pay").isDisabled()).toBe(true);
    await page.getByTestId("undo").click();
    await page.getByText("active", { exact: true }).waitFor();
    expect(problems).toEqual([expect.stringContaining("400 (Bad Request)")]);
  });

  test("the payments of another organization are looked at, and made", async () => {
    const sandbox = await startSandbox();
    await sandbox.createLink({ name: "Tea" });
    const other = (
      await sandbox.api("POST", "/payment-links", {
        body: { name: "Rope", amount: "1000000" },
        key: sandbox.keys.other,
      })
    ).body;
    const { page, link, go, heading, problems } = await openUi(sandbox.url, "#/payments");
    await link("Tea").waitFor();
    const organization = page.getByLabel("Organization");
    const [, second] = (await sandbox.control("GET", "/status")).body.organizations;
    await organization.selectOption(second.id);
    await link("Rope").click();
    await heading("Rope").waitFor();
    await page.locator(".facts").getByText(second.name).waitFor();
    await page.getByTestId("pay").click();
    await page.getByRole("dialog").getByRole("button", { name: "Pay", exact: true }).click();
    await heading("Payment story").waitFor();
    await go("#/payments/transactions");
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await page.reload();
    await page.getByText("Nothing was paid yet.").waitFor();
    await go(`#/payments/links/${other.id}`);
    await heading("Rope").waitFor();
    // The first organization is asked for the link before the second.
    expect(problems.every((text) => text.includes("404"))).toBe(true);
  });
});

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

  test("the view that is open is in sight in the navigation", async () => {
    const sandbox = await startSandbox();
    const { page, go } = await openUi(sandbox.url, "#/", { width: 360, height: 740 });
    const hashes = (await page
      .locator("nav.nav a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")))) as string[];
    expect(hashes.length).toBeGreaterThanOrEqual(9);
    for (const hash of hashes) {
      await go(hash);
      const hidden = await page.evaluate(`(() => {
        const list = document.querySelector(".nav-groups").getBoundingClientRect();
        const link = document.querySelector("nav.nav a[aria-current]").getBoundingClientRect();
        return link.left < list.left || link.right > list.right;
      })()`);
      expect({ hash, hidden }).toEqual({ hash, hidden: false });
    }
  });
});
