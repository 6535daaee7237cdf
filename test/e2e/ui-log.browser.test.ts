import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

/** Creates an endpoint that was disabled, with its e-mail and its inbox, and calls to three areas. */
async function startEventful() {
  const sandbox = await startSandbox({ webhooks: { disableAfter: { consecutive: 2 } } });
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.pay({ session_id: (await sandbox.openSession()).id });
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
  const { transaction } = await sandbox.pay({ session_id: (await sandbox.openSession()).id });
  await sandbox.call("GET", "/data/insights/v1/tokens/lookup?symbol=USDC");
  await sandbox.call("GET", "/game/nothing-there");
  return { sandbox, hook, transaction };
}

describe.skipIf(!BROWSER)("the log", () => {
  test("the log lists entries of all areas, filters them by chip or text, and opens each one", async () => {
    const { sandbox, hook, transaction } = await startEventful();
    const { page, link, heading, problems } = await openUi(sandbox.url, "#/log");
    const rows = page.getByRole("region", { name: "Log, latest first" }).getByRole("link");
    const chip = (name: string) => page.getByRole("radio", { name, exact: true }).check({ force: true });
    const sheet = (name: string) => page.getByRole("article", { name });

    await chip("Mail");
    await rows.first().click();
    await sheet("E-mail")
      .getByText(/^E-mails are not sent/)
      .waitFor();
    await sheet("E-mail").getByRole("link", { name: "The endpoint" }).click();
    await page.waitForURL(`**/#/webhooks/${hook.id}`);
    await page.goBack();

    await chip("Inboxes");
    await rows.first().click();
    await sheet("Entry").getByRole("button", { name: "Copy as curl" }).click();
    const line = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(line).toMatch(/^curl -i -X POST 'http[^']*inbox\/shop' .*x-platform-signature/s);
    expect(line).not.toMatch(/content-length|-H 'host/i);

    await chip("Audit");
    await rows.filter({ hasText: "webhook.created" }).click();
    await sheet("Audit event").getByRole("link", { name: hook.id }).waitFor();

    await chip("API calls");
    await rows.filter({ hasText: "/insights/v1/tokens/lookup" }).click();
    await sheet("API call").getByRole("region", { name: "the response" }).getByText('"data"').waitFor();
    await page.getByRole("button", { name: /Copy the call as a curl command/ }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("tokens/lookup?symbol=USDC");
    await page.getByLabel("Search").fill("nothing-there");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel("Search").press("Escape");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("BODY");

    // An id links to everything that is known about it, and this also works in a filtered list.
    await page.goto(`${sandbox.url}/#/log?kind=journal&search=${transaction.id}`);
    await rows.filter({ hasText: "payment.completed" }).first().click();
    await heading(/^Payment/).waitFor();
    await sheet("Entry").getByRole("link", { name: transaction.id }).first().click();
    await page.waitForURL(`**/#/log?search=${transaction.id}`);
    await page.getByLabel("Search").fill("delivery.failed");
    await rows.first().click();
    await link("Open").click();
    await page.getByRole("article", { name: "Attempt" }).waitFor();
    await page.goBack();
    await page.getByLabel("Search").fill("no such thing");
    await page.getByText("Nothing matches.").waitFor();
    expect(problems).toEqual([]);
  });
});
