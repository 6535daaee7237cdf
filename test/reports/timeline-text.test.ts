import { describe, expect, test } from "vitest";
import { excerptOf } from "../../src/reports/timeline/excerpt.ts";
import { timelineLines } from "../../src/reports/timeline/text.ts";
import { UNPAINTED } from "../../src/trial/findings/report.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startShop } from "../support/webhooks.ts";

async function startStory() {
  const sandbox = await startSandbox();
  const shop = await startShop(sandbox, `${sandbox.url}/_sandbox/inbox/shop`);
  const draw = async (width = 100) =>
    timelineLines(excerptOf(await shop.timeline()), { paint: UNPAINTED, width });
  return { sandbox, ...shop, draw };
}

describe("timelines drawn with characters", () => {
  test("a text timeline has the same tracks as the report and stays within its width", async () => {
    const story = await startStory();
    await story.fault({ status: 503 });
    await story.pay();
    await story.sandbox.advance("11m");
    const lines = await story.draw();
    expect(lines.map((line) => line.slice(0, 19).trim()).filter(Boolean)).toEqual(
      expect.arrayContaining(["Virtual time", "State", "Failures 3/10", "Attempts"]),
    );
    expect(lines.join("\n")).toMatch(/\[503\]─+\[503\]─+\[503\]┄+<4>/);
    for (const width of [10, 60, 100, 200]) {
      const drawn = (await story.draw(width)).slice(0, -2);
      expect(Math.max(...drawn.map((line) => line.length))).toBeLessThanOrEqual(Math.max(width, 54));
    }
  });

  test("a text timeline distinguishes manual retries, resends and tests from automatic attempts", async () => {
    const story = await startStory();
    await story.fault({ status: 503, times: 1 });
    const [paid] = await story.pay();
    await story.sandbox.advance("30s");
    const retried = await story.retry(paid!.deliveries[0].id);
    await story.sandbox.advance("1h");
    await story.sandbox.control("POST", `/deliveries/${retried.body.id}/resend`, {});
    await story.sandbox.advance("1d");
    await story.test();
    const drawing = (await story.draw()).join("\n");
    for (const mark of ["[503]", "(h200)", "(r200)", "(t200)"]) expect(drawing).toContain(mark);
  });

  test("a text timeline shows a disabled endpoint, skipped retries and an endpoint without deliveries", async () => {
    const story = await startStory();
    expect((await story.draw()).join("\n")).toMatch(/^Attempts +none/m);
    await story.fault({ status: 503 });
    await story.pay(10);
    await story.sandbox.advance("1h");
    const drawing = (await story.draw()).join("\n");
    expect(drawing).toMatch(/^State +\+[─░]■.*░/m);
    expect(drawing).toMatch(/^Failures 10\/10/m);
  });

  test("a text timeline keeps long event types apart at its right edge", async () => {
    const story = await startStory();
    for (const gap of ["1m", "20m", "1m", "3h"]) {
      await story.pay();
      await story.sandbox.advance(gap);
    }
    await story.pay(2);
    const excerpt = excerptOf(await story.timeline());
    const event = "customer.subscription.updated";
    const marks = excerpt.marks.map((mark) => ({ ...mark, event }));
    for (let width = 60; width <= 160; width += 5) {
      const drawn = timelineLines({ ...excerpt, marks }, { paint: UNPAINTED, width }).join("\n");
      const captions = drawn.match(/\S*customer\.subscription\.updated …\S*/g);
      expect([width, captions?.length]).toEqual([width, 6]);
      for (const caption of captions!) expect(caption).toMatch(/^customer\.subscription\.updated ….{4}$/);
    }
  });

  test("a text timeline keeps labels apart at any width, and explains every symbol", async () => {
    const story = await startStory();
    await story.fault({ status: 503 });
    await story.pay(3);
    await story.sandbox.advance("5m");
    await story.test();
    for (const width of [60, 80, 100]) {
      const lines = await story.draw(width);
      const drawing = lines.join("\n");
      for (const label of ["now", "disabled, if all fail ■"]) expect(drawing).toContain(label);
      expect(drawing).not.toMatch(/(completed|expired)│/);
      const legend = lines.slice(lines.lastIndexOf("") + 1);
      for (const sign of "● ■ ○ ◇ × 3× + ~ ░ ▶ ✉ … h r t".split(" "))
        expect(legend.join("\n")).toContain(sign);
      expect(Math.max(...legend.map((line) => line.length))).toBeLessThanOrEqual(width);
    }
  });
});
