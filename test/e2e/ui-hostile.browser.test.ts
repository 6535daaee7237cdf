import { describe, expect, test } from "vitest";
import { overflow } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { drawn, openUi, type UiPage } from "../support/ui.ts";

const MARKUP = `<img src=x onerror="document.title='1'"><script>document.title='2'</script>`;
const RTL = "\u202eمرحبا שלום\u202d";
const EVIL = `${MARKUP} ${RTL} 👩‍🚀🧨 `;
const LONG = "w".repeat(10_240);
const WIDE = 1_280;
const NARROW = 360;

/** Opens a view and all that can be opened in it: what is hostile is text, and breaks no layout. */
async function expectText({ page, go, shot }: UiPage, view: string, name: string): Promise<void> {
  await go(view);
  const closed = page.locator("main details:not(.menu, [open]) > summary");
  while ((await closed.count()) > 0) await closed.first().click();
  expect(await page.title(), view).toMatch(/Sandglass$/);
  expect(await page.locator("main img, main script").count(), view).toBe(0);
  // The first width is the one that the view before was left in.
  const isWide = page.viewportSize()!.width >= WIDE;
  for (const width of isWide ? [WIDE, NARROW] : [NARROW, WIDE]) {
    await page.setViewportSize({ width, height: 900 });
    await drawn(page);
    expect({ view, width, overflow: await overflow(page) }).toEqual({ view, width, overflow: 0 });
    await shot(`${name}-${width}`, "seen");
  }
}

describe.skipIf(!BROWSER)("hostile data", () => {
  test("shows as text and breaks no layout, wide and narrow", async () => {
    const sandbox = await startSandbox();
    const name = EVIL.padEnd(200, "w").slice(0, 200);
    const inbox = `${sandbox.url}/_sandbox/inbox/evil`;
    const hook = await sandbox.createWebhook(`${inbox}`, {
      description: EVIL.padEnd(2_000, "w").slice(0, 2_000),
    });
    const far = await sandbox.createWebhook(`https://evil.example/${"w".repeat(1_900)}`);
    const link = await sandbox.createLink({ name, description: EVIL.padEnd(2_000, "w").slice(0, 2_000) });
    const { transaction } = await sandbox.pay({
      payment_link_id: link.id,
      customer_name: name,
      client_reference_id: name,
      metadata: { [EVIL.slice(0, 40)]: EVIL.padEnd(500, "w").slice(0, 500) },
    });
    await sandbox.call("POST", "/_sandbox/inbox/evil", {
      body: JSON.stringify({ event: EVIL + LONG, data: LONG }),
      headers: { "x-evil": encodeURIComponent(EVIL) + LONG.slice(0, 4_000) },
    });
    await sandbox.control("PUT", "/inbox/evil/behaviour", { status: 500, body: EVIL + LONG });
    await sandbox.pay({ payment_link_id: link.id, customer_name: name });
    await sandbox.api("GET", `/payment-links?search=${encodeURIComponent(EVIL)}${"w".repeat(4_000)}`);
    sandbox.sandbox.journal.append(EVIL + LONG, { id: EVIL + LONG, [EVIL]: LONG });
    sandbox.sandbox.journal.append("mail.sent", { subject: EVIL + LONG });
    const failed = (await sandbox.deliveries(hook.id)).find(({ status }) => status === "failed")!;
    const entries = await sandbox.journal();
    const calls = (await sandbox.control("GET", "/requests")).body.data;

    const views = [
      "#/",
      "#/webhooks",
      `#/webhooks/${hook.id}/${failed.id}`,
      `#/webhooks/${far.id}`,
      "#/inboxes/evil",
      "#/payments/links",
      `#/payments/links/${link.id}`,
      "#/payments/sessions",
      `#/payments/story/${transaction.id}`,
      `#/activity/calls/${calls.at(-1).id}`,
      `#/activity/journal/${entries.at(-2)!.seq}`,
      "#/audit",
    ];
    const ui = await openUi(sandbox.url);
    for (const view of views) await expectText(ui, view, `hostile-${views.indexOf(view)}`);
    const { page, go, problems, shot } = ui;
    await go(views[2]!);
    await page.getByTestId("pay").click();
    await page.getByRole("dialog").getByText("2.50 USDC for").waitFor();
    for (const width of [WIDE, NARROW]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overflow(page)).toBe(0);
      await shot(`hostile-dialog-${width}`, "seen");
    }
    expect(problems).toEqual([]);
  });

  test("shows as text in snapshots, worlds and what a game sent, too", async () => {
    const sandbox = await startSandbox();
    const { body: minted } = await sandbox.control("POST", "/game/tokens", {
      address: `0x${"ab".repeat(20)}`,
    });
    const sent = await sandbox.call("POST", "/game/launcher/send-custom-activity", {
      body: { launcherJwt: minted.token, label: EVIL.padEnd(500, "w").slice(0, 500), eventId: "evil" },
    });
    expect(sent.status).toBe(200);
    await sandbox.call("GET", `/data/insights/v1/tokens/lookup?symbol=${encodeURIComponent(EVIL)}`);
    await sandbox.control("POST", "/snapshots", { name: "s".repeat(64) });
    await sandbox.makeWorld({ name: "w".repeat(64), seed: (EVIL + LONG).slice(0, 150) });

    const views = ["#/snapshots", "#/snapshots/worlds", "#/activity/calls", "#/activity/journal"];
    const ui = await openUi(sandbox.url);
    for (const view of views) await expectText(ui, view, `hostile-more-${views.indexOf(view)}`);
    expect(ui.problems).toEqual([]);
  });
});
