import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { expectFit } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { openUi, type UiPage } from "../support/ui.ts";
import { broken, marks, sent } from "./ui-endpoint.ts";

const counter = ({ page }: UiPage) => page.locator(".endpoint-head .counter-text");

describe.skipIf(!BROWSER)("your own endpoint", () => {
  test("a handler's failing answer is four clicks away from the first view", async () => {
    const sandbox = await startSandbox();
    await sandbox.createLink();
    const subscriber = await startSubscriber(broken);
    const ui = await openUi(sandbox.url, "#/", { width: 1280, height: 800 });
    const { page, link, button, heading, problems } = ui;
    await page.evaluate("globalThis.clicks = 0; addEventListener('click', () => (clicks += 1), true)");
    await link("Register your endpoint").click();
    await page
      .getByLabel("URL of your handler")
      .fill(subscriber.url.replace("http://127.0.0.1", "localhost"));
    await button("Create endpoint").click();
    await button("Paid").click();
    await sent(ui)
      .getByRole("link", { name: /payment\.completed/ })
      .click();
    await heading(/^Failed: returned 500/).waitFor();
    expect(await page.evaluate("clicks")).toBe(4);

    // The answer is first, whole and can be copied; the rest is folded.
    const details = page.getByRole("complementary", { name: "Details" });
    const answer = details.locator(".answer pre");
    expect(await answer.textContent()).toContain("TypeError: order is undefined");
    expect(await answer.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    expect(await details.locator("details[open]").count()).toBe(0);
    await details.getByRole("button", { name: "Copy the response" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^\{\n {2}"error"/);
    await details.getByText("Why it failed and what comes next").click();
    await details.getByText(/^Attempt 2 is due at 09:01:00, in 1 min\./).waitFor();

    // Beside the timeline, which covers nothing and has not moved: its address is the attempt's alone.
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
    // While it was down the fault answered; at the end the handler did.
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
    // The page offers no further undo: it would only revert this one.
    await page.reload();
    await outage.waitFor();
    expect(await button("Undo the outage").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("after a reload, the page shows the whole two-day outage and can undo it", async () => {
    const sandbox = await startSandbox();
    const { url } = await startSubscriber();
    const { id } = (await sandbox.control("POST", "/webhooks", { url, sender: "stripe" })).body;
    await sandbox.control("POST", `/webhooks/${id}/outage`, { duration: "2d", kind: "timeout" });
    const ui = await openUi(sandbox.url, `#/webhooks/${id}`);
    await ui.page
      .getByRole("status", { name: "Outage" })
      .getByText("both events arrived after the fix")
      .waitFor();
    await expect.poll(() => marks(ui, "bad").count()).toBeGreaterThan(9);
    await ui.button("Undo the outage").click();
    await ui.page.getByText("The outage is undone.").waitFor();
    await ui.clock.filter({ hasText: "09:00:00" }).waitFor();
    await expect.poll(() => marks(ui, "bad").count()).toBe(0);
    expect(ui.problems).toEqual([]);
  });
});

describe.skipIf(!BROWSER)("refused signatures", () => {
  test("the diagnosis explains a refused signature by experiment, and one click sets the handler's secret", async () => {
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

  test("entering the right secret saves it, and the rejected event is then delivered", async () => {
    const sandbox = await startSandbox();
    const handler = await startSubscriber(({ headers, body }, response) => {
      const at = /t=(\d+)/.exec(String(headers["stripe-signature"]))?.[1];
      const signature = createHmac("sha256", "whsec_nobody_knows").update(`${at}.${body}`).digest("hex");
      response.statusCode = String(headers["stripe-signature"]).includes(signature) ? 204 : 400;
      response.end("No signatures found matching the expected signature for payload.");
    });
    const registered = { url: handler.url, sender: "stripe", secret: "whsec_typed_wrong" };
    const hook = (await sandbox.control("POST", "/webhooks", registered)).body.id;
    const sent = (await sandbox.control("POST", "/senders/stripe/events", { type: "invoice.paid" })).body;
    const refused = `#/webhooks/${hook}/${sent.deliveries[0].id}`;
    const ui = await openUi(sandbox.url, refused, { width: 1280 });
    await ui.button("Find out why").click();
    await ui.page.getByLabel("The secret that your handler uses").fill("whsec_nobody_knows");
    await ui.button("Use it, and retry").click();
    await ui.heading(/^Delivered: returned 204/).waitFor();
    await ui.page.getByText("This endpoint now has that secret, and your handler accepts it.").waitFor();
    // The advice is stale where the event has arrived since.
    await ui.go(refused);
    await ui.heading(/^Failed: returned 400/).waitFor();
    expect(await ui.button("Find out why").count()).toBe(0);
  });
});

describe.skipIf(!BROWSER)("sending to an endpoint", () => {
  test("one click sends each ending of a checkout, or finishes an open one", async () => {
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

    // A refused payment leaves its session open.
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

const SCRIPT = readFileSync(new URL("../../docs/demo.md", import.meta.url), "utf8");
/** What each step of the script tells to click, in its order. */
const STEPS = SCRIPT.split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => [...line.split("|")[2]!.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name!));

describe.skipIf(!BROWSER)("failing endpoints", () => {
  test("the demo script works in presentation mode, and everything has recovered at the end", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const ui = await openUi(sandbox.url, "#/", { presenting: true });
    const { page, clock, menu, shot, problems } = ui;
    const clicked: string[][] = [];
    const step = () => void clicked.push([]);
    const click = async (name: string, role: "button" | "link" | "radio" = "button") => {
      clicked.at(-1)!.push(name);
      await page.getByRole(role, { name, exact: true }).click({ force: role === "radio" });
    };
    /** A payment that is made before the advance has ended would be made in its past. */
    const advance = async (by: string, to: string) => {
      clicked.at(-1)!.push(by);
      await page.getByRole("button", { name: `Advance: ${by}`, exact: true }).click();
      await clock.filter({ hasText: to }).waitFor();
    };

    step();
    await menu("places");
    await click("Endpoint", "link");
    await click("Use a built-in inbox");
    step();
    await click("Paid");
    await expect.poll(() => marks(ui, "good").count()).toBe(2);
    step();
    await click("Fails: 503", "radio");
    await page.getByText(/^From now on the subscriber fails/).waitFor();
    await advance("+10 min", "09:10:00");
    await click("Paid");
    await expect.poll(() => marks(ui, "bad").count()).toBe(2);
    await expect.poll(() => marks(ui, "planned").count()).toBe(2);
    await shot("demo-future", "seen");
    step();
    // A day has much of the demo shop, but the preview speaks of the endpoint that is looked at.
    await page.getByRole("button", { name: "Advance: +1 day", exact: true }).hover();
    await page.locator(".preview li").first().waitFor();
    expect(await page.locator(".preview li .ellipsis").allInnerTexts()).toEqual([
      "Attempt 2 of payment.completed",
      "Attempt 2 of checkout.completed",
    ]);
    await page.getByRole("button", { name: "Advance: +1 h", exact: true }).hover();
    await page.locator(".preview ol").waitFor();
    await advance("+1 h", "10:10:00");
    await page
      .locator(".summary")
      .getByText(/4 attempts failed/)
      .waitFor();
    await expect.poll(() => counter(ui).textContent()).toMatch(/^6 \/ 10/);
    step();
    await click("Paid");
    await expect.poll(() => counter(ui).textContent()).toMatch(/^8 \/ 10/);
    await advance("+1 h", "11:10:00");
    await page.locator(".endpoint-head .pill.bad", { hasText: "disabled" }).waitFor();
    await page.locator(".flag.mail").first().waitFor();
    await shot("demo-disabled", "seen");
    step();
    await click("Fix, enable and retry");
    await page.getByText("All 4 events that failed arrived.").waitFor();
    expect(await counter(ui).textContent()).toMatch(/^0 \/ 10/);
    await expect.poll(() => marks(ui, "manual.good").count()).toBe(4);
    await marks(ui, "manual.good").last().click();
    clicked.at(-1)!.push("Signature");
    await page.getByText("Signature", { exact: true }).click();
    await page.getByText("the same", { exact: true }).waitFor();

    expect(clicked).toEqual(STEPS);
    expect(STEPS.length).toBeLessThanOrEqual(6);
    expect(problems).toEqual([]);
  });
});
