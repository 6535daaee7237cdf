import { expect, test } from "vitest";
import type { Webhook } from "../../ui/api-types.ts";
import { failingCount, tabIcon, tabTitle } from "../../ui/models/tab.ts";
import { START } from "../support/timelines.ts";

const endpoint = (id: string, more: Partial<Webhook> = {}) =>
  ({ id, url: `https://${id}.example/`, status: "enabled", consecutive_failures: 0, ...more }) as Webhook;

test("the tab shows the virtual time, whether the clock runs, and the number of failing endpoints", () => {
  const state = { view: "Webhooks", now: START, running: true, failing: 0 };
  expect(tabTitle(state)).toBe("09:00 · Webhooks · Sandglass");
  expect(tabTitle({ ...state, running: false, failing: 2 })).toBe(
    "09:00 paused · 2 failing · Webhooks · Sandglass",
  );
  const icons = [true, false].flatMap((running) => [0, 1].map((failing) => tabIcon({ running, failing })));
  expect(new Set(icons).size).toBe(4);
});

test("the tab does not count the demo data's endpoints as failing", () => {
  expect(
    failingCount([
      endpoint("a"),
      endpoint("b", { consecutive_failures: 1 }),
      endpoint("c", { status: "disabled" }),
      endpoint("d", { status: "disabled", seeded: true }),
    ]),
  ).toBe(2);
});
