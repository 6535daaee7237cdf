import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";
import { counter, marks } from "./ui-endpoint.ts";

const SCRIPT = readFileSync(new URL("../../docs/demo.md", import.meta.url), "utf8");
/** What each step of the script tells the user to click, in order. */
const STEPS = SCRIPT.split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => [...line.split("|")[2]!.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name!));

describe.skipIf(!BROWSER)("the demo", () => {
  test("the demo script works in presentation mode, and every endpoint has recovered at the end", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const ui = await openUi(sandbox.url, "#/", { presenting: true });
    const { page, clock, menu, shot, problems } = ui;
    const clicked: string[][] = [];
    const step = () => void clicked.push([]);
    const click = async (name: string, role: "button" | "link" | "radio" = "button") => {
      clicked.at(-1)!.push(name);
      await page.getByRole(role, { name, exact: true }).click({ force: role === "radio" });
    };
    /** A payment made before the advance has finished would be made in the advance's past. */
    const advance = async (by: string, to: string) => {
      clicked.at(-1)!.push(by);
      await page.getByRole("button", { name: `Advance: ${by}`, exact: true }).click();
      await clock.filter({ hasText: to }).waitFor();
    };

    step();
    await menu("places");
    await click("Endpoint", "link");
    await click("Use a built-in inbox");
    step();
    await click("Paid");
    await expect.poll(() => marks(ui, "good").count()).toBe(2);
    step();
    await click("Fails: 503", "radio");
    await page.getByText(/^From now on the subscriber fails/).waitFor();
    await advance("+10 min", "09:10:00");
    await click("Paid");
    await expect.poll(() => marks(ui, "bad").count()).toBe(2);
    await expect.poll(() => marks(ui, "planned").count()).toBe(2);
    await shot("demo-future", "seen");
    step();
    // Much happens in the demo shop in a day, but the preview mentions only the endpoint being viewed.
    await page.getByRole("button", { name: "Advance: +1 day", exact: true }).hover();
    await page.locator(".preview li").first().waitFor();
    expect(await page.locator(".preview li .ellipsis").allInnerTexts()).toEqual([
      "Attempt 2 of payment.completed",
      "Attempt 2 of checkout.completed",
    ]);
    await page.getByRole("button", { name: "Advance: +1 h", exact: true }).hover();
    await page.locator(".preview ol").waitFor();
    await advance("+1 h", "10:10:00");
    await page
      .locator(".summary")
      .getByText(/4 attempts failed/)
      .waitFor();
    await expect.poll(() => counter(ui).textContent()).toMatch(/^6 \/ 10/);
    step();
    await click("Paid");
    await expect.poll(() => counter(ui).textContent()).toMatch(/^8 \/ 10/);
    await advance("+1 h", "11:10:00");
    await page.locator(".endpoint-head .pill.bad", { hasText: "disabled" }).waitFor();
    await page.locator(".flag.mail").first().waitFor();
    await shot("demo-disabled", "seen");
    step();
    await click("Fix, enable and retry");
    await page.getByText("All 4 events that failed arrived.").waitFor();
    expect(await counter(ui).textContent()).toMatch(/^0 \/ 10/);
    await expect.poll(() => marks(ui, "manual.good").count()).toBe(4);
    await marks(ui, "manual.good").last().click();
    clicked.at(-1)!.push("Signature");
    await page.getByText("Signature", { exact: true }).click();
    await page.getByText("the same", { exact: true }).waitFor();

    expect(clicked).toEqual(STEPS);
    expect(STEPS.length).toBeLessThanOrEqual(6);
    expect(problems).toEqual([]);
  });
});
