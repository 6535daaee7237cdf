import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

const SCRIPT = readFileSync(new URL("../../docs/demo.md", import.meta.url), "utf8");
/** What the script tells to click, in its order. */
const CLICKS = SCRIPT.split("\n")
  .filter((line) => /^\| \d/.test(line))
  .flatMap((line) => [...line.split("|")[2]!.matchAll(/\*\*([^*]+)\*\*|_([^_]+)_/g)])
  .map(([, button, view]) => (button ?? view)!);

/** The story of docs/demo.md, clicked as it is written. */
describe.skipIf(!BROWSER)("the demo of two minutes", () => {
  test("goes as its script says, from the default seed and in presentation mode", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { page, clock, menu, shot, problems } = await openUi(sandbox.url, "#/", { presenting: true });
    const counter = page.locator(".endpoint-head .counter-text");
    const marks = (kind: string) => page.locator(`.stage .mark.${kind}`);
    const clicked: string[] = [];
    const click = async (name: string, role: "button" | "link" | "switch" | "tab" = "button") => {
      clicked.push(name);
      const named = page.getByRole(role, {
        name: role === "link" ? new RegExp(`^${name}`) : name,
        exact: true,
      });
      if (["Home", "Webhooks", "Mail"].includes(name)) await menu("views");
      await named.first().click();
    };
    /** A payment that is made before the advance has ended would be made in its past. */
    const advance = async (step: string, to: string) => {
      clicked.push(step);
      await page.getByRole("button", { name: `Advance: ${step}`, exact: true }).click();
      await clock.filter({ hasText: to }).waitFor();
    };
    const pay = async () => {
      await click("Pay…");
      await page.getByRole("dialog").locator("p > b").waitFor();
      await click("Pay");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };

    await click("Home", "link");
    await click("Webhooks", "link");
    await click("New endpoint", "link");
    await click("Create endpoint");
    await pay();
    await expect.poll(() => marks("good").count()).toBe(2);
    await click("Make the subscriber fail", "switch");
    await page.getByText(/^From now on the subscriber fails/).waitFor();
    await advance("+10 min", "09:10:00");
    await pay();
    await expect.poll(() => marks("bad").count()).toBe(2);
    await expect.poll(() => marks("planned").count()).toBe(2);
    await shot("demo-future", "seen");
    await page.getByRole("button", { name: "Advance: +1 h", exact: true }).hover();
    await page.locator(".preview ol").waitFor();
    await advance("+1 h", "10:10:00");
    await page
      .locator(".summary")
      .getByText(/attempts failed/)
      .waitFor();
    await expect.poll(() => counter.textContent()).toMatch(/^6 \/ 10/);
    await advance("+1 h", "11:10:00");
    await expect.poll(() => counter.textContent()).toMatch(/^8 \/ 10/);
    await pay();
    await page.locator(".endpoint-head .pill.bad", { hasText: "disabled" }).waitFor();
    await page.locator(".flag.mail").first().waitFor();
    await shot("demo-disabled", "seen");
    await click("Mail", "link");
    await click("The endpoint", "link");
    await click("Make the subscriber fail", "switch");
    await page.getByText("The subscriber works again.").waitFor();
    await click("Enable again");
    await page.locator(".endpoint-head .pill.good", { hasText: "enabled" }).waitFor();
    await advance("+10 min", "11:20:00");
    await page.locator(".stage .mark.bad").last().click();
    await click("Retry now");
    await page.getByRole("heading", { name: /^Delivered: answered 200/ }).waitFor();
    await click("Signature", "tab");
    await page.getByText("the same", { exact: true }).waitFor();

    expect(clicked).toEqual(CLICKS);
    expect(problems).toEqual([]);
  });
});
