import { describe, expect, test } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

/** An endpoint with a failed payment: six retries are ahead. */
async function startFailing() {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
  await sandbox.pay({ session_id: (await sandbox.openSession()).id });
  return { sandbox, hook };
}

interface Frame {
  line: number;
  attempts: number[];
  counter: number;
  badge: string;
  summary: string;
}

/** Runs in the page: what is drawn in each frame until an advance is over. */
const WATCH = `new Promise((resolve) => {
  const frames = [];
  const draw = () => {
    const middle = (box) => (box.left + box.right) / 2;
    const line = document.querySelector(".now").getBoundingClientRect().left;
    const at = [...document.querySelectorAll(".stage .mark.attempt")];
    frames.push({
      line,
      attempts: at.map((mark) => middle(mark.getBoundingClientRect())),
      counter: Number(document.querySelector(".endpoint-head .counter-text b").textContent),
      badge: document.querySelector(".nav .badge")?.textContent ?? "",
      summary: document.querySelector(".summary-line").textContent,
    });
    if (document.querySelector(".summary [role=status]")) resolve(frames);
    else requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
})`;

/** Runs in the page: counts the frames that it still plays after a key. */
const WATCH_SKIP = `window.framesAfterKey = new Promise((resolve) => {
  let frames = 0;
  const look = () => {
    if (!document.documentElement.hasAttribute("data-playing")) resolve(frames);
    else {
      frames += 1;
      requestAnimationFrame(look);
    }
  };
  addEventListener("keydown", look, { once: true, capture: true });
}), undefined`;

describe.skipIf(!BROWSER)("an advance on the page", () => {
  test("is played: no attempt, counter or summary is ahead of the line, and a key skips it", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, clock, problems, shot } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(() => page.locator(".stage .mark.bad").count()).toBe(2);
    const watched = page.evaluate(WATCH) as Promise<Frame[]>;
    await page.getByTestId("advance-1h").click();
    const frames = await watched;
    // A busy machine may leave out a frame, and the counter of 4 with it.
    const counters = frames.map(({ counter }) => counter);
    expect([counters[0], counters.at(-1)]).toEqual([2, 6]);
    expect(counters.toSorted((a, b) => a - b)).toEqual(counters);
    for (const { line, attempts, counter, summary } of frames) {
      expect(Math.max(...attempts)).toBeLessThanOrEqual(line + 1.5);
      expect(attempts.length).toBeGreaterThanOrEqual(counter);
      const failed = Number(/(\d+) attempts? failed/.exec(summary)?.[1] ?? 0);
      expect(failed).toBeLessThanOrEqual(attempts.length - 2);
    }
    expect(frames.some(({ summary }) => summary.startsWith("Advancing"))).toBe(true);
    await shot("played", "seen");

    await page.getByTestId("advance-1h").click();
    await page.locator("html[data-playing]").waitFor();
    await page.evaluate(WATCH_SKIP);
    await page.keyboard.press("Escape");
    expect(await page.evaluate("framesAfterKey")).toBeLessThanOrEqual(2);
    expect(await clock.textContent()).toContain("11:00:00");
    expect(problems).toEqual([]);
  });

  test("is taken back, and that too", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, clock } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    const line = page.locator(".summary-line");
    await page.getByTestId("advance-10m").click();
    await line.getByText(/2 attempts failed/).waitFor();
    await page.getByTestId("advance-1h").click();
    await line.getByText(/^Advanced 1 h/).waitFor();
    await page.getByTestId("undo-advance").click();
    await page.getByText("+1 h is undone.").waitFor();
    await expect.poll(() => clock.textContent()).toContain("09:10:00");
    await expect.poll(() => page.locator(".stage .mark.bad").count()).toBe(4);
    await page.getByTestId("undo").click();
    await expect.poll(() => clock.textContent()).toContain("10:10:00");
  });
});

describe.skipIf(!BROWSER)("an advance, and another client's after it", () => {
  test("is not taken back: that would take the other one back, too", async () => {
    const { sandbox, hook } = await startFailing();
    const { page } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.getByTestId("advance-1h").click();
    await page.getByTestId("undo-advance").waitFor();
    await sandbox.control("POST", "/clock/advance", { by: "2h" });
    await expect.poll(() => page.getByTestId("undo-advance").count()).toBe(0);
  });
});

describe.skipIf(!BROWSER)("a disabled endpoint", () => {
  test("has a banner before the payment's message, two ways out, and shows that it recovered", async () => {
    const sandbox = await startSandbox({ webhooks: { disableAfter: { consecutive: 2 } } });
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.createLink();
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
    const { page, button, shot } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.evaluate(`(() => {
      const order = [];
      new MutationObserver(() => {
        for (const name of ["disabling", "toast"])
          if (document.querySelector("." + name) && !order.includes(name)) order.push(name);
        document.body.dataset.order = order.join();
      }).observe(document.body, { childList: true, subtree: true });
    })()`);
    await page.getByTestId("pay").click();
    await page.getByRole("dialog").locator("p > b").waitFor();
    await button("Pay").click();
    const banner = page.locator(".disabling");
    await banner.getByText("after 2 failures in a row").waitFor();
    await page.locator(".toast").waitFor();
    expect(await page.locator("body").getAttribute("data-order")).toBe("disabling,toast");
    await banner.getByRole("link", { name: /Webhook endpoint disabled/ }).waitFor();
    await banner.getByText("2 events failed and can be retried").waitFor();
    await shot("disabled", "seen");
    for (const [look, rules] of [
      [{ colorScheme: "light" }, "all"],
      [{ colorScheme: "dark" }, "colours"],
      [{ forcedColors: "active" }, "all"],
    ] as const) {
      await page.emulateMedia(look);
      expect({ look, findings: await seriousFindings(page, rules, ".disabling") }).toEqual({
        look,
        findings: [],
      });
    }
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });

    await page.getByRole("switch").click();
    await banner.getByRole("button", { name: "Enable again" }).press("Enter");
    await banner.getByText("2 events failed and can be retried.").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Retry what failed");
    await banner.getByRole("button", { name: "Retry what failed" }).click();
    await banner.getByText("All 2 events that failed arrived.").waitFor();
    await shot("recovered", "seen");
    await banner.getByRole("button", { name: "Dismiss" }).click();
    await banner.waitFor({ state: "detached" });
  });
});

describe.skipIf(!BROWSER)("time on the page", () => {
  test("has its gaps named and torn, is linear on request, and its place is in the address", async () => {
    const { sandbox, hook } = await startFailing();
    await sandbox.advance("3d");
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, button, menu } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.locator(".stage .mark").first().waitFor();
    const gaps = await page.locator(".stage .gap").allTextContents();
    for (const gap of ["1 min", "10 min", "1 h"]) expect(gaps).toContain(gap);
    expect(await page.locator(".stage .torn").count()).toBe(1);
    await page
      .locator(".lane-name", { hasText: /^payment\.completed …/ })
      .first()
      .waitFor();

    await menu("zoom");
    await button("Linear time").click();
    await expect.poll(() => page.locator(".stage .torn").count()).toBe(0);
    await menu("zoom");
    await button("10 min").click();
    await expect.poll(() => page.url()).toMatch(/from=.*&to=.*&time=linear|time=linear&from=/);
    const span = () => page.locator(".zoom-span").textContent();
    const before = await span();
    await page.reload();
    await page.locator(".stage .tick").first().waitFor();
    await expect.poll(span).toBe(before);
    await menu("zoom");
    expect(await button("Linear time").getAttribute("aria-pressed")).toBe("true");
  });
});

describe.skipIf(!BROWSER)("the first screen", () => {
  test("has the timeline on a phone, and most of a projector's picture in presentation mode", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, shot } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, {
      width: 390,
      height: 844,
    });
    const box = async () => (await page.locator(".endpoint .timeline").boundingBox())!;
    await page.locator(".stage .mark").first().waitFor();
    const phone = await box();
    expect(phone.y + phone.height).toBeLessThanOrEqual(844);
    await shot("phone", "seen");

    await page.setViewportSize({ width: 1280, height: 720 });
    const laptop = await box();
    expect(laptop.y + laptop.height).toBeLessThanOrEqual(725);
    await page.keyboard.press("f");
    await expect.poll(async () => (await box()).height).toBeGreaterThanOrEqual(720 * 0.6);
    const stage = await box();
    expect(stage.y + stage.height).toBeLessThanOrEqual(720);
    const steps = await page
      .locator(".steps .step")
      .evaluateAll((all) => all.map((step) => Math.round(step.getBoundingClientRect().bottom / 30)));
    expect(new Set(steps).size).toBe(1);
    await shot("presentation", "seen");
    await page.keyboard.press("f");
  });
});
