import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi, startFailing } from "../support/ui.ts";
import { stretch } from "./ui-timeline.ts";

interface Frame {
  line: number;
  attempts: number[];
  counter: number;
  badge: string;
  summary: string;
}

/** Runs in the page: records what is drawn in each frame until an advance has ended. */
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

/** Runs in the page: counts the frames for which the animation continues after a key press. */
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
  test("an advance is animated: no entry appears ahead of the progress line, and a key skips the animation", async () => {
    const { sandbox, hook } = await startFailing();
    const { page, clock, problems, shot } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(() => page.locator(".stage .mark.bad").count()).toBe(2);
    const watched = page.evaluate(WATCH) as Promise<Frame[]>;
    await page.getByTestId("advance-1h").click();
    const frames = await watched;
    // A busy machine may skip a frame, and with it the counter value 4.
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
});

describe.skipIf(!BROWSER)("the timeline of an endpoint", () => {
  test("the keyboard moves from attempt to attempt along the timeline and opens one", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
      events: ["payment.completed"],
    });
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await sandbox.advance("5m");
    const { page, heading } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.locator(".stage .mark.bad").first().waitFor();
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
    const before = (await sandbox.control("GET", "/clock")).body.now;

    await page.locator(".stage").focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused).toMatch(/^Attempt 1 of payment.completed failed with 503/);
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused).toMatch(/^Attempt 2/);
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused).toMatch(/^Attempt 3 of payment.completed, planned at 09:11:00, in 6 min/);
    await page.keyboard.press("End");
    await expect.poll(focused).toMatch(/^Attempt 4 of payment.completed would follow/);
    await page.keyboard.press("Home");
    await expect.poll(focused).toMatch(/^Attempt 1/);
    await page.keyboard.press("Enter");
    await heading("Failed: returned 503 after 0 ms").waitFor();
    expect((await sandbox.control("GET", "/clock")).body.now).toBe(before);

    const span = () => stretch(page);
    const fitted = await span();
    await page.locator(".stage").focus();
    await page.keyboard.press("+");
    await expect.poll(span).not.toBe(fitted);
    await page.keyboard.press("0");
    await expect.poll(span).toBe(fitted);

    const part = page.getByRole("slider", { name: "Visible time range" });
    const shown = () => part.getAttribute("aria-valuetext");
    const place = await shown();
    await part.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(shown).not.toBe(place);

    // Drag along the axis to see the endpoint at an earlier time, and return.
    const counter = () => page.locator(".endpoint-head .counter-text b").textContent();
    await expect.poll(counter).toBe("2");
    const time = page.getByRole("slider", { name: "Point in time" });
    await time.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(counter).toBe("1");
    await page.getByText("As it was at 09:00:00").waitFor();
    await page.locator(".stage .mark.planned", { hasText: "" }).first().waitFor();
    expect(await page.locator(".stage .mark.attempt").count()).toBe(1);
    await page.keyboard.press("Escape");
    await expect.poll(counter).toBe("2");
  });
});
