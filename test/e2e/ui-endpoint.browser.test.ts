import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { expectFit } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { openUi } from "../support/ui.ts";
import { broken, sent } from "./ui-endpoint.ts";

describe.skipIf(!BROWSER)("your own endpoint", () => {
  test("a user gets from the first view to a handler's failing response in four clicks", async () => {
    const sandbox = await startSandbox();
    await sandbox.createLink();
    const subscriber = await startSubscriber(broken);
    const ui = await openUi(sandbox.url, "#/", { width: 1280, height: 800 });
    const { page, link, button, heading, problems } = ui;
    await page.evaluate("globalThis.clicks = 0; addEventListener('click', () => (clicks += 1), true)");
    await link("Register your endpoint").click();
    await page.getByLabel("Your handler’s URL").fill(subscriber.url.replace("http://127.0.0.1", "localhost"));
    await button("Create endpoint").click();
    await button("Paid").click();
    await sent(ui)
      .getByRole("link", { name: /payment\.completed/ })
      .click();
    await heading(/^Failed: returned 500/).waitFor();
    expect(await page.evaluate("clicks")).toBe(4);

    // The response comes first, complete and copyable; the other sections are collapsed.
    const details = page.getByRole("complementary", { name: "Details" });
    const answer = details.locator(".answer pre");
    expect(await answer.textContent()).toContain("TypeError: order is undefined");
    expect(await answer.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    expect(await details.locator("details[open]").count()).toBe(0);
    await details.getByRole("button", { name: "Copy the response" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^\{\n {2}"error"/);
    await details.getByText("Why it failed and what comes next").click();
    await details.getByText(/^Attempt 2 is due at 09:01:00, in 1 min\./).waitFor();

    // The details are shown next to the timeline. They do not cover it, and it has not moved. The URL contains only the
    // attempt.
    const box = async (name: string) => (await page.locator(name).boundingBox())!;
    expect((await box(".stage")).x + (await box(".stage")).width).toBeLessThanOrEqual(
      (await box(".beside")).x,
    );
    expect(await button("Fit").getAttribute("aria-pressed")).toBe("true");
    expect(page.url()).toMatch(/#\/webhooks\/wh_\w+\/del_\w+$/);
    await expectFit(ui, "attempt");
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!BROWSER)("outages", () => {
  test("an outage continues after the page is closed, appears on the timeline and is undone with one click", async () => {
    const sandbox = await startSandbox();
    let isFixed = false;
    const subscriber = await startSubscriber((...received) => {
      if (isFixed) received[1].end();
      else broken(...received);
    });
    const { id } = (await sandbox.control("POST", "/webhooks", { url: subscriber.url })).body;
    const ui = await openUi(sandbox.url, `#/webhooks/${id}`, { width: 1280 });
    const { page, button, clock, problems } = ui;
    const outage = page.getByRole("status", { name: "Outage" });
    const begun = page.waitForRequest(/\/outage$/);
    await button("What if it is down for three hours?").click();
    await begun;
    await page.reload();
    await clock.filter({ hasText: "12:00:00" }).waitFor();
    await outage.getByText(/^Disabled after 1 h 1 min at the 10th failure; 0 of 4 events arrived/).waitFor();
    // While the endpoint was down, the fault responded; in the end, the handler did.
    expect(subscriber.received).toHaveLength(4);
    await outage.getByRole("link", { name: "See the response" }).click();
    await ui.heading(/^Failed: returned 500/).waitFor();
    await page.locator(".answer", { hasText: "TypeError: order is undefined" }).waitFor();
    expect(await page.locator(".disabling.good, .toast.good").count()).toBe(0);
    await expectFit(ui, "outage");

    isFixed = true;
    await page.getByTestId("another-outage").click();
    await page.getByLabel("Down for", { exact: true }).fill("3x");
    await button("Play").click();
    expect(
      await page.getByLabel("Down for", { exact: true }).evaluate((field) => field.matches(":focus")),
    ).toBe(true);
    await page.getByLabel("Down for", { exact: true }).fill("30s");
    await page.getByRole("dialog").getByLabel("How", { exact: true }).selectOption("refused");
    await button("Play").click();
    await outage
      .getByText("8 failures in a row, and not disabled; all 8 events arrived after the fix.")
      .waitFor();
    await button("Undo the outage").click();
    await outage.getByText(/^Disabled after 1 h 1 min/).waitFor();
    expect(await clock.textContent()).toContain("12:00:00");
    // The page does not offer a second undo, because it would only revert the first one.
    await page.reload();
    await outage.waitFor();
    expect(await button("Undo the outage").count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!BROWSER)("rejected signatures", () => {
  test("the diagnosis explains a rejected signature by experiment, and one click sets the handler's secret", async () => {
    const sandbox = await startSandbox();
    const handler = await startSubscriber(({ headers, body }, response) => {
      const signature = createHmac("sha256", "whsec_of_the_handler").update(body).digest("hex");
      response.statusCode = headers["x-platform-signature"] === signature ? 204 : 400;
      response.end("No signatures found matching the expected signature for payload.");
    });
    const other = { url: "http://127.0.0.1:9/webhooks", secret: "whsec_of_the_handler" };
    await sandbox.control("POST", "/webhooks", other);
    const hook = await sandbox.createWebhook(handler.url);
    await sandbox.createLink();
    const { deliveries } = await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { id } = deliveries.find(({ webhook_id: of }: { webhook_id: string }) => of === hook.id);
    const ui = await openUi(sandbox.url, `#/webhooks/${hook.id}/${id}`, { width: 1100 });
    await ui.button("Find out why").click();
    const cause = ui.page.getByRole("status", { name: "Why the signature is refused" });
    await cause.getByText(/^It verifies with the secret of wh_\w+, which is another secret\./).waitFor();
    await expectFit(ui, "diagnosis");
    await ui.button("Use your handler’s secret, and retry").click();
    await ui.heading(/^Delivered: returned 204/).waitFor();
    const { data } = (await sandbox.control("GET", "/webhooks")).body;
    expect(data.find((one: { id: string }) => one.id === hook.id).secret).toBe("whsec_of_the_handler");
    expect(ui.problems).toEqual([]);
  });
});

describe.skipIf(!BROWSER)("sending to an endpoint", () => {
  test("one click sends the events of any checkout outcome, or finishes an open checkout", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const ui = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    const { page, link, button, fill, problems } = ui;
    await link("Send or pay").click();
    await button("Make one for 4.50 USDC").click();
    await fill("Order (client_reference_id)", "order_7");
    for (const [ending, events] of [
      ["Paid", ["payment.completed", "checkout.completed"]],
      ["Refused", ["payment.failed"]],
      ["The session expires", ["checkout.expired"]],
      ["Paid after it expired", ["payment.completed", "checkout.completed"]],
    ] as const) {
      await button(ending).click();
      await expect.poll(() => sent(ui).getByRole("link").allInnerTexts()).toHaveLength(events.length);
      for (const event of events) await sent(ui).getByRole("link", { name: event }).waitFor();
    }
    const all = (await sandbox.deliveries(hook.id)).map(({ event }: { event: string }) => event);
    expect(all.filter((event: string) => event === "checkout.expired")).toHaveLength(2);

    // A failed payment leaves its session open.
    const open = page.getByRole("region", { name: "Open sessions" }).getByRole("listitem");
    await expect.poll(() => open.count()).toBe(1);
    await sandbox.openSession({ client_reference_id: "order_8" });
    await button("Expire order_7").click();
    await expect.poll(() => sent(ui).getByRole("link").allInnerTexts()).toHaveLength(2);
    await button("Pay order_8").click();
    await expect.poll(() => open.count()).toBe(0);
    await expectFit(ui, "send or pay");
    expect(problems).toEqual([]);
  });
});
