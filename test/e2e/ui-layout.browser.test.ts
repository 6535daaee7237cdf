import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startBuiltProcess } from "../support/built.ts";
import { startSandbox } from "../support/sandbox.ts";
import { connected, drawn, openUi } from "../support/ui.ts";

async function startFailing() {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.createLink();
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
  await sandbox.pay({ session_id: (await sandbox.openSession()).id });
  return { sandbox, hook };
}

const scrolls = (page: Page) =>
  page.evaluate("document.documentElement.scrollHeight - document.documentElement.clientHeight");

/** Runs in the page: the sizes of all texts that are seen. */
const SIZES = `[...new Set([...document.querySelectorAll("body *")]
  .filter((element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((element) => getComputedStyle(element).fontSize))].sort()`;

/** Runs in the page: the buttons of the view that are filled with the colour of what can be done. */
const FILLED = `[...document.querySelectorAll("main .button")]
  .filter((button) => button.checkVisibility() && getComputedStyle(button).backgroundColor ===
    getComputedStyle(document.querySelector(".nav a[aria-current]")).color)
  .map((button) => button.textContent)`;

describe.skipIf(!BROWSER)("an endpoint's page", () => {
  test("has its picture first at any size, four sizes of text, and one filled button whatever happened", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, button } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, { height: 900 });
    const mark = page.locator(".stage .mark.bad").first();
    await mark.waitFor();
    expect(await page.evaluate(SIZES)).toEqual(["13px", "15px", "20px", "32px"]);
    expect(await page.evaluate(FILLED)).toEqual(["Pay…"]);
    const box = async (name: string) => (await page.locator(name).boundingBox())!;
    for (const [width, height] of [
      [1440, 900],
      [1920, 1080],
      [1024, 768],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expect.poll(async () => (await box(".timeline")).height).toBeGreaterThanOrEqual(height * 0.6);
      const [bar, head, timeline] = await Promise.all([box(".bar"), box(".endpoint-head"), box(".timeline")]);
      if (width > 1024) expect(head.height).toBe(48);
      expect(timeline.y - (bar.y + bar.height)).toBeLessThanOrEqual(200);
      expect(timeline.y + timeline.height).toBeLessThanOrEqual(height);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    // A browser scrolls to what is looked for or focused: the drawing stays beside its names.
    await mark.evaluate((one) => one.scrollIntoView({ block: "start" }));
    expect(await page.locator(".stage").evaluate((stage) => stage.scrollTop)).toBe(0);
    await mark.click();
    await button("Retry now").waitFor();
    expect(await page.evaluate(FILLED)).toEqual(["Retry now"]);
    await page.keyboard.press("Escape");
    await sandbox.control("POST", `/webhooks/${hook.id}/disable`);
    await button("Enable again").waitFor();
    expect(await page.evaluate(FILLED)).toEqual(["Enable again"]);
  });

  test("shows the attempt beside its mark, and the next one without a jump", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, heading, button } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, {
      width: 1920,
      height: 1080,
      presenting: true,
    });
    await page.locator(".stage .mark.bad").first().click();
    await heading(/^Failed: answered 503/).waitFor();
    const drawer = page.locator(".drawer");
    const [mark, details] = await Promise.all([
      page.locator(".stage .mark[aria-current]").boundingBox(),
      drawer.boundingBox(),
    ]);
    expect(mark!.x + mark!.width).toBeLessThanOrEqual(details!.x);
    expect(details!.y + details!.height).toBeLessThanOrEqual(1080);
    await sandbox.control("DELETE", `/webhooks/${hook.id}/fault`);
    await page.evaluate(`window.emptied = new Promise((resolve) => {
      const watch = new MutationObserver(() => {
        const sheet = document.querySelector(".drawer .sheet");
        if (!sheet) resolve(true);
        else if (sheet.querySelector("h2.success")) resolve(false);
      });
      watch.observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
    }), undefined`);
    await button("Retry now").click();
    expect(await page.evaluate("window.emptied")).toBe(false);
    expect(await scrolls(page)).toBe(0);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
  });
});

describe.skipIf(!BROWSER)("the presentation", () => {
  test("never scrolls, and has its date and its summary whole", async () => {
    const { sandbox, hook } = await startFailing();
    const options = { width: 1280, height: 720, presenting: true };
    const { page, button, shot } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, options);
    await page.getByText("Thu 15 Jan 2026").waitFor();
    await page.getByTestId("advance-1d").click();
    await page.getByText("Fri 16 Jan 2026").waitFor();
    const line = page.locator(".summary-line");
    await line.getByText(/attempts failed/).waitFor();
    const mark = page.locator(".stage .mark.bad").first();
    for (const [width, height, scale] of [
      [1280, 720, 1.3],
      [1920, 1080, 2],
    ] as const) {
      await page.setViewportSize({ width, height });
      // Its marks are as large as the stage has room for.
      await expect.poll(async () => (await mark.boundingBox())!.height).toBeGreaterThan(22 * scale);
      expect(await line.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
      expect(await scrolls(page)).toBe(0);
      const stage = (await page.locator(".stage").boundingBox())!;
      expect(stage.height).toBeGreaterThanOrEqual(height * 0.6);
      await shot(`presentation-${width}`, "seen");
      await page.getByTestId("pay").click();
      const dialog = page.getByRole("dialog");
      const [pay, around] = await Promise.all([button("Pay").boundingBox(), dialog.boundingBox()]);
      expect(pay!.y + pay!.height).toBeLessThanOrEqual(around!.y + around!.height);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await scrolls(page)).toBe(0);
  });
});

describe.skipIf(!BROWSER)("the page", () => {
  test("has many endpoints in a list of one length, and a search", async () => {
    const sandbox = await startSandbox();
    for (let index = 0; index < 60; index += 1)
      await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop-${index}`);
    const { page, fill } = await openUi(sandbox.url, "#/webhooks");
    await expect.poll(() => page.locator(".board li").count()).toBe(24);
    await page.getByText("24 of 60 endpoints are listed.").waitFor();
    await fill("Find an endpoint", "shop-59");
    await expect.poll(() => page.locator(".board li").count()).toBe(1);
  });

  test("is not made longer by a message that offers Undo", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const { page } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.locator(".stage .mark, .empty").first().waitFor();
    const before = await scrolls(page);
    await page.getByRole("switch").click();
    await page.getByTestId("undo").waitFor();
    expect(await scrolls(page)).toBe(before);
  });

  test("goes back with its dialogs", async () => {
    const sandbox = await startSandbox();
    const { page, go, button } = await openUi(sandbox.url, "#/mail");
    await go("#/snapshots/worlds");
    await button("New world…").click();
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Mail", exact: true }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("stays at the view that was chosen last when the code of one before it arrives later", async () => {
    const sandbox = await startSandbox();
    const { page, go, heading } = await openUi(sandbox.url);
    let release!: () => void;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/assets/mail-*.js", async (route) => {
      await released;
      await route.continue();
    });
    const asked = page.waitForRequest("**/assets/mail-*.js");
    await page.evaluate("location.hash = '#/mail'");
    const code = (await asked).url();
    await page.evaluate("location.hash = '#/inboxes'");
    await heading("Inboxes").waitFor();
    release();
    await page.evaluate(`import("${code}").then(() => undefined)`);
    await drawn(page);
    expect(await page.locator("main .loading").count()).toBe(0);
    await heading("Inboxes").waitFor();
    await go("#/mail");
    await heading("Mail").waitFor();
  });

  test("says that the code of a view could not be loaded, and loads itself once more for it", async () => {
    const sandbox = await startSandbox();
    const { page, heading } = await openUi(sandbox.url);
    const show = (view: string) => page.evaluate(`void (location.hash = "#/${view}")`);
    await page.route("**/assets/mail-*.js", (route) => route.abort());
    await show("mail");
    await page.getByRole("alert").getByText("This part of the page could not be loaded.").waitFor();
    await show("inboxes");
    await heading("Inboxes").waitFor();
    await page.unroute("**/assets/mail-*.js");
    await page.evaluate("window.isFirst = true");
    await show("mail");
    await heading("Mail").waitFor();
    expect(await page.evaluate("'isFirst' in window")).toBe(false);
  });

  test("moves nothing when its connection is lost, and forgets it once it is back", async () => {
    const { url, process } = await startBuiltProcess(["--port", "0", "--seed", "empty", "--paused"]);
    const { page } = await openUi(url, "#/webhooks");
    await page.evaluate(`window.shift = 0; new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shift += entry.value;
    }).observe({ type: "layout-shift" }), undefined`);
    process.kill("SIGSTOP");
    await page.getByRole("alert").getByText("The sandbox is not answering").waitFor();
    process.kill("SIGCONT");
    await connected(page);
    await expect.poll(() => page.getByText(/not answer/).count()).toBe(0);
    expect(await page.evaluate("window.shift")).toBeLessThan(0.01);
  });

  test("cuts to a restored world, and never says that an endpoint of it is gone", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, clock } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await sandbox.control("POST", "/clock/advance", { by: "1h" });
    await sandbox.control("POST", "/snapshots", { name: "later" });
    await sandbox.control("POST", "/reset");
    await page.getByText("no longer exists").waitFor();
    await page.evaluate(`window.seen = []; new MutationObserver(() => {
      if (document.documentElement.hasAttribute("data-playing")) window.seen.push("played");
      if (!document.body.textContent.includes("no longer exists")) window.back = true;
      else if (window.back) window.seen.push("gone");
    }).observe(document.documentElement, { subtree: true, childList: true, attributes: true }), undefined`);
    await sandbox.control("POST", "/snapshots/later/restore");
    await page.locator(".stage .mark.bad").first().waitFor();
    await expect.poll(() => clock.textContent()).toContain("10:00:00");
    expect(await page.evaluate("window.seen")).toEqual([]);
  });

  test("cuts no label of a timeline at its edges, and breaks no keycap", async () => {
    const { sandbox, hook } = await startFailing();
    await sandbox.advance("1h");
    await sandbox.control("POST", `/webhooks/${hook.id}/disable`);
    await sandbox.control("POST", `/webhooks/${hook.id}/enable`);
    await sandbox.control("DELETE", `/webhooks/${hook.id}/fault`);
    // Its name begins where all that is drawn ends.
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, button } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, { width: 800 });
    await page.locator(".stage .mark").first().waitFor();
    const cut = () =>
      page
        .locator(".stage :is(.mark:not(.small), .flag, .lane-name, .disabled-at span)")
        .evaluateAll((all) => {
          const stage = all[0]!.closest(".stage")!.getBoundingClientRect();
          return all.flatMap((one) => {
            const { left, right } = one.getBoundingClientRect();
            const isSeen = right > stage.left && left < stage.right;
            return isSeen && (left < stage.left - 1 || right > stage.right + 1) ? [one.outerHTML] : [];
          });
        });
    expect(await cut()).toEqual([]);
    // Flags beside each other keep their width, and lie side by side.
    const flags = await page
      .locator(".stage .flag")
      .evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({ left, width }) => [left, width] as const),
      );
    for (const [index, [left, width]] of flags.entries()) {
      expect(width).toBeGreaterThanOrEqual(24);
      if (index > 0) expect(left).toBeGreaterThanOrEqual(flags[index - 1]![0] + flags[index - 1]![1] - 1);
    }
    // On a phone, an attempt of another day has its whole time beside its code.
    await sandbox.advance("1d");
    await page.setViewportSize({ width: 390, height: 844 });
    const times = page.locator(".attempt-row time");
    await times
      .getByText(/15 Jan/)
      .first()
      .waitFor();
    const over = await times.evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
    expect(Math.max(...over)).toBe(0);
    await page.setViewportSize({ width: 800, height: 900 });
    await button("Keyboard help").click();
    await page.getByRole("dialog").locator("kbd").first().waitFor();
    const heights = await page.locator("kbd").evaluateAll((keys) => keys.map((key) => key.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(2 * Math.min(...heights));
  });

  test("groups its views, and marks the one whose tab is open", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { page, go } = await openUi(sandbox.url, "#/connect");
    await page.getByRole("list", { name: "Run" }).waitFor();
    await page.getByRole("list", { name: "Look" }).waitFor();
    await page.getByRole("list", { name: "Set up" }).waitFor();
    expect(await page.locator(".nav a").count()).toBe(9);
    await go("#/audit");
    expect(await page.locator(".nav a[aria-current]").textContent()).toBe("Activity");
  });

  test("lets a person who has just arrived watch an endpoint fail", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { page, button, problems } = await openUi(sandbox.url);
    await page.getByText("Disabled 08:53, after 10 failures in a row").waitFor();
    const files = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter(({ name }) => !name.includes("/_sandbox/"))`;
    const bytes = `${files}.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
    expect(await page.evaluate(`document.fonts.ready.then(() => ${bytes})`)).toBeLessThanOrEqual(115_000);
    expect(await page.getByText(/Something is due/).count()).toBe(0);
    await button("Watch an endpoint fail").click();
    await page.locator(".disabling").getByText("after 10 failures in a row").waitFor();
    await page.getByText(/^Advanced 1 h in .*: 1 endpoint disabled, 8 attempts failed/).waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!BROWSER)("the page at home on a desktop", () => {
  test("can be installed, and its tab says the time, the clock's state and what fails", async () => {
    const { sandbox, hook } = await startFailing();
    const { page } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await expect.poll(() => page.title()).toBe("09:00 paused · 1 failing · Webhooks · Sandglass");
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toMatch(/^data:image\/svg\+xml/);
    const address = new URL((await page.locator("link[rel=manifest]").getAttribute("href"))!, sandbox.url);
    const answer = await fetch(address);
    expect(answer.headers.get("content-type")).toBe("application/manifest+json");
    const { icons, display } = (await answer.json()) as { icons: { src: string }[]; display: string };
    expect(display).toBe("standalone");
    for (const { src } of icons) expect((await fetch(new URL(src, address))).status).toBe(200);
  });
});

describe.skipIf(!BROWSER)("the core of a demo", () => {
  test("takes twelve clicks: an endpoint fails, is disabled, repaired, and gets what it missed", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { page, problems } = await openUi(sandbox.url);
    let clicks = 0;
    const click = async (what: Locator) => {
      clicks += 1;
      await what.first().click();
    };
    const dialog = page.getByRole("dialog");
    const way = page.locator(".disabling .button.main");
    await click(page.locator('.nav a[href="#/webhooks"]'));
    await click(page.locator('main a[href="#/webhooks/new"]'));
    await click(page.locator("main form button[type=submit]"));
    await click(page.getByRole("switch"));
    for (let payments = 0; payments < 2; payments += 1) {
      await click(page.getByTestId("pay"));
      await dialog.locator("p > b").waitFor();
      await click(dialog.locator("button[type=submit]"));
      await dialog.waitFor({ state: "detached" });
    }
    await click(page.getByTestId("advance-1h"));
    await page.locator(".disabling.disabled").waitFor();
    await click(page.getByRole("switch"));
    await page.getByText("The subscriber works again.").waitFor();
    await click(way);
    await page.locator(".disabling.recovering").waitFor();
    await click(way);
    await page.getByText("Retried 4 deliveries: 4 delivered.").waitFor();
    expect(clicks).toBe(12);
    expect(problems).toEqual([]);
  });
});
