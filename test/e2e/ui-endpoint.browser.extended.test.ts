import { createHmac } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/index.ts";
import { expectFit, overflow, seriousFindings } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { openUi, type UiPage } from "../support/ui.ts";
import { fails, marks, sent } from "./ui-endpoint.ts";

const works = ({ page }: UiPage) => page.getByRole("radio", { name: "Works" });

describe.skipIf(!BROWSER)("your own endpoint", () => {
  test("three clicks register an inbox and simulate a three-hour outage", async () => {
    const sandbox = await startSandbox();
    const { page, link, button, problems } = await openUi(sandbox.url);
    await link("Register your endpoint").click();
    await button("Use a built-in inbox").click();
    await button("What if it is down for three hours?").click();
    await page
      .locator(".disabling.good")
      .getByText(/; all 4 events arrived after the fix\.$/)
      .waitFor();
    expect(problems).toEqual([]);
  });

  test("the first view mentions only the sender with which the sandbox was started", async () => {
    const { url, close } = await createSandbox({ senders: ["github"] });
    onTestFinished(close);
    const { page, link, button, heading, problems } = await openUi(url, "#/", { width: 390 });
    await page.getByText(/^Waiting for the first event/).waitFor();
    const text = await page.locator("body").innerText();
    expect(text).toContain("your GitHub webhooks");
    expect(text).not.toMatch(/demo shop|payment|coffee|platform/i);
    expect(await overflow(page)).toBe(0);
    await link("Register your endpoint").click();
    await page.getByText(/often in GITHUB_WEBHOOK_SECRET/).waitFor();
    await button("Use a built-in inbox").click();
    await heading("Send a GitHub event").waitFor();
    expect(problems).toEqual([]);
  });

  test("the form for a new endpoint shows errors next to their fields and offers every sender", async () => {
    const sandbox = await startSandbox();
    const ui = await openUi(sandbox.url, "#/webhooks/new");
    const { page, button, fill } = ui;
    const refused = async (label: string, text: string, why: RegExp) => {
      await fill(label, text);
      await button("Create endpoint").click();
      await page.locator(".field", { hasText: label }).locator(".field-error").getByText(why).waitFor();
      expect(await page.getByLabel(label).getAttribute("aria-invalid")).toBe("true");
    };
    await refused("Your handler’s URL", "shop.example/webhooks", /must be https, or http to localhost/);
    await fill("Your handler’s URL", "localhost:3000/webhooks");
    await refused("Signing secret", "x".repeat(201), /^The secret has 201 characters\./);
    await fill("Signing secret", "whsec_mine");
    await page.getByLabel("Sender").selectOption("github");
    await page.getByText("Only some events").click();
    await page.getByLabel("push", { exact: true }).check();
    await expectFit(ui, "new endpoint");
    await button("Create endpoint").click();
    await page.getByRole("heading", { name: "Send a GitHub event" }).waitFor();
    expect((await sandbox.control("GET", "/webhooks")).body.data).toMatchObject([
      { url: "http://localhost:3000/webhooks", sender: "github", secret: "whsec_mine", events: ["push"] },
    ]);
  });
});

describe.skipIf(!BROWSER)("sending to an endpoint", () => {
  test("the page sends a sender's example event with the edited body", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber();
    const { id } = (await sandbox.control("POST", "/webhooks", { url: subscriber.url, sender: "stripe" }))
      .body;
    const ui = await openUi(sandbox.url, `#/webhooks/${id}`);
    const { page, link, button, problems } = ui;
    await page.locator("main").getByText("0 failures in a row").waitFor();
    await link("Send").click();
    await page.getByLabel("Event", { exact: true }).selectOption("checkout.session.completed");
    const body = page.getByLabel("Body");
    const example = JSON.parse(await body.inputValue());
    const refused = async (text: string, why: RegExp) => {
      await body.fill(text);
      await button("Send").click();
      await expect.poll(() => page.locator(".field-error").textContent()).toMatch(why);
      expect(await body.getAttribute("aria-invalid")).toBe("true");
    };
    await refused("{", /^This is not JSON: /);
    await refused("[]", /must be a JSON object/);
    await refused("{}", /^id is in every event of this type/);
    await expectFit(ui, "send");

    example.data.object.client_reference_id = "order_7";
    await body.fill(JSON.stringify(example));
    await button("Send").click();
    await sent(ui).getByRole("link", { name: "200 checkout.session.completed" }).waitFor();
    const received = JSON.parse(subscriber.received[0]!.body);
    expect(received).toMatchObject({ data: { object: { client_reference_id: "order_7" } } });
    expect(received.id).not.toBe(example.id);
    subscriber.answer = 500;
    await button("Send").click();
    await page.locator("main").getByText("1 failure in a row", { exact: true }).waitFor();
    await sandbox.control("POST", `/webhooks/${id}/disable`);
    await button("Send").click();
    await page.getByText("Nothing was sent: the endpoint is disabled.").waitFor();
    await page.locator(".stage .mark.good").click();
    await page.getByText("Signature", { exact: true }).click();
    await page.getByText("Made as Stripe signs its webhooks.").waitFor();
    await page.locator(".fold .pill.good").getByText("yes", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!BROWSER)("failing endpoints", () => {
  test("one click enables a failing endpoint and retries its deliveries, and a failure is not shown as success", async () => {
    const sandbox = await startSandbox({ webhooks: { disableAfter: { consecutive: 2 } } });
    const subscriber = await startSubscriber(500);
    const hook = await sandbox.createWebhook(subscriber.url);
    await sandbox.createLink();
    const ui = await openUi(sandbox.url, `#/webhooks/${hook.id}/send`);
    const { page, button } = ui;
    await button("Paid").click();
    const banner = page.getByRole("alert", { name: "Disabled endpoint" });
    await banner.getByText("after 2 failures in a row").waitFor();
    for (const [look, rules] of [
      [{ colorScheme: "light" }, "all"],
      [{ colorScheme: "dark" }, "colours"],
      [{ forcedColors: "active" }, "all"],
    ] as const) {
      await page.emulateMedia(look);
      expect({ look, findings: await seriousFindings(page, rules, ".disabling") }).toEqual({
        look,
        findings: [],
      });
    }
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });

    await button("Enable and retry").click();
    await page.locator(".toast.plain").getByText("Retried 2 deliveries: 2 failed.").waitFor();
    await banner.getByText("2 events failed and can be retried").waitFor();
    expect(await page.locator("main .good:is(.pill, .disabling), .toast.good").count()).toBe(0);
    subscriber.answer = 200;
    await button("Enable and retry").press("Enter");
    await page.locator(".toast.good").getByText("Retried 2 deliveries: 2 delivered.").waitFor();
    await page.getByText("All 2 events that failed arrived.").waitFor();
    await page
      .getByRole("status", { name: "Disabled endpoint" })
      .getByRole("button", { name: "Dismiss" })
      .click();
    await expect.poll(() => page.locator(".disabling").count()).toBe(0);
  });

  test('the fault switch shows the state of an endpoint, and never shows "works" before the state is known', async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const ui = await openUi(sandbox.url, "#/log", { presenting: true });
    const { page, button, fill, menu, go } = ui;
    const spec = async () => (await sandbox.control("GET", `/webhooks/${hook.id}/fault`)).body.spec;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/fault", async (route) => {
      await released;
      await route.continue();
    });
    await page.evaluate(`void (location.hash = "#/webhooks/${hook.id}")`);
    await menu("fault");
    await page.getByText("Loading its fault…").waitFor();
    expect(await works(ui).isChecked()).toBe(false);
    release();
    await page.getByText("No fault is set: your server decides how it responds.").waitFor();
    expect(await works(ui).isChecked()).toBe(true);
    await page.unroute("**/fault");
    await page.route("**/fault", (route) =>
      route.request().method() === "PUT" ? route.abort() : route.continue(),
    );
    await fails(ui).click({ force: true });
    await page.getByText("The sandbox does not respond.").waitFor();
    await expect.poll(() => works(ui).isChecked()).toBe(true);
    await page.unroute("**/fault");
    await menu("fault");

    await page.getByLabel("How", { exact: true }).selectOption("refused");
    expect(await spec()).toBeNull();
    await button("Make it fail").click();
    await expect.poll(spec).toEqual({ kind: "refused" });
    await page.getByRole("radio", { name: "Fails: Refused", checked: true }).waitFor();
    await page.getByLabel("How", { exact: true }).selectOption("status");
    await page.getByLabel("How often").selectOption("times");
    await fill("Status", "500");
    await page.getByLabel("Status").press("Enter");
    await expect.poll(spec).toEqual({ kind: "status", status: 500, times: 2 });
    await page.getByText("It returns 500, 2 times.").waitFor();
    await fill("Status", "200");
    await page.getByLabel("Status").press("Enter");
    expect(await page.locator("input:invalid").count()).toBe(1);
    await page.getByLabel("How", { exact: true }).selectOption("sequence");
    await fill("Steps", "500, explode");
    await page.getByLabel("Steps").press("Enter");
    await page.getByText(/^sequence\[1\] must be one of status, .* not 'explode'\.$/).waitFor();
    await page.keyboard.press("Escape");
    await works(ui).check({ force: true });
    await expect.poll(spec).toBeNull();
    expect(await fails(ui).isChecked()).toBe(false);
    await go("#/log");
  });

  test("the page can retry, resend and jump to an attempt", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
      events: ["payment.completed"],
    });
    const pay = async () => sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { sequence: ["timeout", 500] });
    await pay();
    await sandbox.advance("30s");
    const ui = await openUi(sandbox.url, `#/webhooks/${hook.id}?list=inbox`);
    const { page, heading, button, menu, problems } = ui;
    await marks(ui, "bad").click();
    await heading("Failed: no complete response within 30 s").waitFor();
    // No handler responded, so the reason is shown first.
    await page.getByText(/Did not respond within 30 ?s.*simulated.*fault timeout/).waitFor();
    await page.getByText("Attempt 2 is due at 09:01:30, in 1 min.").waitFor();
    await marks(ui, "planned").click();
    await heading("Attempt 2 of payment.completed").waitFor();
    await button("Advance to it").click();
    await heading(/^Failed: returned 500/).waitFor();
    const [, second] = await sandbox.deliveries(hook.id);
    expect(page.url()).toContain(`#/webhooks/${hook.id}/${second.id}?list=inbox`);

    // Do the same with the keyboard, and then let another client advance the clock.
    await marks(ui, "planned").focus();
    await page.keyboard.press("Enter");
    await heading("Attempt 3 of payment.completed").waitFor();
    await sandbox.advance("10m");
    await heading(/^Delivered: returned 200/).waitFor();
    await sandbox.advance("1m");
    await button("Resend").click();
    await page.getByText("Resent, and delivered.").waitFor();
    await expect.poll(() => page.locator(".mark.attempt.resend").count()).toBe(1);
    // The list keeps showing the inbox, whichever link within the endpoint is followed.
    const resent = (await sandbox.deliveries(hook.id)).at(-1);
    await expect.poll(() => page.url()).toContain(`#/webhooks/${hook.id}/${resent.id}?list=inbox`);
    await page.goBack();
    await heading(/^Delivered: returned 200/).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".beside").count()).toBe(0);

    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { status: 503, times: 2 });
    await pay();
    await pay();
    await menu("endpoint");
    await button("Retry all failed since…").click();
    await page.getByLabel("Failed since").fill("soon");
    await button("Retry all").click();
    await page.getByText('"soon" is not a duration').waitFor();
    await page.getByLabel("Failed since").fill("1h");
    await button("Retry all").click();
    await page.getByText("Retried 2 deliveries: 2 delivered.").waitFor();
    await expect
      .poll(() => page.locator(".message", { hasText: "signature valid" }).count())
      .toBeGreaterThan(3);
    // The invalid duration causes an error response, which browsers log.
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
  });
});

describe.skipIf(!BROWSER)("outages and rejected signatures", () => {
  test("the page shows the whole two-day outage after a reload and can undo it", async () => {
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
    // The advice is outdated if the event has arrived since.
    await ui.go(refused);
    await ui.heading(/^Failed: returned 400/).waitFor();
    expect(await ui.button("Find out why").count()).toBe(0);
  });
});
