import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { writeManyAttempts } from "../support/many-attempts.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { openUi, settled, startFailing } from "../support/ui.ts";
import { stretch } from "./ui-timeline.ts";

describe.skipIf(!BROWSER)("an advance on the page", () => {
  test("an advance can be undone and redone, until another client advances further", async () => {
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
    await page.getByTestId("advance-1h").click();
    await page.getByTestId("undo-advance").waitFor();
    await sandbox.control("POST", "/clock/advance", { by: "2h" });
    await expect.poll(() => page.getByTestId("undo-advance").count()).toBe(0);
  });
});

/** Creates a failing endpoint with six failures in a row, in a world where sessions expire all day. */
async function startNearTheEnd() {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
  for (let payments = 0; payments < 3; payments += 1)
    await sandbox.control("POST", "/payments", { payment_link_id: "coffee" });
  return { sandbox, hook };
}

interface ClimaxFrame {
  at: number;
  /** Whether the newest failed attempt is in the view; undefined before the first failure. */
  newest: boolean | undefined;
  /** Whether the flag that marks the disabling is in view, and whether its line and label are. */
  flag: boolean;
  line: boolean;
  good: number;
  counter: string;
  top: number;
}

/** Runs in the page: records what is visible in each frame, until some time after the advance has ended. */
const WATCH_CLIMAX = `new Promise((resolve) => {
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
      // If a view has drawn no failed attempt, it cannot show the newest one.
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

/**
 * Runs in the page: counts how often the line moves, and lists elements that moved but also changed in some other way.
 */
const WATCH_STYLES = `(() => {
  window.moves = 0;
  window.laidOut = [];
  const rest = (style) => (style ?? "").replace(/\\b(translate|transform): [^;]*;/g, "").trim();
  new MutationObserver((records) => {
    for (const { target, oldValue } of records) {
      if (target.matches(".now")) window.moves += 1;
      if (target.matches(".now, .place, .at, .layer, .until, .until > div") && rest(oldValue) !== rest(target.getAttribute("style")))
        window.laidOut.push(target.className + ": " + oldValue + " → " + target.getAttribute("style"));
    }
  }).observe(document.querySelector(".stage"), { attributes: true, attributeFilter: ["style"], attributeOldValue: true, subtree: true });
})()`;

/** The attempts that the banner covers. */
const covered = (page: Page): Promise<string[]> =>
  page.locator(".stage .mark.attempt").evaluateAll((marks) => {
    const banner = marks[0]!.ownerDocument.querySelector(".disabling")!.getBoundingClientRect();
    return marks.flatMap((mark) => {
      const { left, right, bottom } = mark.getBoundingClientRect();
      const isUnder = bottom > banner.top && right > banner.left && left < banner.right;
      return isUnder ? [`to ${bottom}, under ${banner.top}`] : [];
    });
  });

describe.skipIf(!BROWSER)("an advance that disables an endpoint", () => {
  test("an advance that disables an endpoint shows only that change in that second", async () => {
    const { sandbox, hook } = await startNearTheEnd();
    const { page, problems } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(() => page.locator(".stage .mark.bad").count()).toBe(6);
    const watched = page.evaluate(WATCH_CLIMAX) as Promise<ClimaxFrame[]>;
    await page.evaluate(WATCH_STYLES);
    await page.getByTestId("advance-1h").click();
    const frames = await watched;
    // The line and the marks move without causing a layout.
    expect(await page.evaluate("window.moves > 3 && window.laidOut")).toEqual([]);

    expect(frames.filter(({ newest }) => newest === false)).toEqual([]);
    const first = frames.findIndex(({ flag }) => flag);
    expect(first).toBeGreaterThan(0);
    const after = frames.slice(first);
    expect(after.every(({ flag, line }) => flag && line)).toBe(true);
    expect(after.at(-1)!.at - after[0]!.at).toBeGreaterThan(1_000);
    expect(after.every(({ good, counter }) => good === 0 && counter.includes("bad"))).toBe(true);
    // The banner lies on top of the stage and does not push anything down.
    expect(new Set(frames.map(({ top }) => top)).size).toBe(1);
    await page.locator(".disabling").getByText("after 10 failures in a row").waitFor();
    await page.setViewportSize({ width: 480, height: 800 });
    await expect.poll(() => covered(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(() => covered(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

const MANY = 3_000;
/** The maximum number of attempts that the page loads at a time. */
const PART = 1_000;

describe.skipIf(!BROWSER)("an endpoint with 3,000 attempts", () => {
  test("a timeline of 3,000 attempts loads in parts, draws only the visible ones, and can show very old ones", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    writeManyAttempts(sandbox.sandbox.world, hook.id, MANY);
    const { page, shot, problems, go } = await openUi(sandbox.url, "#/log");
    const parts: number[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/timeline?")) parts.push((await response.json()).attempts.length);
    });
    await go(`#/webhooks/${hook.id}`);
    await page.locator(".stage .mark").first().waitFor();
    await settled(page);
    expect(parts).toEqual([500, PART]);
    const older = page.locator(".endpoint-list p.note");
    expect(await older.textContent()).toBe("1,500 older attempts: scroll down to read them.");
    expect(await page.locator(".beyond.left").textContent()).toMatch(/^‹ 2\d{3}$/);
    await shot("many", "seen");

    // Scrolling to the end of the list loads more, and a search loads all of it.
    await page.locator(".virtual").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await expect.poll(() => older.textContent()).toContain("500 older attempts");
    expect(await page.locator(".virtual li").count()).toBeLessThan(60);
    await page.getByLabel("Event, code or time").fill("del_0");
    await expect.poll(() => page.locator(".virtual li").count()).toBe(1);
    await expect.poll(() => parts.length).toBe(4);
    expect(Math.max(...parts)).toBe(PART);
    await page.getByLabel("Event, code or time").fill("");

    for (const zoom of [0, 6]) {
      await page.locator(".stage").focus();
      for (let zooms = 0; zooms < zoom; zooms += 1) await page.keyboard.press("-");
      const { drawn, most } = await page.evaluate(pan);
      expect({ zoom, few: most < 500 }).toEqual({ zoom, few: true });
      expect({ zoom, little: drawn < 1_250 }).toEqual({ zoom, little: true });
    }
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await expect.poll(() => page.locator(".beyond").count()).toBe(0);

    // A link to a time and an attempt far in the past.
    const { attempts } = (
      await sandbox.control("GET", `/webhooks/${hook.id}/timeline?before=del_2000&limit=8`)
    ).body;
    const { delivery_id: id, started_at: begun } = attempts.find(({ status }: Json) => status === "failed");
    const at = Date.parse(begun);
    const hour = (hours: number) => new Date(at + hours * 3_600_000).toISOString();
    await page.goto("about:blank");
    await page.goto(`${sandbox.url}/#/webhooks/${hook.id}/${id}?from=${hour(-1)}&to=${hour(2)}`);
    await page.locator('.stage .mark[aria-current="true"]').waitFor();
    await page.getByText("The event arrived later, at").waitFor();
    expect(await page.getByRole("button", { name: "Fit" }).getAttribute("aria-pressed")).toBe("false");
    expect(problems).toEqual([]);
  });
});

/**
 * Runs in the page: pans over a few views with the wheel. Returns the highest number of marks at any time, and how many
 * nodes were redrawn.
 */
async function pan(): Promise<{ most: number; drawn: number }> {
  // biome-ignore lint/suspicious/noExplicitAny: the types of these tests do not include the DOM
  const page = globalThis as any;
  const stage = page.document.querySelector(".stage");
  let drawn = 0;
  let most = 0;
  const observer = new page.MutationObserver((records: { addedNodes: { length: number } }[]) => {
    for (const { addedNodes } of records) drawn += addedNodes.length;
  });
  observer.observe(stage, { childList: true, subtree: true });
  for (let index = 0; index < 30; index += 1) {
    stage.dispatchEvent(new page.WheelEvent("wheel", { deltaX: -60, cancelable: true, bubbles: true }));
    await new Promise((resolve) => page.requestAnimationFrame(resolve));
    most = Math.max(most, stage.querySelectorAll(".mark").length);
  }
  observer.disconnect();
  return { most, drawn };
}

describe.skipIf(!BROWSER)("the timeline of an endpoint", () => {
  test("the timeline gives each of twenty events its own lane and scrolls to the latest", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.createLink();
    for (let pair = 0; pair < 10; pair += 1)
      await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    const good = page.locator(".stage .mark.good");
    await expect.poll(() => good.count()).toBe(20);
    const lanes = page.getByRole("group", { name: /^Attempts in 2\d lanes, \d+ at a time$/ });
    await lanes.waitFor();
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const bad = page.locator(".stage .mark.bad");
    await expect.poll(() => bad.count()).toBe(2);
    const box = (await lanes.boundingBox())!;
    await expect
      .poll(async () => {
        const { y, height } = (await bad.last().boundingBox())!;
        return y >= box.y && y + height <= box.y + box.height;
      })
      .toBe(true);
  });

  test("a healthy endpoint's timeline has no red line and spans all its attempts, no matter how old they are", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, button, problems } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    const shown = () =>
      page.locator(".stage").evaluate((stage) => {
        const { left, right } = stage.getBoundingClientRect();
        return [...stage.querySelectorAll(".mark.attempt")].filter((mark) => {
          const box = mark.getBoundingClientRect();
          return box.left >= left && box.right <= right;
        }).length;
      });
    /** How many points of the counter's track are red. */
    const red = async () => {
      const png = await page.locator(".stage").screenshot({ animations: "disabled" });
      return page.evaluate(`(async () => {
        const image = new Image();
        image.src = "data:image/png;base64,${png.toString("base64")}";
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at] > 150 && data[at + 1] < 100 && data[at + 2] < 100) count += 1;
        return count;
      })()`);
    };
    await expect.poll(shown).toBe(2);
    expect(await red()).toBe(0);
    await sandbox.advance("3d");
    await expect.poll(() => page.getByTestId("virtual-time").textContent()).toContain("09:00:00");
    await page.getByText("18 Jan 2026").waitFor();
    await expect.poll(shown).toBe(2);
    for (let zooms = 0; zooms < 8; zooms += 1) await page.locator(".stage").press("+");
    await expect.poll(shown).toBe(0);
    await button("Fit").click();
    await expect.poll(shown).toBe(2);
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await expect.poll(() => page.locator(".stage .mark.bad").count()).toBe(2);
    expect(await red()).toBeGreaterThan(100);

    expect(await page.getByText(/older ones are/).count()).toBe(0);
    await page.route(/\/timeline\?/, async (route) => {
      const answer = await (await route.fetch()).json();
      const [first] = answer.attempts;
      const attempts = Array.from({ length: 10_000 }, (_, index) => ({
        ...first,
        delivery_id: `del_${index}`,
      }));
      const earlier = { attempts: 1, since: first.started_at, slices: [] };
      await route.fulfill({ json: { ...answer, attempts, earlier } });
    });
    await page.reload();
    await page.getByText("Only the latest 10,000 attempts are drawn; older ones are in the API.").waitFor();
    expect(problems).toEqual([]);
  });

  test("the timeline labels its gaps, and the page's address includes a position chosen by the user", async () => {
    const { sandbox, hook } = await startFailing();
    await sandbox.advance("3d");
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, button } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.locator(".stage .mark").first().waitFor();
    const gaps = await page.locator(".stage .gap").allTextContents();
    for (const gap of ["1 min", "10 min", "1 h"]) expect(gaps).toContain(gap);
    expect(await page.locator(".stage .torn").count()).toBe(1);
    await page
      .locator(".lane-name", { hasText: /^payment\.completed …/ })
      .first()
      .waitFor();

    await page.locator(".stage .mark.bad").last().click();
    await page.locator(".beside").waitFor();
    const isFitted = () => button("Fit").getAttribute("aria-pressed");
    expect([await isFitted(), page.url().includes("?")]).toEqual(["true", false]);
    await page.keyboard.press("Escape");
    await page.locator(".stage").press("+");
    await expect.poll(() => page.url()).toMatch(/from=.*&to=/);
    const before = await stretch(page);
    await page.reload();
    await page.locator(".stage .tick").first().waitFor();
    await expect.poll(() => stretch(page)).toBe(before);
    expect(await isFitted()).toBe("false");
    await button("Fit").click();
    await expect.poll(() => page.url()).not.toContain("from=");
  });

  test("the timeline fits a phone, and fills most of the screen in presentation mode", async () => {
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

  test("the timeline cuts off no label at its edges", async () => {
    const { sandbox, hook } = await startFailing();
    await sandbox.advance("1h");
    await sandbox.control("POST", `/webhooks/${hook.id}/disable`);
    await sandbox.control("POST", `/webhooks/${hook.id}/enable`);
    await sandbox.control("DELETE", `/webhooks/${hook.id}/fault`);
    // The name of this event starts at the end of the drawing.
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, { width: 800 });
    await page.locator(".stage .mark").first().waitFor();
    const cut = () =>
      page
        .locator(".stage :is(.mark:not(.small), .flag, .lane-name, .disabled-at span)")
        .evaluateAll((all) => {
          const stage = all[0]!.closest(".stage")!.getBoundingClientRect();
          return all.flatMap((one) => {
            const { left, right } = one.getBoundingClientRect();
            const isSeen = right > stage.left && left < stage.right;
            return isSeen && (left < stage.left - 1 || right > stage.right + 1) ? [one.outerHTML] : [];
          });
        });
    expect(await cut()).toEqual([]);
    // Adjacent flags keep their width and are placed side by side.
    const flags = await page
      .locator(".stage .flag")
      .evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({ left, width }) => [left, width] as const),
      );
    for (const [index, [left, width]] of flags.entries()) {
      expect(width).toBeGreaterThanOrEqual(24);
      if (index > 0) expect(left).toBeGreaterThanOrEqual(flags[index - 1]![0] + flags[index - 1]![1] - 1);
    }
    // On a phone, an attempt on another day shows its full time next to its code.
    await sandbox.advance("1d");
    await page.setViewportSize({ width: 390, height: 844 });
    const times = page.locator(".attempt-row time");
    await times
      .getByText(/15 Jan/)
      .first()
      .waitFor();
    const over = await times.evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
    expect(Math.max(...over)).toBe(0);
  });

  test("pinching or scrolling with Ctrl zooms the timeline, and messages never cover anything permanently", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.advance("1h");
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, button } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, { width: 360, height: 740 });
    await page.locator(".stage .mark.good").first().waitFor();
    const span = () => stretch(page);
    const fitted = await span();
    await page.locator(".stage").scrollIntoViewIfNeeded();
    const box = (await page.locator(".stage").boundingBox())!;
    const touch = await page.context().newCDPSession(page);
    const fingers = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
      touch.send("Input.dispatchTouchEvent", {
        type,
        touchPoints:
          type === "touchEnd"
            ? []
            : [-apart, apart].map((dx, id) => ({
                id,
                x: box.x + box.width / 2 + dx,
                y: box.y + box.height / 2,
              })),
      });
    await fingers("touchStart", 30);
    for (const apart of [40, 60, 80, 100]) await fingers("touchMove", apart);
    await fingers("touchEnd", 0);
    await expect.poll(span).not.toBe(fitted);
    const pinched = await span();
    await page.mouse.move(box.x + 50, box.y + 50);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, 200);
    await page.keyboard.up("Control");
    await expect.poll(span).not.toBe(pinched);

    await page.getByTestId("advance-1d").click();
    await page.locator(".summary [role=status]").waitFor();
    await page.getByTestId("menu-endpoint").click();
    await button("Disable").click();
    await page.getByText("The endpoint is disabled.").waitFor();
    const free = await page.evaluate(`(() => {
      scrollTo(0, document.documentElement.scrollHeight);
      const content = document.querySelector(".endpoint-list").getBoundingClientRect().bottom;
      return document.querySelector(".toast").getBoundingClientRect().top - content;
    })()`);
    expect(free).toBeGreaterThanOrEqual(-1);
  });
});
