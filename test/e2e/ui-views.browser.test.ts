import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { expectFit, seriousFindings, THEMES } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { oddControls, openUi } from "../support/ui.ts";

/** A world in which each view has something to show. */
async function livelyWorld(): Promise<{ sandbox: TestSandbox; views: [name: string, hash: string][] }> {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, { description: "Orders" });
  const pay = () => sandbox.pay({ payment_link_id: "coffee", client_reference_id: "order_1042" });
  await pay();
  await sandbox.advance("4m");
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, {
    sequence: [503, "timeout", "refused", 500, 500, 500],
  });
  const { transaction } = await pay();
  await sandbox.advance("3m");
  await pay();
  await sandbox.api("POST", "/products", { body: {}, key: sandbox.keys.read });
  const deliveries = await sandbox.deliveries(hook.id);
  const failed = deliveries.find(({ status }) => status === "failed");
  const calls = (await sandbox.control("GET", "/requests")).body.data;
  const mail = await sandbox.mail();
  return {
    sandbox,
    views: [
      ["overview", "#/"],
      ["connect", "#/connect"],
      ["webhooks", "#/webhooks"],
      ["endpoint", `#/webhooks/${hook.id}`],
      ["attempt", `#/webhooks/${hook.id}/${failed.id}`],
      ["new-endpoint", "#/webhooks/new"],
      ["inboxes", "#/inboxes"],
      ["inbox", "#/inboxes/shop"],
      ["links", "#/payments/links"],
      ["link", `#/payments/links/${transaction.payment_link_id}`],
      ["new-link", "#/payments/links/new"],
      ["sessions", "#/payments/sessions"],
      ["transactions", "#/payments/transactions"],
      ["story", `#/payments/story/${transaction.id}`],
      ["calls", `#/activity/calls/${calls.at(-1).id}`],
      ["journal", "#/activity/journal/3"],
      ["mail", `#/mail/${mail.at(-1)!.id}`],
      ["audit", "#/audit"],
    ],
  };
}

/** Their other tests do not look at their controls. */
const OTHER_VIEWS = ["scenarios", "scenarios/retry-and-recover"];

describe.skipIf(!BROWSER)("each view of the page", () => {
  test("is accessible and keeps to its width, in both themes and presenting", async () => {
    const { sandbox, views } = await livelyWorld();
    const opened = await openUi(sandbox.url);
    const { page, go, problems } = opened;
    for (const view of OTHER_VIEWS) {
      await go(`#/${view}`);
      expect({ view, odd: await oddControls(page) }).toEqual({ view, odd: [] });
    }
    for (const [view, hash] of views) {
      await go(hash);
      await expectFit(opened, view);
    }
    expect(problems).toEqual([]);
  });

  test("dialogs are accessible, and say what is wrong where it is", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { page, button, menu, shot } = await openUi(sandbox.url);
    const look = async (name: string, within = "dialog") => {
      for (const [colorScheme, rules] of THEMES) {
        await page.emulateMedia({ colorScheme });
        await shot(`ui-${name}-${colorScheme}`, "seen");
        const findings = await seriousFindings(page, rules, within);
        expect({ name, colorScheme, findings }).toEqual({ name, colorScheme, findings: [] });
      }
    };
    const dialog = page.getByRole("dialog");
    await menu("clock");
    await page.getByTestId("advance-to").click();
    await dialog.getByLabel("Date and time").fill("2020-01-01");
    await dialog.getByRole("button", { name: "Advance" }).click();
    await dialog.getByText(/cannot go back to 2020-01-01/).waitFor();
    await look("to-date");
    await dialog.getByLabel("Date and time").fill("2026-01-15 09:30");
    await dialog.getByRole("button", { name: "Advance" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator(".face-time", { hasText: "09:30:00" }).waitFor();
    await page.keyboard.press("?");
    await dialog.waitFor();
    await look("help");
    await page.keyboard.press("Escape");

    await page.keyboard.press("Control+k");
    await page.locator("#palette-0").waitFor();
    await look("palette");
    await dialog.getByRole("combobox").fill("no such thing");
    await dialog.getByText("Nothing matches.").waitFor();
    await look("palette-empty");
    await page.keyboard.press("Escape");
    await page.getByTestId("menu-world").click();
    await page.locator(".world-list").getByRole("link", { name: "default" }).waitFor();
    await look("worlds", ".bar");
    await button("Run the demo").click();
    await page.locator(".demo").waitFor();
    await look("demo", ".demo");
  });

  test("loads nothing from elsewhere, and its first view is small", async () => {
    const sandbox = await startSandbox();
    const foreign: string[] = [];
    const files = new Set<string>();
    const { page, go } = await openUi(sandbox.url);
    page.on("request", (request) => {
      if (!request.url().startsWith(sandbox.url)) foreign.push(request.url());
      if (["document", "script", "stylesheet", "font"].includes(request.resourceType()))
        files.add(request.url());
    });
    await page.reload();
    await page.getByRole("heading", { name: /^What happens to your webhooks/ }).waitFor();
    let bytes = 0;
    for (const url of files) bytes += gzipSync(await (await fetch(url)).arrayBuffer()).length;
    expect(bytes).toBeLessThan(115 * 1024);
    await go("#/webhooks");
    expect(foreign).toEqual([]);
  });

  test("the theme is switched and kept; the system's is followed otherwise", async () => {
    const sandbox = await startSandbox();
    const { page } = await openUi(sandbox.url, "#/", { colorScheme: "dark" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await ground();
    await page.getByRole("button", { name: "Theme: system. Change it" }).click();
    const light = await ground();
    expect(light).not.toBe(dark);
    await page.reload();
    await page.getByRole("button", { name: "Theme: light. Change it" }).waitFor();
    expect(await ground()).toBe(light);
    await page.getByRole("button", { name: "Theme: light. Change it" }).click();
    expect(await ground()).toBe(dark);
  });

  test("an address that leads nowhere says so, and so does a sandbox that does not answer", async () => {
    const sandbox = await startSandbox();
    const { page, go, heading } = await openUi(sandbox.url, "#/nowhere");
    await page.getByText("This view does not exist.").waitFor();
    for (const former of ["#/game/players", "#/data/cache?page=2"]) {
      await go(former);
      await heading(/^What happens to your webhooks/).waitFor();
      expect(await page.locator(".nav a[aria-current]").textContent()).toBe("Home");
    }
    await go("#/webhooks/wh_gone");
    await page.getByText("The endpoint wh_gone no longer exists.").waitFor();
    await go("#/payments/story/txn_gone");
    await page.getByText("There is no transaction or checkout session txn_gone.").waitFor();
    await page.route("**/_sandbox/status", (route) => route.abort());
    await page.reload();
    await page.getByText("The sandbox does not answer.").waitFor();
    await page.unroute("**/_sandbox/status");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("connected", { exact: true }).waitFor();
    await go("#/");
    await heading(/^What happens to your webhooks/).waitFor();
  });

  test("what cannot be read says why in its place, reads nothing for ever, and can be tried again", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const { page, button } = await openUi(sandbox.url, "#/mail");
    const refuse = (address: string) =>
      page.route(address, (route) =>
        route.request().method() === "GET"
          ? route.fulfill({
              status: 500,
              json: { error: { code: "internal_error", message: "The disk is full." } },
            })
          : route.fallback(),
      );
    const show = (view: string) => page.evaluate(`void (location.hash = "${view}")`);
    const expectProblem = async () => {
      await page.locator("main .problem").getByText("The disk is full.").waitFor();
      expect(await page.locator("main .loading").count()).toBe(0);
    };
    const endpoint = `#/webhooks/${hook.id}`;
    await refuse("**/webhooks");
    await page.reload();
    for (const view of ["#/overview", "#/webhooks", endpoint]) {
      await show(view);
      await expectProblem();
    }
    await refuse("**/timeline?*");
    await page.unroute("**/webhooks");
    await button("Try again").click();
    await page.locator(".endpoint-head").waitFor();
    await expectProblem();
    await show(`${endpoint}/ahead/evt_1/2`);
    await page.locator(".drawer").waitFor();
    await expectProblem();
    await page.unroute("**/timeline?*");
    await button("Try again").click();
    await page.getByText("Nothing was sent yet.").waitFor();
    expect(await page.locator("main .problem").count()).toBe(0);

    // The story of a new endpoint is not played with another one.
    await refuse("**/webhooks");
    await show("#/overview");
    await button("Watch an endpoint fail").click();
    await page.getByRole("region", { name: "Messages" }).getByText("The disk is full.").waitFor();
    expect((await sandbox.control("GET", `/webhooks/${hook.id}/fault`)).body.spec).toBeNull();
  });
});
