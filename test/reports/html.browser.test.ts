import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { scenarioHtml, worldHtml } from "../../src/reports/html.ts";
import { overflow, seriousFindings } from "../support/axe.ts";
import { BROWSER, openPage } from "../support/browser.ts";
import { at, endpoint, entry, failedScenario, longTimeline, scenario, step } from "./reports.ts";

/** Opens a document as a person does who has downloaded it; gives what it asked for and what it complained of. */
async function open(page: Page, name: string, markup: string): Promise<{ asked: string[]; heard: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, `${name}.html`);
  writeFileSync(file, markup);
  const asked: string[] = [];
  const heard: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => heard.push(message.text()));
  page.on("pageerror", (error) => heard.push(error.message));
  const address = pathToFileURL(file).href;
  await page.goto(address);
  return { asked: asked.filter((url) => url !== address && !url.startsWith("data:")), heard };
}

const unfold = (page: Page) =>
  page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })");

const HOSTILE = `</script><script>document.title="hurt"</script><img src="http://hurt.example/" onerror="document.title='hurt'">`;
const LONG = `${HOSTILE}\u202e مرحبا 🧨 ${"w".repeat(10_000)}`;

const run = [
  scenario(),
  failedScenario(),
  scenario({
    name: "disable-and-enable",
    title: "Disable and re-enable",
    ended_at: at(3 * 24 * 60 + 2),
    endpoints: [endpoint({ timeline: longTimeline() }), endpoint({ url: "https://quiet.example/hooks" })],
    mail: [{ to: "owner@example.com", subject: "Webhook endpoint disabled", created_at: at(96.5) }],
  }),
];
const hostile = failedScenario({
  title: LONG,
  description: LONG,
  file: LONG,
  params: { [LONG]: LONG },
  steps: [step(LONG, { result: "failed", ledger: [entry("mail.sent", 0, { to: LONG, subject: LONG })] })],
  failure: { code: "error", message: LONG, hint: LONG, step: LONG, position: null },
  endpoints: [endpoint({ url: LONG, description: LONG, events: [LONG], timeline: longTimeline() })],
});
const world = worldHtml({
  title: LONG,
  seed: "default",
  now: at(11),
  endpoints: [endpoint({ timeline: longTimeline() })],
  journal: [entry("mail.sent", 0, { to: LONG, subject: LONG })],
  mail: [{ to: LONG, subject: LONG, created_at: at(0) }],
});

describe.skipIf(!BROWSER)("in a browser", () => {
  test("a report reads well in light, in dark and on a phone, and loads nothing", async () => {
    const { page, shot } = await openPage();
    const { asked, heard } = await open(page, "run", scenarioHtml(run));
    for (const [name, colorScheme, width, rules] of [
      ["light", "light", 1200, "all"],
      ["dark", "dark", 1200, "colours"],
      ["narrow", "light", 360, "layout"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await shot(`report-${name}`);
      await unfold(page);
      expect(await seriousFindings(page, rules)).toEqual([]);
      expect(await overflow(page)).toBe(0);
    }
    expect(asked).toEqual([]);
    expect(heard).toEqual([]);
  });

  test("hostile words are words", async () => {
    const { page } = await openPage({ width: 360 });
    for (const [name, markup] of [
      ["run", scenarioHtml([hostile])],
      ["world", world],
    ] as const) {
      const { asked, heard } = await open(page, name, markup);
      await unfold(page);
      expect(await overflow(page)).toBe(0);
      expect(await page.title()).toContain("</script>");
      expect(await seriousFindings(page)).toEqual([]);
      expect(asked).toEqual([]);
      expect(heard).toEqual([]);
    }
  });

  test("without a script, a failure's link unfolds it, and printing shows what is folded", async () => {
    const { page } = await openPage();
    await open(page, "run", scenarioHtml([...run, failedScenario({ title: "Another" })]));
    const failure = page.locator("#scenario-4");
    await page.evaluate("document.querySelector('#scenario-4').parentElement.open = false");
    expect(await failure.isVisible()).toBe(false);
    await page.click('a[href="#scenario-4"]');
    expect(await failure.isVisible()).toBe(true);
    const folded = page.getByText("owner@example.com");
    expect(await folded.isVisible()).toBe(false);
    await page.emulateMedia({ media: "print" });
    expect(await folded.isVisible()).toBe(true);
  });
});
