import { describe, expect, test } from "vitest";
import { scenarioHtml, worldHtml } from "../../src/reports/html.ts";
import { overflow, seriousFindings } from "../support/axe.ts";
import { BROWSER, openPage } from "../support/browser.ts";
import { open, run, unfold } from "./html.ts";
import { at, endpoint, entry, failedScenario, longTimeline, step } from "./reports.ts";

const HOSTILE = `</script><script>document.title="hurt"</script><img src="http://hurt.example/" onerror="document.title='hurt'">`;
const LONG = `${HOSTILE}\u202e مرحبا 🧨 ${"w".repeat(10_000)}`;
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

describe.skipIf(!BROWSER)("HTML reports in a browser", () => {
  test("an HTML report shows hostile text as plain text and fits a phone", async () => {
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

  test("a failure's link in an HTML report expands the failure without JavaScript, and printing expands everything", async () => {
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
