import { describe, expect, test } from "vitest";
import { expectFit } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("the page sends an event of another sender", () => {
  test("with its example's body as it was edited, and says at the field what is wrong", async () => {
    const sandbox = await startSandbox({ settleTimeout: "5s" });
    const subscriber = await startSubscriber();
    const ui = await openUi(sandbox.url);
    const { page, button, go, problems } = ui;
    const views = page.getByRole("navigation", { name: "Views" });
    expect(await views.getByRole("link", { name: "Send an event" }).count()).toBe(0);
    await go("#/send");
    await page.getByText("--sender stripe").waitFor();

    await sandbox.control("POST", "/webhooks", { url: subscriber.url, sender: "github" });
    await sandbox.control("POST", "/webhooks", { url: subscriber.url, sender: "stripe" });
    await go("#/");
    await views.getByRole("link", { name: "Send an event" }).click();
    await page.getByLabel("Sender").selectOption("stripe");
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
    await page.route("**/senders/stripe/events", (route) =>
      route.fulfill({
        status: 413,
        json: { error: { code: "payload_too_large", message: "Too large.", hint: "Less." } },
      }),
    );
    await refused(JSON.stringify(example), /^Too large\. Less\.$/);
    await expectFit(ui, "send");
    await page.keyboard.press("f");
    await page.unroute("**/senders/stripe/events");

    example.data.object.client_reference_id = "order_7";
    await body.fill(JSON.stringify(example));
    await button("Send").click();
    await page
      .getByRole("status", { name: "Sent" })
      .getByText(/^Sent checkout\.session\.completed as evt_\w+ to 1 endpoint\.$/)
      .waitFor();
    expect(subscriber.received).toHaveLength(1);
    const received = JSON.parse(subscriber.received[0]!.body);
    expect(received).toMatchObject({ data: { object: { client_reference_id: "order_7" } } });
    expect(received.id).not.toBe(example.id);
    const { id } = (
      await sandbox.control("POST", "/webhooks", { url: `${subscriber.url}/off`, sender: "stripe" })
    ).body;
    await sandbox.control("POST", `/webhooks/${id}/disable`);
    await button("Send").click();
    const rows = page.getByRole("status", { name: "Sent" }).getByRole("listitem");
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringContaining("success 200"),
        expect.stringMatching(/\/off\s+disabled: not sent$/),
      ]);
    await page.getByRole("status", { name: "Sent" }).getByRole("link").first().click();
    await page.getByRole("heading", { name: /^Delivered/ }).waitFor();
    await page.getByRole("tab", { name: "Signature" }).click();
    await page.getByText("Made as stripe signs its webhooks.").waitFor();
    await page.locator(".tab-panel .pill.good").getByText("valid", { exact: true }).waitFor();
    expect(problems.filter((one) => !/413/.test(one))).toEqual([]);
  });
});
