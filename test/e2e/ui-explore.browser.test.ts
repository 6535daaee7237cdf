import { describe, expect, test } from "vitest";
import { apply, makeShop } from "../explore/handlers.ts";
import { serveShop } from "../explore/server.ts";
import { overflow, seriousFindings } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

const lastWriteWins = () =>
  makeShop((event, shop, seen) => {
    if (event.isTest || seen.has(event.key)) return undefined;
    seen.add(event.key);
    apply(event, shop);
    if (event.type === "checkout.expired") shop.orders[event.order]!.status = "cancelled";
    return undefined;
  });

describe.skipIf(!BROWSER)("explore in the page", () => {
  test("a story is chosen, an exploration is cancelled, and another one shows what it found", async () => {
    let isSilent = true;
    const { url, origin } = await serveShop(lastWriteWins(), { reset: () => isSilent });
    const sandbox = await startSandbox();
    const { page, button, link, heading, fill, shot, problems } = await openUi(sandbox.url, "#/scenarios");
    await link("Explore your handler").click();
    const story = page.getByLabel("Story");
    await story.selectOption("late-payment");

    // Without an address, the form says what is missing.
    await button("Explore").click();
    await page.getByText("Where does your server receive webhooks?").waitFor();
    await fill("Your subscriber", url);
    await fill("Its signing secret", "whsec_test");
    expect(await page.getByLabel("Its state").getAttribute("placeholder")).toBe(`${origin}/state`);

    await button("Explore").click();
    await page.getByText("Where does your server return its state?").waitFor();
    await fill("Its state", `${origin}/state`);
    await fill("Its reset", `${origin}/reset`);

    // The reset does not answer: it is under way until it is cancelled.
    await button("Explore").click();
    await page.getByText("Playing the story when everything goes well").waitFor();
    await button("Cancel").click();
    await heading("Under way").waitFor({ state: "detached" });
    isSilent = false;

    await button("Explore").click();
    await heading("A paid order ends up cancelled.").waitFor();
    await page.reload();
    await heading("A paid order ends up cancelled.").waitFor();
    expect(await page.getByLabel("Its reset").inputValue()).toBe(`${origin}/reset`);
    const attempts = page.getByRole("list", { name: "The found schedule" }).getByRole("listitem");
    expect(await attempts.allInnerTexts()).toHaveLength(3);
    expect(await attempts.first().textContent()).toContain("lost: the request never arrives");
    const parting = page.getByLabel("What each delivery changed").getByRole("row");
    expect(await parting.last().textContent()).toContain("checkout.expired: the runs part here");
    expect(await parting.last().textContent()).toContain('"paid" → "cancelled"');
    const runs = page.locator(".explore-run");
    await runs.last().locator(".mark.bad").waitFor();
    expect(await runs.count()).toBe(2);
    expect(await runs.first().locator(".mark.bad").count()).toBe(0);
    expect(await runs.last().locator(".mark.bad").textContent()).toBe("lost");
    await page.getByText('name: "explore-paid-order-cancelled"').waitFor();
    expect(await button("Copy the scenario").count()).toBe(1);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect({ width, over: await overflow(page) }).toEqual({ width, over: 0 });
    }
    await shot("ui-explore");

    // All stories, a line each: the second one has the finding.
    await page.getByLabel("Story").selectOption({ label: "All of them" });
    await fill("Its signing secret", "whsec_test");
    await button("Explore").click();
    const lines = page.getByRole("list", { name: "Stories" }).getByRole("listitem");
    await lines.first().waitFor();
    const [first, second, ...others] = await lines.allInnerTexts();
    expect(first).toContain("21 schedules, nothing found");
    expect(second).toContain("found");
    expect(others.map((line) => line.includes("Not played"))).toEqual(others.map(() => true));
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
