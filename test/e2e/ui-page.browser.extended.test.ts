import { gzipSync } from "node:zlib";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectFit, overflow, seriousFindings, THEMES } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startBuiltProcess } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { clientOf, startSandbox } from "../support/sandbox.ts";
import { connected, drawn, openUi, settled, type UiPage } from "../support/ui.ts";

describe.skipIf(!BROWSER)("views of the page", () => {
  test("each view is accessible and fits the window's width, in both themes and in presentation mode", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const opened = await openUi(sandbox.url);
    await expectFit(opened, "home");
    const { body } = await sandbox.api("POST", "/products", { body: {}, key: sandbox.keys.read });
    expect(body.error).toBeDefined();
    await sandbox.api("POST", "/products", { body: { name: "Tea" } });
    for (const [view, hash] of [
      ["bug", "#/bug"],
      ["log", "#/log/call/1"],
    ] as const) {
      await opened.go(hash);
      await expectFit(opened, view);
    }
    expect(opened.problems).toEqual([]);
  });

  test("dialogs and menus are accessible, show errors next to their fields, and return focus when closed", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { page, button, clock, menu, shot } = await openUi(sandbox.url, "#/log");
    const dialog = page.getByRole("dialog");
    const look = async (name: string, within = "dialog") => {
      for (const [colorScheme, rules] of THEMES) {
        await page.emulateMedia({ colorScheme });
        await shot(`ui-${name}-${colorScheme}`, "seen");
        const findings = await seriousFindings(page, rules, within);
        expect({ name, colorScheme, findings }).toEqual({ name, colorScheme, findings: [] });
      }
    };
    /** Expects the field that an error concerns to have the focus and to show the error. */
    const expectRefused = async (field: Locator, why: RegExp) => {
      await expect
        .poll(() => field.evaluate((input) => input.ownerDocument.activeElement === input))
        .toBe(true);
      const described = await field.getAttribute("aria-describedby");
      expect(await page.locator(`[id="${described}"]`).textContent()).toMatch(why);
    };
    await menu("clock");
    await page.getByTestId("advance-to").click();
    await dialog.getByLabel("Date and time").fill("2020-01-01");
    await dialog.getByRole("button", { name: "Advance" }).click();
    await expectRefused(dialog.getByLabel("Date and time"), /cannot go back to 2020-01-01/);
    await look("to-date");
    await dialog.getByLabel("Date and time").fill("2026-01-15 09:30");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.locator(".face-time", { hasText: "09:30:00" }).waitFor();

    await menu("world");
    await page.getByRole("list", { name: "Worlds" }).getByRole("link", { name: "default" }).waitFor();
    await look("worlds", ".bar");
    await button("Addresses and keys").click();
    await dialog.getByText("sk_sandbox_write", { exact: true }).waitFor();
    await look("addresses");
    await page.keyboard.press("Escape");
    await menu("world");
    await button("New world…").click();
    await dialog.getByLabel("Start date").fill("soon");
    await button("Create and open").click();
    await expectRefused(dialog.getByLabel("Start date"), /"soon" is not a point in time/);
    await look("new-world");
    await page.keyboard.press("Escape");
    await button("Keyboard help").click();
    await dialog.getByText("Single-letter shortcuts").waitFor();
    await look("help");
    // A keycap is one line high.
    const heights = await page.locator("kbd").evaluateAll((keys) => keys.map((key) => key.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(2 * Math.min(...heights));
    await page.keyboard.press("Escape");

    // A dialog takes the focus, keeps it when a drag ends outside, and returns it when it closes.
    const opener = page.getByTestId("menu-clock");
    const expectFocus = (of: Locator) =>
      expect.poll(() => of.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await menu("clock");
    await page.getByTestId("advance-to").click();
    await expectFocus(dialog.locator("input:checked"));
    const field = (await dialog.getByRole("textbox").first().boundingBox())!;
    await page.mouse.move(field.x + 20, field.y + field.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 700, { steps: 4 });
    await page.mouse.up();
    expect(await dialog.count()).toBe(1);
    await page.mouse.click(5, 700);
    await dialog.waitFor({ state: "detached" });
    await expectFocus(opener);
    const before = await clock.textContent();
    await page.keyboard.press("Enter");
    await page.getByTestId("advance-to").press("Enter");
    await dialog.getByRole("radio", { name: "By a duration" }).check();
    await dialog.getByRole("textbox").fill("1h");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => clock.textContent()).not.toBe(before);
    await expectFocus(opener);
    // Going back closes the dialog and leaves the view.
    await page.evaluate("location.hash = '#/bug'");
    await menu("clock");
    await page.getByTestId("advance-to").click();
    await dialog.waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Log", exact: true }).waitFor();
    expect(await dialog.count()).toBe(0);
  });
});

const MARKUP = `<img src=x onerror="document.title='1'"><script>document.title='2'</script>`;
const EVIL = `${MARKUP} \u202eمرحبا שלום\u202d 👩‍🚀🧨 `;
const LONG = "w".repeat(10_240);
const WIDE = 1_280;
const NARROW = 360;

/**
 * Opens a view and everything in it that can be opened. Hostile text must be shown as text, and must not break the
 * layout.
 */
async function expectText({ page, go, shot }: UiPage, view: string, name: string): Promise<void> {
  await go(view);
  const closed = page.locator("main details:not(.menu, [open]) > summary");
  while ((await closed.count()) > 0) await closed.first().click();
  expect(await page.title(), view).toMatch(/Sandglass$/);
  expect(await page.locator("main img, main script").count(), view).toBe(0);
  // Start with the last width that was used for the previous view.
  const isWide = page.viewportSize()!.width >= WIDE;
  for (const width of isWide ? [WIDE, NARROW] : [NARROW, WIDE]) {
    await page.setViewportSize({ width, height: 900 });
    await drawn(page);
    expect({ view, width, overflow: await overflow(page) }).toEqual({ view, width, overflow: 0 });
    await shot(`${name}-${width}`, "seen");
  }
}

describe.skipIf(!BROWSER)("the page on a phone", () => {
  test("every menu on an endpoint's page fits a phone's screen", async () => {
    const sandbox = await startSandbox();
    const { id } = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const { page, menu } = await openUi(sandbox.url, `#/webhooks/${id}`, { width: 390, height: 844 });
    for (const name of ["endpoint", "fault", "legend", "world", "clock"]) {
      await menu(name);
      const { x, width } = (await page.locator("details[open] > .menu-panel").boundingBox())!;
      expect({ name, left: x >= 0, right: x + width <= 390 }).toEqual({ name, left: true, right: true });
      await page.keyboard.press("Escape");
    }
  });
});

describe.skipIf(!BROWSER)("hostile data", () => {
  test("hostile data appears as text and does not break the layout at any width", async () => {
    const sandbox = await startSandbox();
    const name = EVIL.padEnd(200, "w").slice(0, 200);
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/evil`, {
      description: EVIL.padEnd(2_000, "w").slice(0, 2_000),
    });
    const far = await sandbox.createWebhook(`https://evil.example/${"w".repeat(1_900)}`);
    const link = await sandbox.createLink({ name, description: EVIL.padEnd(2_000, "w").slice(0, 2_000) });
    await sandbox.call("POST", "/_sandbox/inbox/evil", {
      body: JSON.stringify({ event: EVIL + LONG, data: LONG }),
      headers: { "x-evil": encodeURIComponent(EVIL) + LONG.slice(0, 4_000) },
    });
    await sandbox.control("PUT", "/inbox/evil/behaviour", { status: 500, body: EVIL + LONG });
    await sandbox.pay({ payment_link_id: link.id, customer_name: name, client_reference_id: name });
    await sandbox.api("GET", `/payment-links?search=${encodeURIComponent(EVIL)}${"w".repeat(4_000)}`);
    const { body: minted } = await sandbox.control("POST", "/game/tokens", {
      address: `0x${"ab".repeat(20)}`,
    });
    await sandbox.call("POST", "/game/launcher/send-custom-activity", {
      body: { launcherJwt: minted.token, label: EVIL.padEnd(500, "w").slice(0, 500), eventId: "evil" },
    });
    sandbox.sandbox.journal.append(EVIL + LONG, { id: EVIL + LONG, [EVIL]: LONG });
    const failed = (await sandbox.deliveries(hook.id)).find(({ status }) => status === "failed")!;
    const entries = await sandbox.journal();
    const received = entries.find(({ type }) => type === "inbox.received")!;
    const calls = (await sandbox.control("GET", "/requests")).body.data;
    await sandbox.control("POST", "/snapshots", { name: "s".repeat(64) });
    await sandbox.makeWorld({ name: "w".repeat(64), seed: (EVIL + LONG).slice(0, 150) });
    const views = [
      `#/webhooks/${hook.id}/${failed.id}`,
      `#/webhooks/${far.id}`,
      `#/log/call/${calls.at(-2).id}`,
      `#/log/entry/${entries.at(-1)!.seq}`,
      `#/log/entry/${received.seq}?kind=inboxes`,
      "#/log?kind=audit",
    ];
    const ui = await openUi(sandbox.url);
    for (const view of views) await expectText(ui, view, `hostile-${views.indexOf(view)}`);
    const { page, menu, button, link: named, problems, shot } = ui;
    await page.setViewportSize({ width: NARROW, height: 900 });
    await menu("world");
    await named("w".repeat(64)).waitFor();
    expect(await overflow(page)).toBe(0);
    await button("Restore…").click();
    await button(`Restore ${"s".repeat(64)}`).waitFor();
    for (const width of [NARROW, WIDE]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overflow(page)).toBe(0);
      await shot(`hostile-dialog-${width}`, "seen");
    }
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!BROWSER)("views of the page", () => {
  test("the page loads less than 100 kB, all from its own origin, and lists your own endpoints first", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const opened = await openUi(sandbox.url);
    const { page, link, button, heading, fill } = opened;
    const own = page.getByRole("list", { name: "Your endpoints" });
    const demo = page.getByRole("list", { name: "The demo shop’s endpoints" });
    const foreign: string[] = [];
    const files = new Set<string>();
    page.on("request", (request) => {
      if (!request.url().startsWith(sandbox.url)) foreign.push(request.url());
      if (["document", "script", "stylesheet", "font"].includes(request.resourceType()))
        files.add(request.url());
    });
    await page.reload();
    await heading(/^Sandglass: what happens/).waitFor();
    await page.locator(".stage .mark.bad").first().waitFor();
    let bytes = 0;
    for (const url of files) bytes += gzipSync(await (await fetch(url)).arrayBuffer()).length;
    expect(bytes).toBeLessThan(100_000);
    expect(await page.locator(".nav .badge").count()).toBe(0);
    await button("Demo shop").click();
    expect(await demo.getByRole("link").count()).toBeGreaterThan(2);
    for (let index = 0; index < 61; index += 1)
      await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop-${index}`);
    // When an endpoint is registered by another client, the page opens it automatically.
    await heading(/inbox\/shop-\d+$/).waitFor();
    await expect.poll(() => own.getByRole("link").first().textContent()).toBe("inbox/shop-60");
    expect(await own.getByRole("link").count()).toBe(30);
    await page.getByText("30 of 61 endpoints").waitFor();
    await fill("Find an endpoint", "shop-7");
    await expect.poll(() => own.getByRole("link").count()).toBe(1);
    await own.getByRole("link").click();
    await heading(/shop-7$/).waitFor();

    await sandbox.control(
      "POST",
      `/webhooks/${(await sandbox.control("GET", "/webhooks")).body.data.at(-2).id}/disable`,
    );
    await fill("Find an endpoint", "disabled");
    await expect
      .poll(() => own.getByRole("link", { name: /disabled, 0 of 10 failures in a row/ }).count())
      .toBe(1);
    await link("Find a bug").click();
    await heading("Find a bug").waitFor();
    await link("Log").click();
    await heading("Log").waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    const isInSight = `(() => {
      const links = [...document.querySelectorAll(".place-views a")].map((link) => link.getBoundingClientRect());
      return links.every(({ left, right, bottom }) => left >= 0 && right <= innerWidth && bottom <= innerHeight / 2);
    })()`;
    await opened.go("#/bug");
    expect(await page.evaluate(isInSight)).toBe(true);
    expect(foreign).toEqual([]);
  });

  test("the page explains an unknown address and an unreachable sandbox", async () => {
    const sandbox = await startSandbox();
    const { page, go, heading, button } = await openUi(sandbox.url, "#/nowhere");
    await page.getByText("This view does not exist.").waitFor();
    await go("#/activity/journal/1");
    await heading("Log").waitFor();
    expect(page.url()).toBe(`${sandbox.url}/#/log/entry/1`);
    await go("#/webhooks/wh_gone");
    await page.getByText("There is no endpoint wh_gone in this world.").waitFor();
    await page.route("**/_sandbox/status", (route) => route.abort());
    await page.reload();
    await page.getByText("The sandbox does not respond.").waitFor();
    await page.unroute("**/_sandbox/status");
    await button("Try again").click();
    await connected(page);
  });
});

describe.skipIf(!BROWSER)("keyboard control of the page", () => {
  test("keyboard shortcuts control the clock and views and move the focus, and can be switched off", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, clock, button, link } = await openUi(sandbox.url, "#/log");
    const press = (key: string) => page.keyboard.press(key);
    const now = async () => (await sandbox.control("GET", "/clock")).body;
    const expectClock = (time: string) => expect.poll(() => clock.textContent()).toContain(time);
    const focused = () =>
      page.evaluate("document.activeElement.tagName + document.activeElement.textContent");
    for (const [key, time] of [
      ["ArrowRight", "09:01"],
      ["Shift+ArrowRight", "09:11"],
      ["h", "10:11"],
    ] as const) {
      await press(key);
      await expectClock(time);
    }
    await press("Space");
    await page.getByText("live", { exact: true }).waitFor();
    await press("Space");
    await page.getByText("paused", { exact: true }).waitFor();

    // While a button has the focus, a letter key triggers nothing.
    await button("Advance: +10 min").focus();
    await press("d");
    await press("?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.locator("main").focus();
    await press("/");
    await page.keyboard.type("d h n? ");
    expect(await page.getByLabel("Search").inputValue()).toBe("d h n? ");
    await page.getByLabel("Search").fill("");

    await link("Find a bug").click();
    await expect.poll(focused).toBe("H1Find a bug");
    await press("g");
    await press("e");
    await expect.poll(focused).toMatch(/^H1.*inbox\/shop$/);
    await page.locator(".stage .mark.good").first().click();
    await expect.poll(focused).toMatch(/^H2Delivered: returned 200/);
    await press("Escape");
    await expect.poll(focused).toBe("BUTTON200");
    await press("g");
    expect(page.url()).toContain(hook.id);

    await page.locator("main").focus();
    await press("f");
    await page.locator("html[data-presenting]").waitFor();
    await press("f");
    await press("?");
    await page.getByLabel("Single-letter shortcuts").uncheck();
    await press("Escape");
    await page.locator("main").focus();
    const before = await now();
    for (const key of ["h", "d", "n", "f", "?"]) await press(key);
    await drawn(page);
    expect(await now()).toEqual(before);
    expect(await page.locator("html[data-presenting], dialog").count()).toBe(0);
    await page.reload();
    await connected(page);
    await page.locator("main").focus();
    await press("h");
    await press("ArrowRight");
    await expectClock("10:12");
  });
});

const styleOf = (of: Locator, property: string): Promise<string> =>
  of.evaluate(
    (element, name) => element.ownerDocument.defaultView!.getComputedStyle(element).getPropertyValue(name),
    property,
  );

/** The brightness of a colour, from 0 to 255. */
function brightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return (red + green + blue) / 3;
}

describe.skipIf(!BROWSER)("the appearance of the page", () => {
  test("the page looks right in each theme, with forced colours, in print and at 640 px", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook("http://127.0.0.1:9/webhooks");
    const { page, go, button, shot } = await openUi(sandbox.url, "#/log", { colorScheme: "dark" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await ground();
    await button("Theme: system. Change it").click();
    const light = await ground();
    expect(light).not.toBe(dark);
    await page.reload();
    await button("Theme: light. Change it").click();
    expect(await ground()).toBe(dark);

    // Selected items must differ visibly from others. axe cannot judge colours that the system has replaced.
    await page.emulateMedia({ forcedColors: "active" });
    const choices = page.locator(".choice-one span");
    expect(await styleOf(choices.nth(0), "background-color")).not.toBe(
      await styleOf(choices.nth(1), "background-color"),
    );
    expect(await styleOf(page.locator(".nav a[aria-current]"), "outline-style")).toBe("solid");
    expect(await seriousFindings(page, "layout")).toEqual([]);
    await page.emulateMedia({ forcedColors: "none" });

    await sandbox.api("GET", "/products");
    await go("#/log/call/1");
    await page.locator("main pre").first().waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator("nav, main button").filter({ visible: true }).count()).toBe(0);
    for (const text of [".face-time", ".bar-world b", "main h1", "main .note"])
      expect(brightness(await styleOf(page.locator(text).first(), "color")), text).toBeLessThan(110);
    const cut = await page
      .locator("main pre")
      .evaluateAll((lines) => lines.filter((line) => line.scrollWidth > line.clientWidth).length);
    expect(cut).toBe(0);
    await shot("print");
    await page.emulateMedia({ media: "screen" });

    await page.setViewportSize({ width: 640, height: 900 });
    const tops = await page
      .locator(".steps .step")
      .evaluateAll((steps) => steps.map((step) => step.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    expect(await overflow(page)).toBe(0);

    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await go(`#/webhooks/${hook.id}`);
    await expect.poll(() => page.title()).toBe("09:00 paused · 1 failing · 127.0.0.1:9/webhooks · Sandglass");
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toMatch(/^data:image\/svg\+xml/);
  });
});

describe.skipIf(!BROWSER)("a lost connection to the server", () => {
  test("the page reports a hanging server, and can re-register an endpoint lost in a restart", async () => {
    const { url, process, ended } = await startBuiltProcess(["--port", "0", "--seed", "empty"]);
    await clientOf(url).createWebhook("http://127.0.0.1:9/webhooks", { description: "mine" });
    const { page, clock, button, heading } = await openUi(url);
    await heading("http://127.0.0.1:9/webhooks").waitFor();
    await settled(page);
    await page.evaluate(`window.shift = 0; new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shift += entry.value;
    }).observe({ type: "layout-shift" }), undefined`);
    process.kill("SIGSTOP");
    await page.getByRole("alert").getByText("The sandbox is not responding").waitFor();
    const held = await clock.textContent();
    // Waits until a whole second has passed for the page itself.
    const second = () => page.evaluate<number>("Math.floor(performance.now() / 1_000)");
    const before = await second();
    await expect.poll(second).toBeGreaterThan(before + 1);
    expect(await clock.textContent()).toBe(held);
    process.kill("SIGCONT");
    await connected(page);
    await expect.poll(() => clock.textContent()).not.toBe(held);
    await expect.poll(() => page.getByText(/^The sandbox is not responding/).count()).toBe(0);
    expect(await page.evaluate("window.shift")).toBeLessThan(0.01);

    process.kill("SIGKILL");
    await ended;
    await page.getByText(/Connection lost, trying again/).waitFor();
    await startBuiltProcess(["--port", new URL(url).port, "--seed", "empty", "--paused"]);
    await page.getByText(/^The sandbox was restarted without a data folder.*--data-dir/).waitFor();
    await page.reload();
    await button("Register again").click();
    await heading("http://127.0.0.1:9/webhooks").waitFor();
    expect((await clientOf(url).control("GET", "/webhooks")).body.data).toMatchObject([
      { url: "http://127.0.0.1:9/webhooks", description: "mine" },
    ]);
  });

  test("after a lost connection, the page shows each entry once and no entries from another world", async () => {
    const folder = folderOf();
    const start = (port: string, into = folder) =>
      startBuiltProcess(["--port", port, "--data-dir", into, "--seed", "empty", "--paused"]);
    const first = await start("0");
    const { port } = new URL(first.url);
    const before = clientOf(first.url);
    for (let count = 0; count < 5; count += 1) await before.createLink({ name: `Before ${count}` });
    const { page, heading, go } = await openUi(first.url, "#/log?kind=journal");
    const rows = page.locator(".log-row");
    await expect.poll(() => rows.count()).toBe(5);
    first.process.kill("SIGKILL");
    await first.ended;
    await page.getByText(/Connection lost, trying again/).waitFor();
    await page.evaluate('void (location.hash = "#/bug")');
    await page.locator("main .problem").getByText("The sandbox does not respond.").waitFor();
    const second = await start(port);
    const after = clientOf(second.url);
    for (let count = 0; count < 3; count += 1) await after.createLink({ name: `Meanwhile ${count}` });
    await heading("Find a bug").waitFor();
    await expect
      .poll(() => page.evaluate("[...document.styleSheets].map(({ href }) => href).join()"))
      .toMatch(/bug-[^/]*\.css/);
    await connected(page);
    await go("#/log?kind=journal");
    await after.createLink({ name: "Afterwards" });
    await expect.poll(() => rows.count()).toBe(9);
    const seqs = await rows.evaluateAll((all) =>
      all.map((row) => Number(/entry\/(\d+)/.exec(row.getAttribute("href")!)![1])),
    );
    expect(seqs).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);

    second.process.kill("SIGKILL");
    await second.ended;
    await page.getByText(/Connection lost/).waitFor();
    const third = await start(port, folderOf());
    const other = clientOf(third.url);
    for (let count = 0; count < 9; count += 1)
      await other.createWebhook(`${third.url}/_sandbox/inbox/x${count}`);
    await expect.poll(() => rows.filter({ hasText: "Endpoint created" }).count()).toBe(9);
    expect(await rows.count()).toBe(9);
  });

  test("the page stays on the latest view even if an earlier view's code arrives later", async () => {
    const sandbox = await startSandbox();
    const { page, heading } = await openUi(sandbox.url, "#/webhooks/new");
    const show = (view: string) => page.evaluate(`void (location.hash = "#/${view}")`);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/assets/log-*.js", async (route) => {
      await released;
      await route.continue();
    });
    const asked = page.waitForRequest("**/assets/log-*.js");
    await show("log");
    const code = (await asked).url();
    await show("webhooks/new");
    await heading("New endpoint").waitFor();
    release();
    await page.evaluate(`import("${code}").then(() => undefined)`);
    await drawn(page);
    expect(await page.locator("main .loading").count()).toBe(0);
    await heading("New endpoint").waitFor();

    await page.route("**/assets/bug-*.js", (route) => route.abort());
    await show("bug");
    await page.getByRole("alert").getByText("This part of the page could not be loaded.").waitFor();
    await show("log");
    await heading("Log").waitFor();
    await page.unroute("**/assets/bug-*.js");
    await page.evaluate("window.isFirst = true");
    await show("bug");
    await heading("Find a bug").waitFor();
    expect(await page.evaluate("'isFirst' in window")).toBe(false);
  });
});
