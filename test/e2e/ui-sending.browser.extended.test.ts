import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

/** Holds back and records the requests that the page sends. */
async function holdSending(page: Page) {
  const sent: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/_sandbox/**", async (route) => {
    const request = route.request();
    if (request.method() !== "GET") {
      sent.push(`${request.method()} ${new URL(request.url()).pathname.replace(/[a-z]+_\w{16}/g, "ID")}`);
      await released;
    }
    await route.continue();
  });
  return { sent, release };
}

describe.skipIf(!BROWSER)("double-clicks on the page", () => {
  test("clicking a button or submitting a form again before the response arrives sends only one request", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const { page, button, menu } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    const first = await holdSending(page);
    const twice = async (name: string, within?: string) => {
      const one = page.getByRole("button", { name, exact: true });
      if (within) await menu(within);
      await one.click();
      await page.locator(`[aria-busy=true]`, { hasText: name }).waitFor({ state: "attached" });
      if (within) await menu(within);
      await one.press("Enter");
      if (!within) await one.click();
    };
    const more = "endpoint";
    await twice("Send test", more);
    await twice("Disable", more);
    await twice("Resume");
    // The responses arrive in any order, and the response to the test opens its attempt. Actions that open other views
    // must wait for that response.
    first.release();
    await page.getByRole("heading", { name: /^Delivered/ }).waitFor();
    await page.goto(`${sandbox.url}/#/webhooks/new`);
    await page.getByLabel("Your handler’s URL").fill(`${sandbox.url}/_sandbox/inbox/mine`);
    const second = await holdSending(page);
    await twice("Create endpoint");
    expect([...first.sent, ...second.sent]).toEqual([
      "POST /_sandbox/webhooks/ID/test",
      "POST /_sandbox/webhooks/ID/disable",
      "POST /_sandbox/clock/resume",
      "POST /_sandbox/webhooks",
    ]);
    second.release();
    await page.getByRole("heading", { name: /inbox\/mine$/ }).waitFor();
    await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
    await menu(more);
    await button("Send test").click();
    await page.getByRole("heading", { name: /^Delivered/ }).waitFor();
  });

  test("a double-click sends only one request, even if the response arrives between the two clicks", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.createLink();
    const { page, button, fill, menu } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    const count = async (...types: string[]) => (await sandbox.journal(types.join(","))).length;

    /** Simulates both clicks of a double-click, with everything that the first one causes in between. */
    const twice = async (name: string | RegExp, followed: () => Promise<unknown>) => {
      const box = (await page.getByRole("button", { name, exact: true }).last().boundingBox())!;
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down({ clickCount: 1 });
      await page.mouse.up({ clickCount: 1 });
      await followed();
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
    };
    await menu("endpoint");
    await twice("Send test", () => page.getByRole("heading", { name: /^Delivered/ }).waitFor());
    await page.getByRole("link", { name: "Close the details" }).click();
    await menu("endpoint");
    await twice("Disable", () => button("Enable").last().waitFor());
    await page.getByRole("link", { name: "Send or pay" }).click();
    await button("Paid").waitFor();
    await twice("Paid", () => page.getByText("Nothing was sent: the endpoint is disabled.").waitFor());
    await menu("world");
    await button("Save…").click();
    await fill("Snapshot name", "one");
    await twice("Save", () => page.getByText("The world is saved as one.").waitFor());

    expect((await sandbox.webhook(hook.id)).status).toBe("disabled");
    expect(await count("payment.completed")).toBe(1);
    expect((await sandbox.deliveries(hook.id)).filter(({ trigger }) => trigger === "test")).toHaveLength(1);
    expect((await sandbox.control("GET", "/snapshots")).body.data).toHaveLength(1);
  });
});
