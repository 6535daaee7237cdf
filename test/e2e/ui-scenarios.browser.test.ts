import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { overflow, seriousFindings } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { connected, oddControls, openUi, settled } from "../support/ui.ts";

const EVIL = `<img src=x onerror="document.title='1'"><script>document.title='2'</script> \u202eمرحبا שלום\u202d 👩‍🚀🧨 `;

const FILES = {
  "story.mjs": `export default {
  name: "story", title: "Coffee is paid, an hour passes", description: "A subscriber fails once.",
  params: {
    failures: { default: 1, description: "attempts that fail" },
    status: { default: 503, choices: [500, 503] },
    loud: { default: false, description: "says more" },
    gate: { default: "" },
  },
  async run({ sandbox, step, expect, params, log }) {
    const hook = await step("Point a webhook at the shop", () =>
      sandbox.webhooks.create({ url: sandbox.inbox("shop").url, description: "Orders" }));
    await sandbox.webhooks.fail(hook.id, { kind: "status", status: params.status, times: params.failures });
    await step("Somebody waits at the gate", async () => {
      if (params.loud) log("knocking\\nat the gate");
      await sandbox.payments.createLink({ name: "Coffee", short_code: "beans1", amount: "1000" });
      await sandbox.payments.pay("beans1");
      await fetch(params.gate);
    });
    await step("An hour passes", async () => {
      await sandbox.clock.advance("1h");
      expect((await sandbox.webhooks.timeline(hook.id)).counter.consecutive_failures).toBe(0);
    });
  },
};`,
  "hostile.mjs": `const evil = ${JSON.stringify(EVIL)}, long = evil + "w".repeat(10_240);
export default {
  name: "hostile", title: long, description: long,
  params: { text: { default: long, description: long }, lines: { default: "a\\nb" }, one: { default: long, choices: [long, "b"] } },
  async run({ sandbox, step, log, expect }) {
    log(long);
    await step(long, async () => {
      log(long + "\\n" + long);
      await sandbox.webhooks.create({ url: "https://evil.example/" + "w".repeat(1_900), description: evil });
    });
    await step(evil, () => { expect(1).toBe(1); throw new Error(long + "\\n" + long); });
  },
};`,
  "broken.mjs": "export default { name: 'Not a name', title: 'x', run() {} };",
};

/** What a scenario waits for, until it is opened. */
async function startGate() {
  let waiting: ServerResponse[] = [];
  const arrivals: (() => void)[] = [];
  const server = createServer((_request, response) => {
    waiting.push(response);
    for (const arrived of arrivals.splice(0)) arrived();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reached: () =>
      waiting.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => void arrivals.push(resolve)),
    open(): void {
      for (const response of waiting) response.end("open");
      waiting = [];
    },
  };
}

function scenarioFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-scenarios-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  return folder;
}

describe.skipIf(!BROWSER)("scenarios in the page", () => {
  test("are listed, run with live steps, joined after a reload, stopped, and keep hostile data in its place", async () => {
    const gate = await startGate();
    const sandbox = await startSandbox({ scenarios: scenarioFolder() });
    const { page, go, button, link, heading, fill, shot, problems } = await openUi(sandbox.url, "#/");
    const steps = page.getByRole("list", { name: "Steps" }).locator(":scope > li");
    const fits = async (name: string) => {
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        expect({ name, width, over: await overflow(page) }).toEqual({ name, width, over: 0 });
      }
    };
    const looksRight = async (name: string) => {
      await fits(name);
      await page.evaluate("scrollTo(0, 0)");
      await shot(`ui-${name}`);
      // Around every view the page is the same; test/e2e/ui-views.browser.test.ts looks at it.
      expect({ name, findings: await seriousFindings(page, "all", "main") }).toEqual({ name, findings: [] });
      expect({ name, odd: await oddControls(page) }).toEqual({ name, odd: [] });
    };

    // The list: own ones, shipped ones, and the file that is none.
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await heading("Shipped with Sandglass").waitFor();
    await page.getByText(/name is "Not a name"/).waitFor();
    await page.getByText("It must be 1 to 60 lower-case letters").waitFor();
    await page.getByText("npx sandglass explore localhost:3000/webhooks --state").waitFor();
    await looksRight("scenarios");

    // The form, made from the parameters.
    await link("Coffee is paid, an hour passes").click();
    await fill("failures", "");
    await page.getByText("A number, such as 1.").waitFor();
    await fill("failures", "2");
    await page.getByLabel("status").selectOption("500");
    await page.getByLabel("loud").check();
    await fill("gate", gate.url);
    await page.getByText("Your own subscriber, and a time limit").click();
    await fill("Your subscriber", "nowhere");
    await page.getByText("An http or https URL").waitFor();
    await fill("Your subscriber", "");
    await page.getByLabel("Source of the scenario", { exact: true }).getByText('name: "story"').waitFor();
    await looksRight("scenario");
    await button("Run").click();

    // A run, joined in its middle.
    await steps.nth(1).getByText("knocking").waitFor();
    await gate.reached();
    expect(new URL(page.url()).hash).toBe("#/scenarios/runs/run_1");
    await page.reload();
    await connected(page);
    await steps.nth(1).getByText("running", { exact: true }).waitFor();
    await steps.nth(1).getByText("knocking").waitFor();
    expect(await steps.count()).toBe(2);
    await fits("scenario-running");
    // The source beside it: the step that is under way, and one that is looked at.
    const source = page.getByLabel("Source of the scenario", { exact: true });
    const lineNow = source.locator("[data-now]");
    expect(await lineNow.textContent()).toContain('await step("Somebody waits at the gate"');
    expect(await source.locator("[data-mark]").count()).toBe(2);
    await steps.nth(0).hover();
    expect(await lineNow.textContent()).toContain('await step("Point a webhook at the shop"');
    gate.open();
    await page.getByText("Passed, with 3 steps.").waitFor();
    expect(await steps.count()).toBe(3);
    await steps.nth(2).getByText("took 1 h").waitFor();
    await steps
      .nth(2)
      .getByText(/What it caused/)
      .click();
    await page
      .getByRole("list", { name: "Entries of step 3" })
      .getByText(/delivered/)
      .first()
      .waitFor();
    await page.getByRole("list", { name: "Attempts" }).getByText("500").first().waitFor();
    await looksRight("scenario-passed");
    // Played again: this browser asks for no movement, so each step waits for a key.
    await button("Replay").click();
    await page.getByRole("group", { name: "Replay" }).getByText("Step 1 of 3").waitFor();
    expect(await heading("Endpoints at the end").count()).toBe(0);
    await fits("scenario-replay");
    expect(await seriousFindings(page, "all", ".replay")).toEqual([]);
    await page.keyboard.press("ArrowRight");
    await steps.nth(1).getByText("knocking").waitFor();
    await steps.nth(2).getByText("to come").waitFor();
    await page.keyboard.press("ArrowLeft");
    await steps.nth(1).getByText("to come").waitFor();
    await page.keyboard.press("End");
    await page.getByText("Passed, with 3 steps.").waitFor();
    await page.locator(".replay-start:focus").waitFor();
    const popup = page.waitForEvent("popup");
    await link("Report in a new tab").click();
    const report = await popup;
    await report.getByRole("heading", { level: 1, name: "Coffee is paid, an hour passes" }).waitFor();
    await report.close();

    // Again with the same; the steps to come are known now. Then it is stopped.
    await button("Run again").click();
    await page.waitForURL(/run_2$/);
    await steps.nth(1).getByText("knocking").waitFor();
    await steps.nth(2).getByText("to come").waitFor();
    await button("Stop").click();
    await page.getByText("Stopped after 1 step: It was stopped.").waitFor();
    await steps.nth(2).getByText("not reached").waitFor();
    await page.goBack();
    await page.getByText("Passed, with 3 steps.").waitFor();
    await link("Open its world").click();
    await page.getByText("Orders").first().waitFor();
    expect(page.url()).toContain("/w/run-1/#/webhooks");
    await page.goBack();
    await connected(page);
    await button("Remove…").click();
    await button("Remove").click();
    await page.getByText("Not run yet.").waitFor();
    await go("#/scenarios/runs/run_1");
    await page.getByText("This run no longer exists.").waitFor();

    // Hostile data is text.
    await page.emulateMedia({ colorScheme: "dark" });
    await go("#/scenarios/hostile");
    await fits("scenario-hostile-form");
    await button("Run").click();
    await button("It threw an error").click();
    await page.getByText(/^.*hostile\.mjs:\d+:\d+$/).waitFor();
    await settled(page);
    await looksRight("scenario-hostile");
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.title()).toMatch(/Sandglass$/);
    await go("#/scenarios");
    await fits("scenarios-hostile");

    expect(problems.filter((text) => !text.includes("404"))).toEqual([]);
  });
});
