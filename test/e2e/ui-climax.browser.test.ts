import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

/** A failing endpoint with six failures in a row, in a world where sessions expire all day. */
async function startNearTheEnd() {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
  for (let payments = 0; payments < 3; payments += 1)
    await sandbox.control("POST", "/payments", { payment_link_id: "coffee" });
  return { sandbox, hook };
}

interface Frame {
  at: number;
  /** Whether the newest failing attempt is in the view; undefined before the first. */
  newest: boolean | undefined;
  /** Whether the flag of the disabling, and its line with its words, are in the view. */
  flag: boolean;
  line: boolean;
  good: number;
  counter: string;
  top: number;
}

/** Runs in the page: what is seen in each frame, until so long after the advance is over. */
const WATCH = `new Promise((resolve) => {
  const frames = [];
  let ended;
  const draw = () => {
    const stage = document.querySelector(".stage").getBoundingClientRect();
    const isSeen = (element) => {
      if (!element) return false;
      const { left, right } = element.getBoundingClientRect();
      const middle = (left + right) / 2;
      return middle >= stage.left && middle <= stage.right;
    };
    const marks = [...document.querySelectorAll(".stage .mark.attempt.bad")];
    const rights = marks.map((mark) => mark.getBoundingClientRect().right);
    const newest = marks[rights.indexOf(Math.max(...rights))];
    const line = document.querySelector("[data-testid=disabled]");
    const failed = Number(document.querySelector(".endpoint-head .counter-text b").textContent);
    frames.push({
      at: performance.now(),
      // A view that has drawn none of the failed attempts shows nothing of them.
      newest: failed === 0 ? undefined : isSeen(newest),
      flag: isSeen(document.querySelector(".flag.disabled")),
      line: isSeen(line) && line.textContent.includes("after 10 failures in a row"),
      good: document.querySelectorAll(".toast.good").length,
      counter: document.querySelector(".stage-counter").className,
      top: stage.top,
    });
    const isOver = document.querySelector(".summary [role=status]") !== null;
    if (isOver) ended ??= performance.now();
    if (ended !== undefined && performance.now() - ended > 500) resolve(frames);
    else requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
})`;

/** The attempts that the banner lies over. */
const covered = (page: Page): Promise<string[]> =>
  page.locator(".stage .mark.attempt").evaluateAll((marks) => {
    const banner = marks[0]!.ownerDocument.querySelector(".disabling")!.getBoundingClientRect();
    return marks.flatMap((mark) => {
      const { left, right, bottom } = mark.getBoundingClientRect();
      const isUnder = bottom > banner.top && right > banner.left && left < banner.right;
      return isUnder ? [`to ${bottom}, under ${banner.top}`] : [];
    });
  });

describe.skipIf(!BROWSER)("an advance to a disabling", () => {
  test.each([
    ["1h", undefined],
    ["1d", undefined],
    ["idle", "clock"],
  ])("%s shows it, and nothing else in that second", async (step, within) => {
    const { sandbox, hook } = await startNearTheEnd();
    const { page, menu, problems } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(() => page.locator(".stage .mark.bad").count()).toBe(6);
    const watched = page.evaluate(WATCH) as Promise<Frame[]>;
    if (within) await menu(within);
    await page.getByTestId(`advance-${step}`).click();
    const frames = await watched;

    expect(frames.filter(({ newest }) => newest === false)).toEqual([]);
    const first = frames.findIndex(({ flag }) => flag);
    expect(first).toBeGreaterThan(0);
    const after = frames.slice(first);
    expect(after.every(({ flag, line }) => flag && line)).toBe(true);
    expect(after.at(-1)!.at - after[0]!.at).toBeGreaterThan(1_000);
    expect(after.every(({ good, counter }) => good === 0 && counter.includes("bad"))).toBe(true);
    // The banner lies over the stage and pushes nothing down.
    expect(new Set(frames.map(({ top }) => top)).size).toBe(1);
    await page.locator(".disabling").getByText("after 10 failures in a row").waitFor();
    await page.setViewportSize({ width: 480, height: 800 });
    await expect.poll(() => covered(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(() => covered(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("in a view that a person has zoomed, keeps what fails in sight", async () => {
    const { sandbox, hook } = await startNearTheEnd();
    const { page, button, menu } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(() => page.locator(".stage .mark.bad").count()).toBe(6);
    await menu("zoom");
    await button("1 min").click();
    await expect.poll(() => page.locator(".zoom-span").textContent()).toBe("1 min");
    const watched = page.evaluate(WATCH) as Promise<Frame[]>;
    await page.getByTestId("advance-1h").click();
    expect((await watched).filter(({ newest }) => newest === false)).toEqual([]);
  });
});
