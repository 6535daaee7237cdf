import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

/** The README's first page, by clicks alone. */
describe.skipIf(!BROWSER)("the story of a webhook that fails, by clicks alone", () => {
  test("from a new endpoint over ten failures to its recovery", async () => {
    const sandbox = await startSandbox();
    const { page, button, link, heading, fill, shot, clock, problems } = await openUi(sandbox.url);
    const marks = (kind: string) => page.locator(`.stage .mark.${kind}`);
    const counter = page.locator(".endpoint-head .counter-text");
    const pay = async () => {
      await page.getByTestId("pay").click();
      const dialog = page.getByRole("dialog", { name: "Make a payment" });
      await dialog.getByText("13.50 USDC for House espresso, 1 kg").waitFor();
      await dialog.getByRole("button", { name: "Pay" }).click();
      await dialog.waitFor({ state: "detached" });
    };

    await sandbox.createLink({ name: "House espresso, 1 kg", amount: "13500000" });

    // A subscriber that is already there.
    await shot("story-1-empty", "seen");
    await link("Endpoint").click();
    await fill("Name of the inbox", "my/shop");
    await page.getByText("1 to 100 letters, digits, dots, hyphens and underscores.").waitFor();
    await fill("Name of the inbox", "shop");
    await button("Create endpoint").click();
    await heading(/_sandbox\/inbox\/shop$/).waitFor();

    // It works.
    await pay();
    await expect.poll(() => marks("good").count()).toBe(2);
    expect(await marks("planned").count()).toBe(0);

    // It fails: the future is drawn before it comes.
    await page.getByRole("switch").click();
    await page.getByText("From now on the subscriber fails: answers 503.").waitFor();
    await page.getByTestId("advance-10m").click();
    await pay();
    await expect.poll(() => marks("bad").count()).toBe(2);
    await expect.poll(() => marks("planned").count()).toBe(2);
    await expect.poll(() => counter.textContent()).toMatch(/^2 \/ 10/);
    await shot("story-2-ghosts", "seen");

    // A dry run first, then the hour.
    await page.getByTestId("advance-1h").hover();
    const preview = page.locator(".preview");
    await preview.getByText("4 attempts").waitFor();
    await shot("story-3-preview", "seen");
    await page.getByTestId("advance-1h").click();
    await page
      .locator(".summary")
      .getByText(/4 attempts failed/)
      .waitFor();
    await expect.poll(() => clock.textContent()).toContain("10:10:00");
    await expect.poll(() => counter.textContent()).toMatch(/^6 \/ 10/);
    await expect.poll(() => marks("planned").count()).toBe(2);
    await shot("story-4-advanced", "seen");

    // The fourth attempts fail, and with the next payment the tenth.
    await page.getByTestId("advance-1h").click();
    await expect.poll(() => counter.textContent()).toMatch(/^8 \/ 10/);
    await pay();
    await page.locator(".endpoint-head .pill.bad", { hasText: "disabled" }).waitFor();
    await expect.poll(() => counter.textContent()).toMatch(/^10 \/ 10/);
    await page.locator(".flag.disabled").first().waitFor();
    await page.locator(".flag.mail").first().waitFor();
    await shot("story-5-disabled", "seen");

    // The owner is told.
    await link("Mail").click();
    await heading("Webhook endpoint disabled after 10 failed deliveries").waitFor();
    await shot("story-6-mail", "seen");
    await link("The endpoint").click();

    // Fixed, enabled, and what was missed is sent again.
    await page.getByRole("switch").click();
    await page.getByText("The subscriber works again.").waitFor();
    await button("Enable again").click();
    await page.locator(".endpoint-head .pill.good", { hasText: "enabled" }).waitFor();
    await expect.poll(() => counter.textContent()).toMatch(/^0 \/ 10/);
    await page.locator(".attempt-row", { hasText: "503" }).first().click();
    await heading(/^Failed: answered 503/).waitFor();
    await shot("story-7-attempt", "seen");
    await button("Retry now").click();
    await heading(/^Delivered: answered 200/).waitFor();

    // Every byte of it, and how it is signed.
    await page.getByRole("tab", { name: "Signature" }).click();
    await page.getByText("the same", { exact: true }).waitFor();
    await page.waitForURL(/[?&]part=signature/);
    await shot("story-8-signature", "seen");
    await page.getByRole("tab", { name: "What the inbox got" }).click();
    await page.locator(".message").first().waitFor();
    expect(await page.locator(".message", { hasText: "signature valid" }).count()).toBe(3);
    await page.reload();
    await page.getByText("the same", { exact: true }).waitFor();
    await page.locator(".message").first().waitFor();
    expect(problems).toEqual([]);
  });

  test("an attempt says why it failed and what comes next; a ghost can be gone to", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
      events: ["payment.completed"],
    });
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { sequence: ["timeout", 500] });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await sandbox.advance("30s");
    const { page, heading, button, clock } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);

    await page.locator(".stage .mark.bad").click();
    await heading("Failed: no complete answer within 30 s").waitFor();
    await page.getByText(/Did not answer within 30 ?s.*simulated.*fault timeout/).waitFor();
    await page.getByText("Attempt 2 is due at 09:01:30, in 1 min.").waitFor();

    await page.locator(".stage .mark.planned").click();
    await heading("Attempt 2 of payment.completed").waitFor();
    await button("Advance to it").click();
    await expect.poll(() => clock.textContent()).toContain("09:01:30");
    await heading(/^Failed: answered 500/).waitFor();
    await page.getByText("Attempt 3 is due at 09:11:30, in 10 min.").waitFor();
    await button("Advance: Next due").click();
    await page.getByText("It arrived later, at 09:11:30, with attempt 3.").waitFor();
  });
});
