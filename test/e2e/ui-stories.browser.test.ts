import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectFit } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { type Answering, startSubscriber } from "../support/subscriber.ts";
import { openUi, type UiPage } from "../support/ui.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { marks } from "./ui-endpoint.ts";

/** Creates a project with a folder for its findings. */
function createProject(): { cwd: string; findings: string } {
  const cwd = folderOf();
  const findings = join(cwd, "sandglass/findings");
  mkdirSync(findings, { recursive: true });
  return { cwd, findings };
}

/**
 * Creates a handler for Stripe's webhooks that counts payments and serves the count. Until it is fixed, it counts a
 * payment twice.
 */
function createCounter() {
  let counted: string[] = [];
  const counter = {
    isFixed: false,
    answer: (({ path, body }, response) => {
      if (path === "/reset") counted = [];
      if (path === "/webhooks") {
        const { id, type } = JSON.parse(body);
        if (type === "charge.succeeded" && !(counter.isFixed && counted.includes(id))) counted.push(id);
      }
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ charges: counted.length }));
    }) satisfies Answering,
  };
  return counter;
}

const played = ({ page }: UiPage) => page.getByRole("status", { name: "Played story" });

describe.skipIf(!BROWSER)("stories and findings on the page", () => {
  test("a user plays a story with one event lost and one duplicated, and the command line replays the saved finding", async () => {
    const { cwd, findings } = createProject();
    const sandbox = await startSandbox({ findings });
    const counter = createCounter();
    const { url } = await startSubscriber(counter.answer);
    const { id } = (await sandbox.control("POST", "/webhooks", { url, sender: "stripe" })).body;
    const ui = await openUi(sandbox.url, `#/webhooks/${id}`, { width: 1280 });
    const { page, button, link, problems } = ui;
    await link("Send").click();
    await page.getByLabel("Story", { exact: true }).selectOption("checkout");
    await expect.poll(() => marks(ui, "planned").count()).toBe(3);
    await page.getByLabel("payment_intent.succeeded", { exact: true }).selectOption("lost");
    await page.getByLabel("charge.succeeded", { exact: true }).selectOption("arrives twice");
    await button("Play").click();
    await played(ui)
      .getByText("4 attempts with lost@1, resend@2; your handler accepted every request.")
      .waitFor();
    expect(await marks(ui, "planned").count()).toBe(0);
    expect(await marks(ui, "bad").count()).toBe(1);
    expect(await (await fetch(url.replace("webhooks", "state"))).json()).toEqual({ charges: 2 });
    await expectFit(ui, "played-story");

    await button("Save as a finding").click();
    await page.getByText(/^Saved as .+checkout-lost-resend\.yaml\./).waitFor();
    expect(readdirSync(findings)).toEqual(["checkout-lost-resend.yaml"]);
    const run = () =>
      runWarmCli(
        [
          ...[
            "run",
            "checkout-lost-resend",
            "--subscriber",
            url,
            "--state",
            url.replace("webhooks", "state"),
          ],
          ...["--reset", url.replace("webhooks", "reset"), "--secret", "whsec_test"],
        ],
        { cwd },
      );
    const failed = await run();
    expect(failed.code, failed.stdout + failed.stderr).toBe(1);
    counter.isFixed = true;
    const fixed = await run();
    expect(fixed.code, fixed.stdout + fixed.stderr).toBe(0);
    expect(problems).toEqual([]);
  });

  test("the page replays a finding in a fork against the user's own handler and leaves the world unchanged", async () => {
    const { findings } = createProject();
    writeFileSync(join(findings, "late.yaml"), "finding: late\nstory: late-payment\nschedule: [lost@1]\n");
    const sandbox = await startSandbox({ findings, seed: "sandglass" });
    const subscriber = await startSubscriber();
    const { id } = await sandbox.createWebhook(subscriber.url);
    const ui = await openUi(sandbox.url, "#/bug", { width: 1280 });
    const { page, button, problems } = ui;
    expect(await page.getByLabel("Against").inputValue()).toBe(id);
    await button("Play").click();
    await played(ui).getByRole("heading", { name: "Finding late" }).waitFor();
    await played(ui).getByText("it was neither copied nor restored").waitFor();
    expect(await played(ui).getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining("checkout.expired lost: the request never arrives lost@1"),
      expect.stringContaining("payment.completed 200"),
      expect.stringContaining("checkout.expired 200"),
    ]);
    expect(page.url()).toContain("/w/world-");
    expect(await marks(ui, "good").count()).toBe(2);
    expect(subscriber.received).toHaveLength(2);
    expect((await sandbox.control("GET", `/webhooks/${id}/timeline`)).body.attempts).toEqual([]);
    await expectFit(ui, "played-finding");
    expect(problems).toEqual([]);
  });

  test("the edit form shows each error next to its field, and later events go to the changed endpoint", async () => {
    const sandbox = await startSandbox();
    const [before, after] = [await startSubscriber(), await startSubscriber()];
    const { id } = (await sandbox.control("POST", "/webhooks", { url: before.url, sender: "stripe" })).body;
    const ui = await openUi(sandbox.url, `#/webhooks/${id}`);
    const { page, button, heading, menu, fill } = ui;
    const dialog = page.getByRole("dialog");
    await menu("endpoint");
    await button("Edit…").click();
    await fill("Your handler’s URL", "http://127.0.0.1:port/webhooks");
    await fill("Signing secret", "whsec_of_the_handler");
    await fill(/^Headers/, "X-Tenant acme");
    await button("Save").click();
    await dialog.getByText('"X-Tenant acme" is not a header. Use the form X-Tenant: acme.').waitFor();
    await fill(/^Headers/, "X-Tenant: acme");
    await button("Save").click();
    await dialog.getByText(/^url must be an absolute URL/).waitFor();
    expect(await page.getByLabel("Your handler’s URL").getAttribute("aria-invalid")).toBe("true");
    await expectFit(ui, "edit");

    await fill("Your handler’s URL", after.url.replace("http://127.0.0.1", "localhost"));
    await dialog.getByText("Only some events").click();
    await dialog.getByLabel("invoice.paid", { exact: true }).check();
    await button("Save").click();
    await heading(after.url.replace("127.0.0.1", "localhost")).waitFor();
    const stored = (await sandbox.control("GET", "/webhooks")).body.data;
    expect(stored.find((one: { id: string }) => one.id === id).secret).toBe("whsec_of_the_handler");
    // An edit appears as one change, however many fields it changed.
    await expect.poll(() => page.locator(".stage .flag.updated").count()).toBe(1);
    await sandbox.control("POST", "/senders/stripe/events", { type: "invoice.paid" });
    await sandbox.control("POST", "/senders/stripe/events", { type: "charge.succeeded" });
    expect(before.received).toEqual([]);
    expect(after.received.map(({ headers, body }) => [headers["x-tenant"], JSON.parse(body).type])).toEqual([
      ["acme", "invoice.paid"],
    ]);
    await button("Undo").click();
    await heading(before.url).waitFor();
  });
});
